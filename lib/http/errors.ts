import { ApiError } from "../contract/api-error.ts";
import { type ErrorCode, errorCodes } from "../contract/errors.ts";
import { requestLimits } from "../contract/limits.ts";
import { errorShapeOf } from "../contract/operation.ts";
import { valueAt } from "../contract/schema-sentences.ts";
import { StoreUnavailable } from "../store/table.ts";
import { type Rendered, renderResult } from "./operation-result.ts";

/** Converts anything that was thrown into the error that the caller may see. */
export function toApiError(error: unknown, requestId: string): ApiError {
  if (error instanceof ApiError) return error;
  const problem = bodyProblem(error);
  if (problem) return new ApiError("INVALID_REQUEST", problem);
  const isTimeout = error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError");
  if (error instanceof StoreUnavailable || isTimeout) {
    return new ApiError(
      "SERVICE_UNAVAILABLE",
      "The service cannot respond in time right now. Retry the same request.",
      {
        retryAfterSeconds: requestLimits.retryAfterSeconds,
        cause: error,
      },
    );
  }
  const message = `Internal error. Retry; if it persists, report request ${requestId}.`;
  return new ApiError("INTERNAL_ERROR", message, { cause: error });
}

/**
 * The problem that middy's parser found in a body. `cause.data` holds the name of a forbidden key such as `__proto__`; for
 * text that is not JSON it holds the body, so the parser's error is never logged.
 */
function bodyProblem(error: unknown): string | undefined {
  if (!(error instanceof Error) || valueAt(error.cause, ["package"]) !== jsonParser) return undefined;
  return error.message === "Forbidden key in JSON body"
    ? `${valueAt(error.cause, ["data"])}: is not allowed as a key in the body.`
    : "body: is not valid JSON.";
}

const jsonParser = "@middy/http-json-body-parser";

/** The only renderer of errors. The path decides the shape of the body. */
export function renderError(error: ApiError, path: string): Rendered {
  const json = errorShapeOf(path) === "errors" ? { errors: error.problems } : { error: asOne(error) };
  const retry = retryAfter(error.code, error.retryAfterSeconds);
  return renderResult(error.status, { json, headers: { ...error.headers, ...retry } });
}

function asOne({ code, problems }: ApiError) {
  const alike = problems.filter((problem) => problem.code === code);
  return { code, message: alike.map(({ message }) => message).join(" ") };
}

/** 429 and 503 always say how long to wait. */
function retryAfter(code: ErrorCode, seconds: number | undefined): Record<string, string> {
  const { status } = errorCodes[code];
  if (status !== 429 && status !== 503) return {};
  return { "retry-after": String(Math.max(1, Math.ceil(seconds ?? requestLimits.retryAfterSeconds))) };
}
