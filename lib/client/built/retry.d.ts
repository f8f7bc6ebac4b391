export type RetryOptions = {
    /** Maximum number of attempts, including the first; default 5. 1 disables retries. */
    readonly attemptsMax?: number;
    /**
     * If the service asks for a longer wait, the client does not retry: the error contains the wait. Default 120 seconds.
     */
    readonly retryAfterSecondsMax?: number;
};
/** Retries 429 and 503 after the time that the response states, and a broken connection only if that is safe. */
export declare function withRetries<Answer>(options: RetryOptions, attempt: () => Promise<Answer>, isIdempotent: boolean, signal: AbortSignal | undefined): Promise<Answer>;
