import type { Fault } from "../contract/fault.ts";
import { errorMetrics, limiterMetrics, requestMetrics } from "../contract/telemetry.ts";
import type { Clock } from "../runtime/clock.ts";
import { describeError, log } from "../runtime/log.ts";
import { embedMetrics } from "../runtime/metrics.ts";
import type { Exchange } from "./exchange.ts";

/** The one line per request, and its metrics. Never a key, a body, a query or a Learning's text: ids, counts and codes only. */
export function logOutcome(clock: Clock, exchange: Exchange, status: number, fault?: Fault): void {
  const { operation, principal, meter, requestId, startedAtMs, limiterFailed } = exchange;
  log(status >= 500 ? "error" : "info", "request", {
    request_id: requestId,
    operation: operation.id,
    status,
    ...(fault && { code: fault.code, errors: 1 }),
    ...(limiterFailed && { limiter_failures: 1 }),
    ...(principal && { key_id: principal.key.id, key_kind: principal.key.kind, tenant: principal.tenant }),
    duration_ms: clock.nowMs() - startedAtMs,
    round_trips: meter.sequentialRoundTrips,
    read_units: meter.readUnits,
    write_units: meter.writeUnits,
    ...(status >= 500 && { cause: describeError(fault?.cause ?? fault) }),
    ...embedMetrics(clock, [
      requestMetrics,
      ...(fault ? [errorMetrics] : []),
      ...(limiterFailed ? [limiterMetrics] : []),
    ]),
  });
}
