import { systemClock } from "./clock.ts";
import { beginInvocation } from "./invocation.ts";
import { describeError, log } from "./log.ts";

export class WorkerFailed extends Error {
  override readonly name = "WorkerFailed";
}

/**
 * The handler of a Lambda function without a request. An error that ends it is logged by names and messages: Lambda
 * itself would print every field of the error, and some errors hold items.
 */
export function worker<Arguments extends readonly unknown[], Answer>(
  name: string,
  work: (...given: Arguments) => Promise<Answer>,
): (...given: Arguments) => Promise<Answer> {
  return async (...given) => {
    const startedMs = systemClock.nowMs();
    // Lambda passes its context as the second argument.
    beginInvocation(given[1]);
    try {
      return await work(...given);
    } catch (error) {
      log("error", "worker failed", {
        worker: name,
        duration_ms: systemClock.nowMs() - startedMs,
        cause: describeError(error),
      });
      throw new WorkerFailed(`${name} failed; the log line before says why.`);
    }
  };
}
