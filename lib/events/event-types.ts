import type * as z from "zod";
import { repositoryAddress, withoutCredentials } from "../contract/addresses.ts";
import type { EventTypeName } from "../contract/event-names.ts";
import { type OrganizationName, organizationUuid } from "../contract/identity.ts";
import * as kinds from "../contract/items.ts";
import { streamLimits } from "../contract/limits.ts";
import { instanceTenant, workspaceTenant } from "../contract/tenants.ts";
import { captureLearning } from "../learnings/events/capture.ts";
import { closePrivateLearnings, mergedBefore } from "../learnings/events/pull-request.ts";
import {
  learningCapturedFields,
  learningUsedFields,
  namesItsPullRequest,
} from "../learnings/events/schemas.ts";
import { useLearning } from "../learnings/events/use.ts";
import { type FinalizeDeps, finalizePullRequests, keysToFinalize } from "../metrics/finalize.ts";
import { misplacement, type PullRequestFinalized, pullRequestFinalized } from "../metrics/finalized.ts";
import { saveInstance } from "../organizations/save-instance.ts";
import { saveOrganization } from "../organizations/save-organization.ts";
import { saveRepository } from "../organizations/save-repository.ts";
import { saveWorkspace } from "../organizations/save-workspace.ts";
import { seatReviewedAuthors } from "../people/automatic-seats.ts";
import { saveMember } from "../people/save-member.ts";
import { saveTeam } from "../people/save-team.ts";
import { completeScan } from "../security/complete-scan.ts";
import { misdated, scanCompletedFields } from "../security/scan-completed.ts";
import type { ReadAhead } from "../store/read-ahead.ts";
import type { Store } from "../store/retry-on-conflict.ts";
import type { Key } from "../store/table.ts";
import { pointerIdOf } from "../stream/pointer.ts";
import { EventRefused } from "./envelope.ts";
import {
  instanceSaved,
  memberSaved,
  organizationNameSchema,
  organizationSaved,
  repositorySaved,
  teamSaved,
  workspaceSaved,
} from "./schemas.ts";

/** Something that an event needs: its item, and a readable name. */
export type Dependency = { readonly key: Key; readonly label: string };

/** An event whose data has passed its type's schema. */
export type CheckedEvent<Data> = {
  readonly id: string;
  /** `occurred_at#event id` */
  readonly version: string;
  readonly data: Data;
  /** It came before the item that it needs. */
  readonly hasWaited?: boolean;
};

/**
 * A type of event. `apply` must be safe to repeat and to run in any order; it may throw EventRefused for what no retry
 * can fix. These are methods, not function properties: an event is only ever passed to the type that checked it.
 */
export type EventType<Data> = {
  readonly schema: z.ZodType<Data>;
  /** Maximum number of consecutive events that one call may apply. */
  readonly eventsMax: number;
  /** Only for types with free text: names and ids that must stay unchanged. Everything else is redacted. */
  readonly plainFields?: readonly string[];
  /** The public part of the URLs in its fields, as its schema takes it. */
  readonly publicUrl: (url: string) => string;
  /** Why its time is invalid, if so: a schema does not know the current day. */
  misdated?(data: Data, nowMs: number): string | undefined;
  /** The item that must exist first. A repository exists only if its organization does. */
  dependency(data: Data): Dependency | undefined;
  /** The item that the event creates, for which other events may wait. */
  provides(data: Data): Key | undefined;
  /** What `apply` reads first. It is read together with the dependencies. */
  reads?(store: EventStore, data: readonly Data[]): Key[];
  apply(store: EventStore, events: ReadonlyArray<CheckedEvent<Data>>, ahead?: ReadAhead): Promise<void>;
};

/** The store, with what a warm worker remembers. */
export type EventStore = Store & Pick<FinalizeDeps, "knownTenants">;

/** A type whose events are applied one by one. */
const eventType = <Data>(
  schema: z.ZodType<Data>,
  type: {
    readonly plainFields?: readonly string[];
    readonly publicUrl?: (url: string) => string;
    misdated?(data: NoInfer<Data>, nowMs: number): string | undefined;
    dependency(data: NoInfer<Data>): Dependency | undefined;
    provides?(data: NoInfer<Data>): Key | undefined;
    apply(store: Store, data: NoInfer<Data>, version: string, hasWaited?: boolean): Promise<void>;
  },
): EventType<Data> => ({
  schema,
  eventsMax: 1,
  ...(type.plainFields && { plainFields: type.plainFields }),
  publicUrl: type.publicUrl ?? withoutCredentials,
  misdated: (data, nowMs) => type.misdated?.(data, nowMs),
  dependency: (data) => type.dependency(data),
  provides: (data) => type.provides?.(data),
  async apply(store, events) {
    for (const { data, version, hasWaited } of events) await type.apply(store, data, version, hasWaited);
  },
});

const workspace = (id: string): Dependency => ({
  key: kinds.tenant.key({ tenant: workspaceTenant(id) }),
  label: `workspace ${id}`,
});
const instance = (id: string): Dependency => ({
  key: kinds.tenant.key({ tenant: instanceTenant(id) }),
  label: `instance ${id}`,
});
const organization = (name: OrganizationName): Dependency => ({
  key: kinds.organization.key({ organization: organizationUuid(name) }),
  label: `organization ${name.provider} ${name.provider_organization_id}`,
});

