import { organizationUuid } from "../../lib/contract/identity.ts";
import { categories, severities } from "../../lib/contract/records-metrics.ts";
import { changeOf, type FinalizedEvent } from "../../lib/metrics/finalize.ts";
import { pullRequestFinalized } from "../../lib/metrics/finalized.ts";
import { toTimestamp } from "../../lib/runtime/clock.ts";
import { type OrganizationItem, parseOrganization } from "../../lib/store/items/organization.ts";
import { organizationKey, streamHeadKey, type TenantKey } from "../../lib/store/layout.ts";
import type { Item, Table } from "../../lib/store/table.ts";
import { entryBody, entryPuts } from "../../lib/stream/entry.ts";
import { pointerIdOf } from "../../lib/stream/pointer.ts";
import { letterOf } from "../../lib/stream/stream.ts";
import { encodeWeeks, noteWeeks, type WeekSpan, weekOf } from "../../lib/stream/weeks.ts";

const commentsPerPullRequest = 8;
const dayMs = 86_400_000;

/** The measured week: Monday 2026-11-02 to Sunday. It holds the same pull requests in every history. */
export const measuredWeek = { start_date: "2026-11-02", end_date: "2026-11-08" };
export const twoWeeks = { start_date: "2026-10-26", end_date: "2026-11-08" };
export const tenYears = { start_date: "2016-11-01", end_date: "2026-11-30" };
const measuredWeekMs = Date.parse("2026-11-02T00:00:00.000Z");

export const organizationName = (index: number) => ({
  provider: "github" as const,
  instance_id: null,
  provider_organization_id: String(7_001_000 + index),
});

/** A typical pull request: eight findings, two MCP servers, ids and URLs as long as real ones. */
export function typicalEvent(organization: number, number: number, mergedAtMs: number): FinalizedEvent {
  const repository = number % 20;
  const pr_url = `https://github.com/acme-corp/billing-service-${repository}/pull/${10_000 + number}`;
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
  const before = (hours: number) => toTimestamp(mergedAtMs - hours * 3_600_000);
  const data = {
    ...organizationName(organization),
    repository_id: String(640_219_000 + repository),
    pr_url,
    author_id: String(21_400_000 + (number % 80)),
    author_username: `developer-${number % 80}`,
    created_at: before(52),
    ready_for_review_at: before(50),
    first_human_review_at: before(20),
    last_commit_at: before(2),
    merged_at: toTimestamp(mergedAtMs),
    closed_at: toTimestamp(mergedAtMs),
    status: "merged",
    reviewed: true,
    review_iterations: 1 + (number % 5),
    estimated_complexity: 1 + (number % 5),
    estimated_review_minutes: 5 + (number % 60),
    comments: Array.from({ length: commentsPerPullRequest }, (_, index) => ({
      // Comments of one review are posted in one go, among those of everybody else.
      url: `${pr_url}#discussion_r${2_100_000_000 + number * 7_919 + index * (3 + (number % 40))}`,
      severity: severities[(number + index) % severities.length],
      category: categories[(number * 3 + index) % categories.length],
      accepted: [true, false, null][(number + index) % 3],
    })),
    mcp_servers: [
      { name: "issue-tracker", tools: [{ name: "search_issues", calls: 1 + (number % 7), failures: 0 }] },
      { name: "documentation", tools: [{ name: "fetch_page", calls: 2, failures: number % 2 }] },
    ],
  };
  return { id, version: `${toTimestamp(mergedAtMs)}#${id}`, data: pullRequestFinalized.parse(data) };
}

/** The organization's canonical item, as far as the stream and the verbs look at it. */
export async function putOrganization(
  table: Table,
  tenant: TenantKey,
  index: number,
): Promise<OrganizationItem> {
  const name = organizationName(index);
  const uuid = organizationUuid(name);
  const organization = {
    ...organizationKey(uuid),
    uuid,
    ...name,
    name: `Organization ${index}`,
    tenant,
    workspace_id: tenant.startsWith("w#") ? tenant.slice(2) : null,
    plan: "enterprise",
    subscription_active: true,
    deployment: "cloud",
    active: true,
    metrics: "ready",
    seats_purchased: 100,
    seat_assignment_mode: "manual",
    approval_delay_days: 0,
    version: "2026-01-01T00:00:00.000Z#0",
    first_version: "2026-01-01T00:00:00.000Z#0",
  };
  await table.write({ put: organization });
  return parseOrganization(organization);
}

export type History = {
  readonly tenant: TenantKey;
  readonly organizations: number;
  readonly pullRequests: number;
  /** Of them, those of the measured week; the others are spread over the weeks before it. */
  readonly inMeasuredWeek: number;
  readonly weeksBefore: number;
  /** False: told in the order of their merge dates. True: a backfill in no order at all. */
  readonly shuffled: boolean;
};

/** Merge times in the order in which the events arrive; the measured week is told last, or anywhere. */
function* mergeTimes({ pullRequests, inMeasuredWeek, weeksBefore, shuffled }: History): Generator<number> {
  const older = pullRequests - inMeasuredWeek;
  const spanMs = weeksBefore * 7 * dayMs;
  // A step that shares no factor with the count visits every place once, far from the one before.
  const step = shuffled ? coprimeNear(pullRequests * 0.618, pullRequests) : 1;
  for (let index = 0; index < pullRequests; index++) {
    const place = (index * step) % pullRequests;
    yield place < older
      ? measuredWeekMs - spanMs + Math.floor((place / Math.max(older, 1)) * spanMs)
      : measuredWeekMs + Math.floor(((place - older) / Math.max(inMeasuredWeek, 1)) * 7 * dayMs);
  }
}

function coprimeNear(start: number, count: number): number {
  const divisor = (one: number, other: number): number => (other === 0 ? one : divisor(other, one % other));
  let step = Math.max(1, Math.floor(start));
  while (divisor(step, count) !== 1) step++;
  return step;
}

/**
 * Lays the review comments of a long history into the table as the stream would have left them: both copies
 * and the head, without the million transactions that it would have taken.
 */
export async function layHistory(table: Table, history: History): Promise<void> {
  const { tenant, organizations } = history;
  let spans: readonly WeekSpan[] = [];
  let placed: Array<{ week: number; number: number }> = [];
  let puts: Array<{ put: Item }> = [];
  const flush = async () => {
    spans = noteWeeks(spans, placed);
    placed = [];
    await table.writeMany(puts);
    puts = [];
  };
  let number = 0;
  for (const mergedAtMs of mergeTimes(history)) {
    number++;
    const { organization, pullRequest, datasets } = changeOf(
      typicalEvent(number % organizations, number, mergedAtMs),
    );
    const draft = datasets["review-comments"];
    if (!draft) throw new Error("A typical pull request has comments.");
    const week = weekOf(draft.atMs);
    const address = { tenant, organization, dataset: letterOf("review-comments"), week, number };
    placed.push({ week, number });
    for (const { put } of entryPuts(address, entryBody(pointerIdOf(pullRequest), draft, undefined)))
      puts.push({ put });
    if (puts.length >= 2_000) await flush();
  }
  await flush();
  await table.write({ put: { ...streamHeadKey(tenant), n: number + 1, p: number, w: encodeWeeks(spans) } });
}
