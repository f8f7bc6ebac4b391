import { createKey, type KeyRequest } from "../../lib/access/create-key.ts";
import type { IssuedKey } from "../../lib/access/key-registry.ts";
import { revokeKey } from "../../lib/access/revoke-key.ts";
import { rotateKey } from "../../lib/access/rotate-key.ts";
import { createWorkspaceToken } from "../../lib/access/workspace-tokens.ts";
import { type Origin, operator, operatorOrigin } from "../../lib/audit/entry.ts";
import type { KeyKind } from "../../lib/contract/access.ts";
import { organizationUuid } from "../../lib/contract/identity.ts";
import * as itemKinds from "../../lib/contract/items.ts";
import { auditLimits } from "../../lib/contract/limits.ts";
import { organizationTenant, workspaceTenant } from "../../lib/contract/tenants.ts";
import { type WebhookType, webhookTypes } from "../../lib/contract/webhooks.ts";
import { eventTypes } from "../../lib/events/event-types.ts";
import { localEmbedder } from "../../lib/index/local-embedder.ts";
import { createLearnings } from "../../lib/learnings/create.ts";
import { createRole } from "../../lib/people/custom-roles.ts";
import { personKeyOf } from "../../lib/people/placement.ts";
import { type Clock, systemClock, toTimestamp } from "../../lib/runtime/clock.ts";
import { type Random, systemRandom } from "../../lib/runtime/random.ts";
import { required } from "../../lib/runtime/required.ts";
import { parseMember } from "../../lib/store/items/people.ts";
import type { Item, Table } from "../../lib/store/table.ts";
import type { Network } from "../../lib/webhooks/addresses.ts";
import { createWebhook } from "../../lib/webhooks/manage.ts";
import {
  captured,
  finalized,
  instanceData,
  memberData,
  organizationData,
  repositoryData,
  scanned,
  workspaceData,
} from "./event-data.ts";
import { asFunction, grantedTable } from "./granted-table.ts";
import { organizationOf } from "./stored.ts";
import { absent } from "./subject.ts";

export type OrganizationId = {
  provider: string;
  instance_id: string | null;
  provider_organization_id: string;
};

type NewRole = Parameters<typeof createRole>[2];
type WithoutActor<Request> = Request extends unknown ? Omit<Request, "actor"> : never;

/** Every name has a public address, at which nobody listens. */
export const publicNetwork: Network = {
  resolve: async () => ["93.184.215.14"],
  allowsLoopback: true,
  attemptMsMax: 1_000,
};

/** The world of the tests, created by events as on the platform. */
export class World {
  readonly #table: () => Table;
  readonly #clock: Clock;
  readonly #random: Random = systemRandom;
  /** Shared by all worlds: two worlds of one table send events alternately, and the later event is the newer one. */
  static #eventsSent = 0;

  constructor(table: () => Table, clock: Clock = systemClock) {
    this.#table = table;
    this.#clock = clock;
  }

  get deps() {
    return {
      table: this.#table(),
      clock: this.#clock,
      random: this.#random,
      retentionDays: auditLimits.retentionDaysDefault,
    };
  }

