export type Problem = {
    readonly code: string;
    readonly message: string;
};
/** Both error shapes of the service as one class. */
export declare class ReviewApiError extends Error {
    readonly name = "ReviewApiError";
    readonly status: number;
    /** The first problem's code. */
    readonly code: string;
    /** Every problem; Learnings endpoints may list several. */
    readonly problems: readonly Problem[];
    readonly requestId: string | null;
    readonly retryAfterSeconds: number | null;
    /** Of a 413 over one record alone: the cursor of the place behind that record. */
    readonly nextCursor: string | null;
    private constructor();
    static from(response: Response): Promise<ReviewApiError>;
}
