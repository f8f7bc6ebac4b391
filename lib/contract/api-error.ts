import { type ErrorCode, errorCodes } from "./errors.ts";
import { withoutKeys } from "./key-forms.ts";
import { requestLimits } from "./limits.ts";

export type Problem = { readonly code: ErrorCode; readonly message: string };

export type ApiErrorOptions = {
  /** Whole seconds a caller should wait; sent as Retry-After. */
  readonly retryAfterSeconds?: number;
  /** Further headers of the response (for example `Allow`). */
  readonly headers?: Readonly<Record<string, string>>;
  /** More problems of the same step; the plural error shape lists all of them. */
  readonly more?: readonly Problem[];
  /** Only logged, never sent. */
  readonly cause?: unknown;
};

/** An error response: a closed code and a public sentence for the caller, a cause for the log. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  readonly problems: readonly Problem[];
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(withoutKeys(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    // A message may name an id or a parameter of the caller.
    this.problems = [{ code, message }, ...(options.more ?? [])].map((problem) => ({
      code: problem.code,
      message: withoutKeys(problem.message),
    }));
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return errorCodes[this.code].status;
  }
}

/** The sentence of every 401: it does not say what is wrong with the key. */
export const unauthorized =
  "The API key is missing or not valid. Send a valid key in the x-service-api-key header.";

const mebibyte = 1024 * 1024;

/** `narrowing` says how to get a smaller answer. */
export const responseTooLarge = (narrowing = "Reduce limit, narrow the window or add filters."): ApiError =>
  new ApiError(
    "RESPONSE_TOO_LARGE",
    `The response would exceed ${requestLimits.responseBytesMax / mebibyte} MiB. ${narrowing}`,
  );
