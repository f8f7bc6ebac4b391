export type Problem = {
    readonly code: string;
    readonly message: string;
};
/** Represents both error shapes of the service. */
export declare class ReviewApiError extends Error {
    readonly name = "ReviewApiError";
    readonly status: number;
    /** The first problem's code. */
    readonly code: string;
    /** Every problem; Learnings endpoints may list several. */
    readonly problems: readonly Problem[];
    readonly requestId: string | null;
    readonly retryAfterSeconds: number | null;
    /** For a 413 caused by a single record: the cursor of the position after that record. */
    readonly nextCursor: string | null;
    private constructor();
    static from(response: Response): Promise<ReviewApiError>;
}
