import { AuthenticationError } from "../access/authenticate.ts";
import type { KeyRefusal } from "../contract/access.ts";
import type { ApiError } from "../contract/api-error.ts";
import { limiterMetrics, searchMetrics } from "../contract/telemetry.ts";
import type { Clock } from "../runtime/clock.ts";
import { describeError } from "../runtime/log.ts";
import { logRequest } from "./request-line.ts";
import type { RequestRecord } from "./request-record.ts";

/** The reasons of authentication that a list of keys shows too, in its words. */
const refusals: ReadonlyMap<string, KeyRefusal> = new Map([
  ["member inactive", "owner_left"],
  ["organization inactive", "organization_inactive"],
  ["workspace inactive", "organization_inactive"],
  ["instance inactive", "organization_inactive"],
]);

/** Writes the log line of an operation's request, with the caller, the cost and the reason of a failure. */
export function logOutcome(clock: Clock, record: RequestRecord, status: number, error?: ApiError): void {
  const { operation, principal, meter, limiterFailed, vectorSearches } = record;
  // A refused key has no principal, but people search the log for this key if it is real.
  const refused = error instanceof AuthenticationError ? error : undefined;
  const key = principal?.key ?? refused?.key;
  const refusedBecause = refused && refusals.get(refused.reason);
  const fields = {
    operation: operation.id,
    ...(limiterFailed && { limiter_failures: 1 }),
    ...(vectorSearches !== undefined && { vector_searches: vectorSearches }),
    ...(key && { key_id: key.id, key_kind: key.kind }),
    ...(refusedBecause && { refused_because: refusedBecause }),
    ...(principal && { tenant: principal.tenant }),
    round_trips: meter.sequentialRoundTrips,
    read_units: meter.readUnits,
    write_units: meter.writeUnits,
    ...(status >= 500 && { cause: describeError(error?.cause ?? error) }),
  };
  const metrics = [
    ...(limiterFailed ? [limiterMetrics] : []),
    ...(vectorSearches === undefined ? [] : [searchMetrics]),
  ];
  logRequest(clock, record, { status, error }, { fields, metrics });
}
