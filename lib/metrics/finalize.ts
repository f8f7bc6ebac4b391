import { organizationUuid } from "../contract/identity.ts";
import * as kinds from "../contract/items.ts";
import { cacheLimits, streamLimits } from "../contract/limits.ts";
import type { TenantKey } from "../contract/tenants.ts";
import { required } from "../runtime/required.ts";
import { parseOrganization } from "../store/items/organization.ts";
import { finerOf, occurredAtMsOf } from "../store/items/version.ts";
import { getUnlessAhead, type ReadAhead } from "../store/read-ahead.ts";
import type { Key } from "../store/table.ts";
import { appendBatch, keysToAppend } from "../stream/append.ts";
import { type AppendOutcome, type PullRequestChange, StreamBusy, type StreamDeps } from "../stream/stream.ts";
import { finalizedAtMs, type PullRequestFinalized } from "./finalized.ts";
import { callsOf, draftMcp } from "./mcp.ts";
import { draftReviewComments } from "./review-comments.ts";
import { draftReview } from "./reviews.ts";

export type FinalizedEvent = {
  readonly id: string;
  /** `occurred_at#event id` */
  readonly version: string;
  readonly data: PullRequestFinalized;
};

/** The tenants that the worker last found, by organization. */
export type KnownTenants = Map<string, TenantKey>;

export type FinalizeDeps = StreamDeps & {
  /** Only to read ahead: the append checks the tenant. */
  readonly knownTenants?: KnownTenants;
};

/** What `finalizePullRequests` reads first. The head of a tenant is left out if the worker does not know the tenant yet. */
export function keysToFinalize(
  { knownTenants }: FinalizeDeps,
  pullRequests: readonly PullRequestFinalized[],
): Key[] {
  return pullRequests.flatMap((data) => {
    const organization = organizationUuid(data);
    const tenant = knownTenants?.get(organization);
    const change = { organization, pullRequest: data.pr_url };
    return [kinds.organization.key({ organization }), ...(tenant ? keysToAppend(tenant, [change]) : [])];
  });
}

/** In the order of the events. Safe to repeat: equal content moves nothing, and an interrupted append is published. */
export async function finalizePullRequests(
  deps: FinalizeDeps,
  events: readonly FinalizedEvent[],
  ahead?: ReadAhead,
): Promise<AppendOutcome[]> {
  const outcomes = new Map(
    events.map((event): [PullRequestChange, AppendOutcome] => [pullRequestChangeOf(event), "elsewhere"]),
  );
  for (let attempt = 0; ; attempt++) {
    // "elsewhere": the organization moved after its tenant was looked up, so it is looked up again.
    const open = [...outcomes.keys()].filter((change) => outcomes.get(change) === "elsewhere");
    if (open.length === 0) return [...outcomes.values()];
    if (attempt >= streamLimits.attemptsMax)
      throw new StreamBusy("The organization kept changing its tenant.");
    const early = attempt === 0 ? ahead : undefined;
    for (const [tenant, group] of await groupByTenant(deps, open, early)) {
      const applied = await appendBatch(deps, tenant, group, early);
      for (const [index, change] of group.entries())
        outcomes.set(change, required(applied[index], "outcome"));
    }
  }
}

async function groupByTenant(
  { table, knownTenants }: FinalizeDeps,
  changes: readonly PullRequestChange[],
  ahead: ReadAhead | undefined,
): Promise<Map<TenantKey, PullRequestChange[]>> {
  const organizations = [...new Set(changes.map(({ organization }) => organization))];
  const keys = organizations.map((organization) => kinds.organization.key({ organization }));
  // Its repository may have been read just after both were created, and the organization just before.
  const isCreated = keys.every((key) => ahead?.get(key));
  const items = await getUnlessAhead(table, keys, isCreated ? ahead : undefined);
  const tenants = new Map(
    organizations.map((organization, index) => [
      organization,
      parseOrganization(required(items[index], "organization")).tenant,
    ]),
  );
  if (knownTenants) remember(knownTenants, tenants);
  return Map.groupBy(changes, ({ organization }) => required(tenants.get(organization), "tenant"));
}

/** Forgets the oldest ones. */
function remember(known: KnownTenants, found: ReadonlyMap<string, TenantKey>): void {
  for (const [organization, tenant] of found) {
    known.set(organization, tenant);
    if (known.size > cacheLimits.tenantsMax) known.delete(known.keys().next().value ?? "");
  }
}

export const pullRequestChangeOf = ({ id, version, data }: FinalizedEvent): PullRequestChange => ({
  organization: organizationUuid(data),
  pullRequest: data.pr_url,
  occurredAtMs: occurredAtMsOf(version),
  occurredAtFiner: finerOf(version),
  eventId: id,
  datasets: data.reviewed ? draftsOf(data) : {},
});

/** Merged pull requests feed all three datasets, as far as they have data; closed ones only `reviews`. */
function draftsOf(data: PullRequestFinalized): PullRequestChange["datasets"] {
  const atMs = finalizedAtMs(data);
  const { comments, mcp_servers: servers } = data;
  const common = {
    prUrl: data.pr_url,
    organizationId: data.provider_organization_id,
    provider: data.provider,
    repositoryId: data.repository_id,
    authorId: data.author_id,
  };
  const reviews = draftReview({
    ...common,
    authorUsername: data.author_username,
    authorType: data.author_type,
    status: data.status,
    atMs,
    createdAtMs: data.created_at,
    readyForReviewAtMs: data.ready_for_review_at,
    firstHumanReviewAtMs: data.first_human_review_at,
    lastCommitAtMs: data.last_commit_at,
    closedAtMs: data.closed_at,
    reviewIterations: data.review_iterations,
    estimatedComplexity: data.estimated_complexity,
    estimatedReviewMinutes: data.estimated_review_minutes,
    comments,
  });
  if (data.status === "closed") return { reviews };
  const merged = { ...common, mergedAtMs: atMs };
  return {
    reviews,
    "review-comments": comments.length > 0 ? draftReviewComments({ ...merged, comments }) : undefined,
    mcp: servers.some((server) => callsOf(server) > 0) ? draftMcp({ ...merged, servers }) : undefined,
  };
}
