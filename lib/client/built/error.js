/** Both error shapes of the service as one class. */
export class ReviewApiError extends Error {
    name = "ReviewApiError";
    status;
    /** The first problem's code. */
    code;
    /** Every problem; Learnings endpoints may list several. */
    problems;
    requestId;
    retryAfterSeconds;
    /** Of a 413 over one record alone: the cursor of the place behind that record. */
    nextCursor;
    constructor(response, problems) {
        const [first = { code: "UNKNOWN", message: `The service answered ${response.status}.` }] = problems;
        super(first.message);
        this.status = response.status;
        this.code = first.code;
        this.problems = problems;
        this.requestId = response.headers.get("x-request-id");
        this.retryAfterSeconds = retryAfterSecondsOf(response.headers);
        this.nextCursor = response.headers.get("x-next-cursor");
    }
    static async from(response) {
        // The status has said it all: a body that breaks off makes no other error of it.
        const text = await response.text().catch(() => "");
        return new ReviewApiError(response, problemsIn(text));
    }
}
/** The service sends seconds; what stands in front of it may send a date, to be read by the sender's own clock. */
function retryAfterSecondsOf(headers) {
    const text = headers.get("retry-after");
    if (text === null)
        return null;
    if (/^\d+$/.test(text))
        return Number(text);
    const nowMs = Date.parse(headers.get("date") ?? "") || performance.timeOrigin + performance.now();
    const seconds = Math.ceil((Date.parse(text) - nowMs) / 1000);
    return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
/** What a proxy on the way answers may be anything: then there are no problems to list. */
function problemsIn(text) {
    try {
        const body = JSON.parse(text);
        if (typeof body !== "object" || body === null)
            return [];
        const found = "errors" in body && Array.isArray(body.errors) ? body.errors : "error" in body ? [body.error] : [];
        return found.filter(isProblem);
    }
    catch {
        return [];
    }
}
const isProblem = (value) => typeof value === "object" &&
    value !== null &&
    "code" in value &&
    "message" in value &&
    typeof value.code === "string" &&
    typeof value.message === "string";
