import { ReviewApiError } from "./error.ts";

export type RetryOptions = {
  /** Maximum number of attempts, including the first; default 5. 1 disables retries. */
  readonly attemptsMax?: number;
  /**
   * If the service asks for a longer wait, the client does not retry: the error contains the wait. Default 120 seconds.
   */
  readonly retryAfterSecondsMax?: number;
  /** Codes of errors that the client does not retry. Default: none. */
  readonly finalCodes?: readonly string[];
};

const defaults = { attemptsMax: 5, retryAfterSecondsMax: 120 };
const brokenConnectionDelayMs = 250;

/**
 * Retries 429 and 503 after the time that the response states. A broken connection, and a 502 or 504 of a gateway, only if
 * that is safe: nobody knows whether the service did its work.
 */
export async function withRetries<Answer>(
  options: RetryOptions,
  attempt: () => Promise<Answer>,
  isIdempotent: boolean,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const { attemptsMax = defaults.attemptsMax, retryAfterSecondsMax = defaults.retryAfterSecondsMax } =
    options;
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ReviewApiError && options.finalCodes?.includes(error.code)) throw error;
      const delayMs = delayAfter(error, attempts, isIdempotent);
      if (delayMs === undefined || attempts >= attemptsMax || delayMs > retryAfterSecondsMax * 1000)
        throw error;
      await wait(delayMs, signal);
    }
  }
}

/** Undefined: a retry would not help. */
function delayAfter(error: unknown, attempts: number, isIdempotent: boolean): number | undefined {
  if (error instanceof ReviewApiError) {
    const passing = [429, 503, ...(isIdempotent ? [502, 504] : [])].includes(error.status);
    return passing ? (error.retryAfterSeconds ?? 1) * 1000 : undefined;
  }
  // fetch reports a broken connection as a TypeError, also in the middle of a body; any other error is a mistake in the
  // call.
  return isIdempotent && error instanceof TypeError
    ? brokenConnectionDelayMs * 2 ** (attempts - 1)
    : undefined;
}

const wait = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
