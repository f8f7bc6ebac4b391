import { ReviewApiError } from "./error.js";
const defaults = { attemptsMax: 5, retryAfterSecondsMax: 120 };
const brokenConnectionDelayMs = 250;
/** Retries 429 and 503 after the time that the response states, and a broken connection only if that is safe. */
export async function withRetries(options, attempt, isIdempotent, signal) {
    const { attemptsMax = defaults.attemptsMax, retryAfterSecondsMax = defaults.retryAfterSecondsMax } = options;
    for (let attempts = 1;; attempts++) {
        try {
            return await attempt();
        }
        catch (error) {
            signal?.throwIfAborted();
            const delayMs = delayAfter(error, attempts, isIdempotent);
            if (delayMs === undefined || attempts >= attemptsMax || delayMs > retryAfterSecondsMax * 1000)
                throw error;
            await wait(delayMs, signal);
        }
    }
}
/** Undefined: a retry would not help. */
function delayAfter(error, attempts, isIdempotent) {
    if (error instanceof ReviewApiError) {
        const passing = error.status === 429 || error.status === 503;
        return passing ? (error.retryAfterSeconds ?? 1) * 1000 : undefined;
    }
    // fetch reports a broken connection as a TypeError, also in the middle of a body; any other error is a mistake in the
    // call.
    return isIdempotent && error instanceof TypeError
        ? brokenConnectionDelayMs * 2 ** (attempts - 1)
        : undefined;
}
const wait = (ms, signal) => new Promise((resolve, reject) => {
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
