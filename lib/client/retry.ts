import { ReviewApiError } from "./error.ts";

export type RetryOptions = {
  /** Tries in all, the first included; 5 unless told. 1 never retries. */
  readonly attemptsMax?: number;
  /** A longer wait than this is left to the caller: the error carries it. 120 seconds unless told. */
  readonly retryAfterSecondsMax?: number;
};

const defaults = { attemptsMax: 5, retryAfterSecondsMax: 120 };
const brokenConnectionDelayMs = 250;

/** 429 and 503 are tried again after as long as they say; a broken connection only where that is safe. */
export async function withRetries<Answer>(
  options: RetryOptions,
  attempt: () => Promise<Answer>,
  repeatable: boolean,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const { attemptsMax = defaults.attemptsMax, retryAfterSecondsMax = defaults.retryAfterSecondsMax } =
    options;
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      const delayMs = delayAfter(error, attempts, repeatable);
      if (delayMs === undefined || attempts >= attemptsMax || delayMs > retryAfterSecondsMax * 1000)
        throw error;
      await wait(delayMs, signal);
    }
  }
}

/** Undefined: trying again would not help. */
function delayAfter(error: unknown, attempts: number, repeatable: boolean): number | undefined {
  if (error instanceof ReviewApiError) {
    const passing = error.status === 429 || error.status === 503;
    return passing ? (error.retryAfterSeconds ?? 1) * 1000 : undefined;
  }
  // fetch reports a broken connection as a TypeError, also in the middle of a body; anything else is a mistake in the call.
  return repeatable && error instanceof TypeError ? brokenConnectionDelayMs * 2 ** (attempts - 1) : undefined;
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