  /** Each event is newer than the one before, unless `occurredAt` is given. */
  async sendEvent(
    type: string,
    data: object,
    occurredAt = toTimestamp(this.#clock.nowMs() + World.#eventsSent++),
  ): Promise<void> {
    const eventType = eventTypes[type];
    if (!eventType) throw new Error(`There is no event type ${type}.`);
    const id = this.#random.uuid();
    const version = `${occurredAt}#${id}`;
    const { table, ...deps } = this.deps;
    const events = [{ id, version, data: eventType.schema.parse(data) }];
    await asFunction("ingest", () => eventType.apply({ ...deps, table: grantedTable(table) }, events));
  }

  async workspace(id: string, change: object = {}): Promise<string> {
    await this.sendEvent("workspace.saved", { id, name: id, ...workspaceData, ...change });
    return id;
  }

  async instance(id: string, change: object = {}): Promise<string> {
    await this.sendEvent("instance.saved", { id, name: id, ...instanceData, ...change });
    return id;
  }

  /** Enterprise, active, with an admin, a member and an outsider's view of it. Returns its UUID. */
  async organization(
    providerId: string,
    change: Partial<OrganizationId> & Record<string, unknown> = {},
  ): Promise<string> {
    const self = change.instance_id ? { provider: "gitlab", deployment: "self_hosted" } : {};
    const data = {
      ...github(providerId),
      name: `Organization ${providerId}`,
      ...organizationData,
      ...self,
      ...change,
    };
    await this.sendEvent("organization.saved", data);
    return organizationUuid(data);
  }

  async member(
    organization: OrganizationId,
    userId: string,
    change: object = {},
    occurredAt?: string,
  ): Promise<void> {
    const data = {
      ...organization,
      user_id: userId,
      username: userId,
      email: `${userId}@example.com`,
      ...memberData,
      ...change,
    };
    await this.sendEvent("member.saved", data, occurredAt);
  }

  /**
   * Many plain members without seats, in few calls: an event saves the first one, the others are copies of the items
   * that the event wrote.
   */
  async crowd(organization: OrganizationId, [first = "", ...others]: readonly string[]): Promise<void> {
    await this.member(organization, first);
    const table = this.#table();
    const uuid = organizationUuid(organization);
    const [stored, reads] = await table.getMany([
      itemKinds.member.key({ organization: uuid, userId: first }),
      itemKinds.memberReads.key({ organization: uuid, userId: first }),
    ]);
    const member = required(stored, `member ${first}`);
    const pool = required(parseMember(member).pool, `pool of ${first}`);
    const named = (id: string) => ({ user_id: id, username: id, email: `${id}@example.com` });
    const personOf = (id: string) => personKeyOf(pool, uuid, named(id));
    const person = required(await table.get(personOf(first)), `person of ${first}`);
    const copies = others.flatMap((id): Item[] => [
      { ...member, ...named(id), ...itemKinds.member.key({ organization: uuid, userId: id }) },
      {
        ...required(reads, `repositories of ${first}`),
        ...itemKinds.memberReads.key({ organization: uuid, userId: id }),
      },
      {
        ...person,
        ...personOf(id),
        email: person.email === null ? null : named(id).email,
        memberships: [{ organization: uuid, user_id: id, seat_wanted: false }],
      },
    ]);
    await table.writeMany(copies.map((put) => ({ put })));
    const change = { add: [[["counts", "cr_member"], others.length] as const] };
    await table.write({ update: itemKinds.people.key({ organization: uuid }), change });
  }

  async repository(organization: OrganizationId, repositoryId: string, change: object = {}): Promise<void> {
    await this.sendEvent("repository.saved", {
      ...organization,
      repository_id: repositoryId,
      name: `repository-${repositoryId}`,
      full_name: `group/repository-${repositoryId}`,
      ...repositoryData,
      url: `https://git.example.com/group/repository-${repositoryId}`,
      ...change,
    });
  }

  /** A merged, reviewed pull request with two comments. */
  async pullRequest(
    organization: OrganizationId,
    number: number | string,
    change: object = {},
  ): Promise<void> {
    await this.sendEvent("pull_request.finalized", finalized(organization, number, change));
  }

  /** A completed security scan, without findings. */
  async scan(organization: OrganizationId, change: object = {}): Promise<void> {
    await this.sendEvent("security_scan.completed", scanned(organization, change));
  }

  /** A Learning from a chat; it waits for an approval if the repository or the organization has a delay. */
  async learning(organization: OrganizationId, text: string, change: object = {}): Promise<void> {
    await this.sendEvent("learning.captured", captured(organization, text, change));
  }

  /** Learnings that a member creates in one request, with every permission. Returns their ids. */
  async createLearnings(organization: string, authorId: string, data: readonly object[]): Promise<string[]> {
    const context = {
      ...this.deps,
      ...operatorOrigin,
      embedder: localEmbedder,
      signal: new AbortController().signal,
    };
    const author = {
      organization: await organizationOf(this.#table(), organization),
      authorId,
      readable: "*",
    } as const;
    const { results } = await createLearnings(context, author, data);
    return results.map(({ id }) => required(id, "id of a created Learning"));
  }

  /** A custom role. It has the permissions of a member unless `change` names others. Returns its id. */
  async role(
    organization: string,
    name: string,
    change: Partial<NewRole> = {},
    origin: Origin = operatorOrigin,
  ): Promise<string> {
    const defaults = {
      description: null,
      is_default: false,
      permissions: undefined,
      duplicateFrom: undefined,
    };
    const fields = { name, ...defaults, ...change };
    const item = await organizationOf(this.#table(), organization);
    return (await createRole({ ...this.deps, ...origin }, item, fields)).role.id;
  }

  /** Creates a webhook of an organization (its UUID) or of a workspace (`w#…`) as the API does; returns its id. */
  async webhook(
    of: string,
    change: { readonly url?: string; readonly types?: readonly WebhookType[] } = {},
  ): Promise<string> {
    const workspace = of.startsWith("w#") ? workspaceTenant(of.slice(2)) : undefined;
    const organization = workspace ? null : await organizationOf(this.#table(), of);
    const tenant = workspace ?? organization?.tenant ?? organizationTenant(of);
    const scope = { owner: workspace ?? organizationTenant(of), tenant, organization, authorized: null };
    const fields = { url: absent.receiver_url, types: webhookTypes, description: null, ...change };
    const manager = { ...this.deps, ...operatorOrigin, network: publicNetwork, admitted: Promise.resolve() };
    return (await createWebhook(manager, scope, fields)).webhook.id;
  }

  async key(request: WithoutActor<KeyRequest>): Promise<IssuedKey> {
    return await createKey(this.deps, { ...request, actor: operator });
  }

  /** The text of an organization key with the role of an admin. */
  async adminKey(organization: string, owner = "u-admin"): Promise<string> {
    return (await this.key({ kind: "organization", organization, owner, role: "cr_admin" })).text;
  }

  async token(
    workspaceId: string,
    as = "u-admin",
    expiresInDays = 30,
    only?: readonly string[],
  ): Promise<IssuedKey> {
    const request = { workspaceId, as, name: "nightly export", expiresInDays, only };
    return await createWorkspaceToken(this.deps, request);
  }

  revoke = (issued: IssuedKey): Promise<readonly string[]> => revokeKey(this.deps, issued.key.id, operator);

  rotate = (issued: IssuedKey, graceSeconds: number, isLost = false): Promise<IssuedKey> =>
    rotateKey(this.deps, { id: issued.key.id, graceSeconds, isLost, actor: operator });
}

export const github = (providerId: string): OrganizationId => ({
  provider: "github",
  instance_id: null,
  provider_organization_id: providerId,
});

export const gitlab = (instanceId: string, providerId: string): OrganizationId => ({
  provider: "gitlab",
  instance_id: instanceId,
  provider_organization_id: providerId,
});

type CloudKind = Exclude<KeyKind, "instance">;
type CloudFixture<Kind extends CloudKind> = {
  readonly cloud: OrganizationId;
  readonly organization: string;
  readonly keys: { readonly [Each in Kind]: IssuedKey };
};

/** A fixture organization in a workspace, with an admin, a member, and a key of each of the given kinds. */
export async function keysOf<Kind extends CloudKind>(
  world: World,
  name: string,
  ...kinds: readonly Kind[]
): Promise<CloudFixture<Kind>>;
export async function keysOf(
  world: World,
  name: string,
  ...kinds: readonly CloudKind[]
): Promise<Pick<CloudFixture<never>, "cloud" | "organization"> & { keys: object }> {
  const cloud = github(`${name}-org`);
  await world.workspace(`${name}-workspace`);
  const organization = await world.organization(cloud.provider_organization_id, {
    workspace_id: `${name}-workspace`,
  });
  await world.member(cloud, "u-admin", { role: "cr_admin" });
  await world.member(cloud, "u-member");
  const issue: Record<CloudKind, () => Promise<IssuedKey>> = {
    organization: () => world.key({ kind: "organization", organization, owner: "u-admin", role: "cr_admin" }),
    user: () => world.key({ kind: "user", organization, owner: "u-member" }),
    workspace: () => world.token(`${name}-workspace`),
    legacy: () => world.key({ kind: "legacy", organization }),
    agentic: () => world.key({ kind: "agentic", organization, owner: "u-member" }),
  };
  const issued = await Promise.all(kinds.map(async (kind) => [kind, await issue[kind]()]));
  return { cloud, organization, keys: Object.fromEntries(issued) };
}

/** The same with a key of every kind: the one of an instance has an organization there as its home. */
export async function everyKindOfKey(world: World, name: string) {
  const { keys, ...fixture } = await keysOf(
    world,
    name,
    ...(["organization", "user", "workspace", "legacy", "agentic"] as const),
  );
  await world.instance(`${name}-instance`);
  const hosted = gitlab(`${name}-instance`, `${name}-home`);
  const home = await world.organization(hosted.provider_organization_id, { instance_id: hosted.instance_id });
  await world.member(hosted, "u-admin", { role: "cr_admin" });
  const instance = await world.key({
    kind: "instance",
    instanceId: `${name}-instance`,
    home,
    owner: "u-admin",
    role: "cr_admin",
  });
  return { ...fixture, hosted, home, keys: { ...keys, instance } };
}
