/**
 * The metrics that functions write with their log lines, in CloudWatch's embedded format. A metric is a field of the
 * line. No metric has a dimension: CloudWatch charges for every value of it. Requests by operation come from Lambda's own
 * metrics; errors by code and units by operation come from queries of the log.
 */
export type MetricUnit = "Count" | "Seconds";

export type MetricGroup = { readonly metrics: Readonly<Record<string, MetricUnit>> };

const group = <const Group extends MetricGroup>(entry: Group): Group => entry;

/** Requests whose rate limit could not be checked. */
export const limiterMetrics = group({ metrics: { limiter_failures: "Count" } });

/** Outcomes of platform events. `events_returned` are delivered again. */
export const eventMetrics = group({
  metrics: {
    events_applied: "Count",
    events_waiting: "Count",
    events_dead: "Count",
    events_returned: "Count",
  },
});

/** Rings, rings that a later run sends, and webhooks that a run had no time to read. */
export const webhookMetrics = group({
  metrics: {
    rings_delivered: "Count",
    rings_failed: "Count",
    rings_postponed: "Count",
    webhooks_unread: "Count",
  },
});

/** Searches of the vector index, by the reviewer and by callers of the API. */
export const searchMetrics = group({ metrics: { vector_searches: "Count" } });

/** Searches of the reviewer that were refused, because the request was not a valid search. */
export const refusedSearchMetrics = group({ metrics: { refused_searches: "Count" } });

/** Learnings that are not indexed yet although their writer has ended, and since when. */
export const indexMetrics = group({
  metrics: { index_stale: "Count", index_lag_seconds: "Seconds", index_failures: "Count" },
});
