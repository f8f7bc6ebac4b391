import type { ReportCaller } from "../client/caller.ts";
import { msPerDay } from "../contract/days.ts";
import type { CommentsRecord, ReviewRecord } from "../contract/records-metrics.ts";
import { bodiesOf, type ListAnswer, type ListQuery, type OrganizationFilter } from "./metrics-filters.ts";
import { addDays, clockIn, dayIn, daysOf, type Period, periodBefore, utc } from "./period.ts";
import { createCollector, type PullRequest } from "./pull-request.ts";
import type { PeriodBefore } from "./report.ts";

/** The filters of a report; all except the period are the API's own filters. */
export type ReportQuery = Period & OrganizationFilter & { readonly repository_ids?: string };

export type ReportReadOptions = {
  /** The API's maximum page size. */
  readonly pageSizeMax: number;
  /** Read one after another: see `metricsFilters`. */
  readonly filters?: readonly OrganizationFilter[];
  /** The time zone of the period's days; UTC by default. */
  readonly timeZone?: string;
  readonly signal?: AbortSignal;
  /** The number of records read so far, of both datasets, and how many of them are reviews. */
  onProgress?(records: number, reviews: number): void;
  /** Leaves out pull requests that a filter of the report excludes, which the API does not have. */
  isWanted?(pullRequest: PullRequest): boolean;
  /** If set, reviewed pull requests that were closed without a merge are read too, and passed only to this function. */
  onClosed?(record: ReviewRecord): void;
};

/** Every merged, reviewed pull request of the period, with its findings. */
export async function readPullRequests(
  client: ReportCaller,
  query: ReportQuery,
  options: ReportReadOptions,
): Promise<PullRequest[]> {
  const { pageSizeMax, timeZone = utc, signal, onProgress, isWanted = () => true, onClosed } = options;
  const collector = createCollector(dayIn(timeZone));
  const { start_date, end_date } = query;
  // The API's days are those of UTC: a day of another zone lies in two of them.
  const days =
    timeZone === utc ? {} : { start_date: addDays(start_date, -1), end_date: addDays(end_date, 1) };
  const call = signal ? { signal } : {};
  const status = onClosed ? { status: "all" as const } : {};
  let records = 0;
  let reviews = 0;
  const each = async <Record>(
    ask: (place: ListQuery) => Promise<ListAnswer<Record>>,
    add: (records: readonly Record[]) => void,
  ) => {
    for await (const { data } of bodiesOf(ask, options.filters ?? [{}], pageSizeMax)) {
      add(data);
      records += data.length;
      onProgress?.(records, reviews);
    }
  };
  await each<ReviewRecord>(
    (place) => client.listReviewMetrics({ query: { ...query, ...days, ...status, ...place } }, call),
    (page) => {
      reviews += page.length;
      collector.addReviews(page);
      for (const record of page) if (record.merged_at === null) onClosed?.(record);
    },
  );
  await each<CommentsRecord>(
    (place) => client.listReviewCommentMetrics({ query: { ...query, ...days, ...place } }, call),
    collector.addComments,
  );
  return collector
    .pullRequests()
    .filter(({ mergedOn }) => mergedOn >= start_date && mergedOn <= end_date)
    .filter(isWanted);
}

export type PullRequestsAndBefore = {
  readonly pullRequests: readonly PullRequest[];
  readonly before: PeriodBefore;
};

/** The pull requests of the period and of the period before, in one walk. */
export async function readWithBefore(
  client: ReportCaller,
  query: ReportQuery,
  options: ReportReadOptions & { readonly nowMs: number },
): Promise<PullRequestsAndBefore> {
  const before = periodBefore(query);
  const read = await readPullRequests(client, { ...query, start_date: before.start_date }, options);
  return {
    pullRequests: read.filter(({ mergedOn }) => mergedOn >= query.start_date),
    before: comparableBefore(
      read.filter(({ mergedOn }) => mergedOn < query.start_date),
      query,
      options,
    ),
  };
}

/**
 * While the period is under way, the period before counts up to the same time of its own: otherwise every figure of the
 * morning would look like a decline. A month before that is shorter counts whole after its last day.
 */
export function comparableBefore(
  pullRequests: readonly PullRequest[],
  period: Period,
  { nowMs, timeZone = utc }: { readonly nowMs: number; readonly timeZone?: string },
): PeriodBefore {
  const { start_date, end_date } = periodBefore(period);
  const days = { start_date, end_date };
  const dayOf = dayIn(timeZone);
  // The period begins where the period before ends, so the length of the latter lies between equal days of the two.
  const beforeMs = daysOf(days) * msPerDay;
  const clock = clockIn(timeZone);
  // The same time by the clock: a day on which clocks change has 23 or 25 hours.
  const endsAtMs = nowMs - beforeMs + clock(nowMs) - beforeMs - clock(nowMs - beforeMs);
  const isWhole = period.end_date < dayOf(nowMs) || end_date < dayOf(endsAtMs);
  if (isWhole) return { period: days, endsAtMs: null, pullRequests };
  return {
    period: days,
    endsAtMs,
    pullRequests: pullRequests.filter(({ mergedAtMs }) => mergedAtMs <= endsAtMs),
  };
}
