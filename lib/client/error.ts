export type Problem = { readonly code: string; readonly message: string };

/** The call cannot be sent as it is. The message repeats no key and no password. */
export class UnsendableCall extends Error {
  override readonly name = "UnsendableCall";
}

/** Represents both error shapes of the service. */
export class ReviewApiError extends Error {
  override readonly name = "ReviewApiError";
  readonly status: number;
  /** The first problem's code. */
  readonly code: string;
  /** Every problem; Learnings endpoints may list several. */
  readonly problems: readonly Problem[];
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  /** For a 413 caused by a single record: the cursor of the position after that record. */
  readonly nextCursor: string | null;

  private constructor(response: Response, problems: readonly Problem[]) {
    const [first = { code: "UNKNOWN", message: `The service responded with ${response.status}.` }] = problems;
    super(first.message);
    this.status = response.status;
    this.code = first.code;
    this.problems = problems;
    this.requestId = response.headers.get("x-request-id");
    this.retryAfterSeconds = retryAfterSecondsOf(response.headers);
    this.nextCursor = response.headers.get("x-next-cursor");
  }

  static async from(response: Response): Promise<ReviewApiError> {
    // The status is sufficient: an interrupted body must not cause a different error.
    const text = await response.text().catch(() => "");
    return new ReviewApiError(response, problemsIn(text));
  }
}

/** The service sends seconds; a proxy in front of it may send a date, which is relative to the sender's own clock. */
function retryAfterSecondsOf(headers: Headers): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  if (/^\d+$/.test(text)) return Number(text);
  const nowMs = Date.parse(headers.get("date") ?? "") || performance.timeOrigin + performance.now();
  const seconds = Math.ceil((Date.parse(text) - nowMs) / 1000);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

/** The response of a proxy can be anything: then there are no problems to list. */
function problemsIn(text: string): Problem[] {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== "object" || body === null) return [];
    const found =
      "errors" in body && Array.isArray(body.errors) ? body.errors : "error" in body ? [body.error] : [];
    return found.filter(isProblem);
  } catch {
    return [];
  }
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === "object" &&
  value !== null &&
  "code" in value &&
  "message" in value &&
  typeof value.code === "string" &&
  typeof value.message === "string";
