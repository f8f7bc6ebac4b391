export type RetryOptions = {
    /** Tries in all, the first included; 5 unless told. 1 never retries. */
    readonly attemptsMax?: number;
    /** A longer wait than this is left to the caller: the error carries it. 120 seconds unless told. */
    readonly retryAfterSecondsMax?: number;
};
/** 429 and 503 are tried again after as long as they say; a broken connection only where that is safe. */
export declare function withRetries<Answer>(options: RetryOptions, attempt: () => Promise<Answer>, repeatable: boolean, signal: AbortSignal | undefined): Promise<Answer>;
