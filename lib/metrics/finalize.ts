import { organizationUuid } from "../contract/identity.ts";
import { streamLimits } from "../contract/limits.ts";
import { required } from "../runtime/required.ts";
import { parseOrganization } from "../store/items/organization.ts";
import { finerOf, occurredAtMsOf } from "../store/items/version.ts";
import { organizationKey, type TenantKey } from "../store/layout.ts";
import type { Table } from "../store/table.ts";
import { appendBatch } from "../stream/append.ts";
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

/**
 * Writes pull requests to the streams of their tenants; returns the outcomes in the order of the events. Safe to
 * repeat: equal content moves nothing, and an interrupted append is published when the event comes again.
 */
export async function finalizePullRequests(
  deps: StreamDeps,
  events: readonly FinalizedEvent[],
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
    for (const [tenant, group] of await groupByTenant(deps.table, open)) {
      const applied = await appendBatch(deps, tenant, group);
      for (const [index, change] of group.entries())
        outcomes.set(change, required(applied[index], "outcome of the change"));
    }
  }
}

async function groupByTenant(
  table: Table,
  changes: readonly PullRequestChange[],
): Promise<Map<TenantKey, PullRequestChange[]>> {
  const items = await table.getMany(changes.map(({ organization }) => organizationKey(organization)));
  return Map.groupBy(
    changes,
    (_, index) => parseOrganization(required(items[index], "organization of the event")).tenant,
  );
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