const repository = (data: OrganizationName & { readonly repository_id: string }): Dependency => ({
  key: kinds.repository.key({ organization: organizationUuid(data), repositoryId: data.repository_id }),
  label: `repository ${data.repository_id} of ${organization(data).label}`,
});

/** Applied in batches: one transaction of the stream holds ten. */
const pullRequestType: EventType<PullRequestFinalized> = {
  schema: pullRequestFinalized,
  publicUrl: withoutCredentials,
  eventsMax: streamLimits.changesPerTransactionMax,
  misdated: misplacement,
  dependency: repository,
  provides: () => undefined,
  reads: keysToFinalize,
  async apply(store, events, ahead) {
    // Side by side: none of them needs another, and each is safe to repeat.
    await allEnded([
      finalizePullRequests(store, events, ahead),
      seatAuthors(store, events),
      closeLearnings(store, events, ahead),
    ]);
  },
};

/** Like Promise.all, but all have ended before an error is thrown. */
async function allEnded(work: readonly Promise<unknown>[]): Promise<void> {
  for (const end of await Promise.allSettled(work)) if (end.status === "rejected") throw end.reason;
}

/** The end of a pull request that was applied before is mostly marked already: one read shows it for all of them. */
async function closeLearnings(
  store: EventStore,
  events: ReadonlyArray<CheckedEvent<PullRequestFinalized>>,
  ahead: ReadAhead | undefined,
): Promise<void> {
  const ended = events.map(({ data, version }) => ({
    organization: organizationUuid(data),
    prUrl: data.pr_url,
    status: data.status,
    version,
  }));
  const again = ended.filter(({ organization, prUrl }) =>
    ahead?.get(kinds.pointer.key({ organization, pointerId: pointerIdOf(prUrl) })),
  );
  const merged = await mergedBefore(store.table, again);
  await allEnded(ended.map((each) => closePrivateLearnings(store, each, merged.get(each))));
}

/** A reviewed pull request means that its author tagged the reviewer. */
async function seatAuthors(
  store: Store,
  events: ReadonlyArray<CheckedEvent<PullRequestFinalized>>,
): Promise<void> {
  const authors = Map.groupBy(
    events.filter(({ data }) => data.reviewed),
    ({ data }) => organizationUuid(data),
  );
  for (const [uuid, reviewed] of authors) {
    const ids = reviewed.map(({ data }) => data.author_id).filter((id) => id !== null);
    await seatReviewedAuthors(store, uuid, ids);
  }
}

/** What each event does. A new type is a name in the contract and one entry here. */
const types: Readonly<Record<EventTypeName, EventType<unknown>>> = {
  "workspace.saved": eventType(workspaceSaved, {
    dependency: () => undefined,
    provides: ({ id }) => workspace(id).key,
    apply: saveWorkspace,
  }),
  "instance.saved": eventType(instanceSaved, {
    dependency: () => undefined,
    provides: ({ id }) => instance(id).key,
    apply: saveInstance,
  }),
  "organization.saved": eventType(organizationSaved, {
    dependency({ workspace_id, instance_id }) {
      if (workspace_id !== null) return workspace(workspace_id);
      return instance_id === null ? undefined : instance(instance_id);
    },
    provides: (data) => organization(data).key,
    apply: saveOrganization,
  }),
  "repository.saved": eventType(repositorySaved, {
    publicUrl: repositoryAddress,
    dependency: organization,
    provides: (data) =>
      kinds.repository.key({ organization: organizationUuid(data), repositoryId: data.repository_id }),
    apply: (store, { provider, instance_id, provider_organization_id, ...repository }, version) =>
      saveRepository(
        store,
        organizationUuid({ provider, instance_id, provider_organization_id }),
        repository,
        version,
      ),
  }),
  "member.saved": eventType(memberSaved, {
    dependency: organization,
    apply: (store, data, version) => saveMember(store, organizationUuid(data), data, version),
  }),
  "team.saved": eventType(teamSaved, {
    dependency: organization,
    apply: (store, data, version) => saveTeam(store, organizationUuid(data), data, version),
  }),
  "pull_request.finalized": pullRequestType,
  "learning.captured": eventType(
    organizationNameSchema.extend(learningCapturedFields).refine(...namesItsPullRequest),
    {
      plainFields: [
        ...Object.keys(organizationNameSchema.shape),
        ...["repository_id", "author_id", "source", "pr_url"],
      ],
      dependency: repository,
      async apply(store, data, version, hasWaited) {
        const problem = await captureLearning(store, data, version, hasWaited);
        if (problem) throw new EventRefused(problem);
      },
    },
  ),
  "learning.used": eventType(organizationNameSchema.extend(learningUsedFields), {
    dependency: organization,
    apply: useLearning,
  }),
  "security_scan.completed": eventType(organizationNameSchema.extend(scanCompletedFields), {
    misdated,
    dependency: repository,
    async apply(store, data, version) {
      const problem = await completeScan(store, organizationUuid(data), data, version);
      if (problem) throw new EventRefused(problem);
    },
  }),
};

/** The same; it may also be indexed by any other name that a message has. */
export const eventTypes: typeof types & Readonly<Record<string, EventType<unknown>>> = types;
