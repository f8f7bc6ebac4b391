import { systemClock } from "./clock.ts";
import { describeError, log } from "./log.ts";

export class WorkerFailed extends Error {
  override readonly name = "WorkerFailed";
}

/**
 * The handler of a Lambda without a request. What ends it is logged by names and messages: Lambda itself would
 * print every field of the error, and some errors carry items.
 */
export function worker<Arguments extends readonly unknown[], Answer>(
  name: string,
  work: (...given: Arguments) => Promise<Answer>,
): (...given: Arguments) => Promise<Answer> {
  return async (...given) => {
    const startedMs = systemClock.nowMs();
    try {
      return await work(...given);
    } catch (error) {
      log("error", "worker failed", {
        worker: name,
        ...requestIdIn(given[1]),
        duration_ms: systemClock.nowMs() - startedMs,
        cause: describeError(error),
      });
      throw new WorkerFailed(`${name} failed; the log line before says why.`);
    }
  };
}

/** Lambda's context comes second; the id is the one that Lambda's own lines of the run carry. */
const requestIdIn = (context: unknown): { readonly request_id?: string } =>
  typeof context === "object" && context !== null && "awsRequestId" in context
    ? { request_id: String(context.awsRequestId) }
    : {};
