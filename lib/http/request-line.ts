import type { ApiError } from "../contract/api-error.ts";
import type { MetricGroup } from "../contract/telemetry.ts";
import type { Clock } from "../runtime/clock.ts";
import { type LogFields, log } from "../runtime/log.ts";
import { embedMetrics } from "../runtime/metrics.ts";

export type OpenedRequest = { readonly requestId: string; readonly startedAtMs: number };
export type AnsweredRequest = { readonly status: number; readonly error?: ApiError | undefined };

/** Further fields of the line, and which of its numbers are metrics. */
export type LogLineExtras = { readonly fields?: LogFields; readonly metrics?: readonly MetricGroup[] };

/**
 * Writes the one log line of a request, with its metrics. It never holds a key, a path, a query, a body or a Learning's
 * text: ids, counts and codes only. It is separate from `outcome.ts`, so that functions without an operation load
 * little code for it.
 */
export function logRequest(
  clock: Clock,
  { requestId, startedAtMs }: OpenedRequest,
  { status, error }: AnsweredRequest,
  { fields, metrics = [] }: LogLineExtras = {},
): void {
  log(status >= 500 ? "error" : "info", "request", {
    request_id: requestId,
    status,
    ...(error && { code: error.code }),
    ...fields,
    duration_ms: clock.nowMs() - startedAtMs,
    ...(metrics.length > 0 && embedMetrics(clock, metrics)),
  });
}
