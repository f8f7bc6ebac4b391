/**
 * The metrics that functions write with their log lines, in CloudWatch's embedded format. A metric is a field of the
 * line. Every dimension has a closed list of values (operations, error codes): never a tenant, a key or a path, because
 * their number is unlimited and each value costs money.
 */
export type MetricUnit = "Count" | "Milliseconds" | "Seconds";

export type MetricGroup = {
  /** The field whose value separates the metrics of the group; absent if there is one of each. */
  readonly dimension?: "operation" | "code";
  readonly metrics: Readonly<Record<string, MetricUnit>>;
};

const group = <const Group extends MetricGroup>(entry: Group): Group => entry;

/** Every request of an operation. The number of requests is the sample count of `duration_ms`. */
export const requestMetrics = group({
  dimension: "operation",
  metrics: { duration_ms: "Milliseconds", read_units: "Count", write_units: "Count" },
});

/** Requests that were answered with an error. */
export const errorMetrics = group({ dimension: "code", metrics: { errors: "Count" } });

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

/** Searches of the vector index by the reviewer. */
export const searchMetrics = group({ metrics: { vector_searches: "Count" } });

/** Learnings that are not indexed yet although their writer has ended, and since when. */
export const indexMetrics = group({
  metrics: { index_stale: "Count", index_lag_seconds: "Seconds", index_failures: "Count" },
});
