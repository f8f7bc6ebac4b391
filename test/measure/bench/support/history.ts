import { organizationUuid } from "../../../../lib/contract/identity.ts";
import * as kinds from "../../../../lib/contract/items.ts";
import { categories, severities } from "../../../../lib/contract/records-metrics.ts";
import type { TenantKey } from "../../../../lib/contract/tenants.ts";
import { type FinalizedEvent, pullRequestChangeOf } from "../../../../lib/metrics/finalize.ts";
import { pullRequestFinalized } from "../../../../lib/metrics/finalized.ts";
import { toTimestamp } from "../../../../lib/runtime/clock.ts";
import type { Item } from "../../../../lib/store/table.ts";
import { emptyHead, type StreamHead } from "../../../../lib/stream/head.ts";
import { type ChangePlan, planChange } from "../../../../lib/stream/plan.ts";
import { pointerIdOf } from "../../../../lib/stream/pointer.ts";
import { buildAppend } from "../../../../lib/stream/transaction.ts";
import { encodeWeeks } from "../../../../lib/stream/weeks.ts";

const weekMs = 7 * 86_400_000;

/** The measured week: Monday 2026-11-02 to Sunday. It holds the same pull requests in every history. */
export const measuredWeek = { start_date: "2026-11-02", end_date: "2026-11-08" };
export const tenYears = { start_date: "2016-11-01", end_date: "2026-11-30" };
export const weeksInTenYears = 520;
const measuredWeekMs = Date.parse("2026-11-02T00:00:00.000Z");

export const windowQuery = ({ start_date, end_date }: typeof measuredWeek): string =>
  `start_date=${start_date}&end_date=${end_date}`;

export type EventOrganization = {
  readonly provider: string;
  readonly instance_id: string | null;
  readonly provider_organization_id: string;
};

export type History = {
  readonly tenant: TenantKey;
  /** The pull requests belong to these in turn. */
  readonly organizations: readonly EventOrganization[];
  readonly pullRequests: number;
  /** The number of pull requests in the measured week; the others are spread over the weeks before it. */
  readonly inMeasuredWeek: number;
  readonly weeksBefore: number;
  /** False: sent in the order of their merge dates. True: a backfill in random order. */
  readonly shuffled: boolean;
};

/** A pull request of realistic size, as the platform sends it: eight findings, two MCP servers, long URLs. */
export function finalizedEvent(organization: EventOrganization, number: number, mergedAtMs: number) {
  const repository = number % 20;
  const pr_url = `https://github.com/acme-corp/billing-service-${repository}/pull/${10_000 + number}`;
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
  const before = (hours: number) => toTimestamp(mergedAtMs - hours * 3_600_000);
  const data = {
    ...organization,
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
    comments: Array.from({ length: 8 }, (_, index) => ({
      // Comments of one review are posted together, among those of others.
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
  return { id, type: "pull_request.finalized", occurred_at: toTimestamp(mergedAtMs), data };
}

/** The same, as the worker has it after validation. */
function typicalEvent(organization: EventOrganization, number: number, mergedAtMs: number): FinalizedEvent {
  const { id, occurred_at, data } = finalizedEvent(organization, number, mergedAtMs);
  return { id, version: `${occurred_at}#${id}`, data: pullRequestFinalized.parse(data) };
}

/** In the order in which the platform sends them. */
export function* eventsOf(history: History): Generator<FinalizedEvent> {
  const { organizations } = history;
  let number = 0;
  for (const mergedAtMs of mergeTimes(history)) {
    const organization = organizations[number % organizations.length];
    if (!organization) throw new RangeError("A history belongs to somebody.");
    yield typicalEvent(organization, ++number, mergedAtMs);
  }
}

function* mergeTimes({ pullRequests, inMeasuredWeek, weeksBefore, shuffled }: History): Generator<number> {
  const older = pullRequests - inMeasuredWeek;
  const spanMs = weeksBefore * weekMs;
  // A step without a common factor with the count visits every position once, far from the one before.
  const step = shuffled ? coprimeNear(pullRequests * 0.618, pullRequests) : 1;
  for (let index = 0; index < pullRequests; index++) {
    const place = (index * step) % pullRequests;
    yield place < older
      ? measuredWeekMs - spanMs + Math.floor((place / Math.max(older, 1)) * spanMs)
      : measuredWeekMs + Math.floor(((place - older) / Math.max(inMeasuredWeek, 1)) * weekMs);
  }
}

function coprimeNear(start: number, count: number): number {
  const divisor = (one: number, other: number): number => (other === 0 ? one : divisor(other, one % other));
  let step = Math.max(1, Math.floor(start));
  while (divisor(step, count) !== 1) step++;
  return step;
}

const plansTogether = 1_000;

/**
 * The items that a history writes to the table, made by the writer's own code but without the million transactions that
 * it would take: entries, pointers and the settled head.
 */
export function* itemsOf(history: History): Generator<Item> {
  let head: StreamHead = emptyHead;
  let plans: ChangePlan[] = [];
  function* appended(): Generator<Item> {
    const { writes, after } = buildAppend(history.tenant, head, plans, 0);
    for (const write of writes) if ("put" in write) yield write.put;
    head = { ...after, published: after.next - 1, pending: undefined };
    plans = [];
  }
  for (const event of eventsOf(history)) {
    const change = pullRequestChangeOf(event);
    plans.push(planChange({ change, pointerId: pointerIdOf(change.pullRequest), tenant: history.tenant }));
    if (plans.length === plansTogether) yield* appended();
  }
  yield* appended();
  yield {
    ...kinds.streamHead.key({ tenant: history.tenant }),
    n: head.next,
    p: head.published,
    w: encodeWeeks(head.weeks),
  };
}

export const uuidOf = (organization: EventOrganization): string => organizationUuid(organization);
