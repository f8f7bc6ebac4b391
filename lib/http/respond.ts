import { Readable } from "node:stream";
import type { APIGatewayProxyResult } from "aws-lambda";
import { RateLimitExceeded } from "../access/rate-limiter.ts";
import { ApiError, responseTooLarge } from "../contract/api-error.ts";
import type { ErrorCode } from "../contract/errors.ts";
import { requestLimits } from "../contract/limits.ts";
import { lambdaLimits } from "../contract/platform.ts";
import { compress, compressed, preferredCoding } from "./compression.ts";
import { corsHeaders } from "./cors.ts";
import { renderError, toApiError } from "./errors.ts";
import { baseHeaders, deprecationHeaders, headerValues, helpHeader, rateLimitHeaders } from "./headers.ts";
import { type OperationResult, type Rendered, renderResult } from "./operation-result.ts";
import type { RequestRecord } from "./request-record.ts";

export type StreamedResult = Omit<APIGatewayProxyResult, "body"> & { body: Readable };
export type HandlerResult = APIGatewayProxyResult | StreamedResult;

export async function succeed(record: RequestRecord, result: OperationResult): Promise<HandlerResult> {
  const rendered = renderResult(record.operation.answer.status, result);
  if (rendered.body.length > requestLimits.responseBytesMax)
    throw responseTooLarge(record.operation.narrowing);
  const finished = await finish(record, rendered);
  if (!fitsLambda(finished)) throw tooLargeAtOnce(record.operation.narrowing);
  return finished;
}

const tooLargeAtOnce = (narrowing = "Reduce limit or add filters."): ApiError =>
  new ApiError("RESPONSE_TOO_LARGE", `The response is too large to be sent at once. ${narrowing}`);

/** JSON turns one byte into six at most, so most answers need no exact count. Streams have no such limit. */
function fitsLambda(result: HandlerResult): boolean {
  if (typeof result.body !== "string" || result.body.length * 6 <= lambdaLimits.answerBytesMax) return true;
  return Buffer.byteLength(JSON.stringify(result)) <= lambdaLimits.answerBytesMax;
}

export async function fail(
  record: RequestRecord,
  error: unknown,
): Promise<{ result: HandlerResult; apiError: ApiError }> {
  const apiError = toApiError(error, record.requestId);
  if (apiError instanceof RateLimitExceeded) record.admission = apiError.admission;
  const rendered = renderError(apiError, record.operation.path);
  return { apiError, result: await finish(record, rendered, apiError.code) };
}

/** The only place where answers get their headers, their coding and their transport form. */
async function finish(
  record: RequestRecord,
  { status, headers, body }: Rendered,
  problem?: ErrorCode,
): Promise<HandlerResult> {
  const { operation, principal, admission, requestId, event } = record;
  const all: Record<string, string> = {
    ...baseHeaders(requestId),
    ...corsHeaders(event),
    ...(admission && rateLimitHeaders(admission)),
    ...(principal?.key.kind === "legacy" && deprecationHeaders(event)),
    ...headers,
  };
  if (problem) {
    const { link } = helpHeader(event, problem);
    all.link = all.link ? `${all.link}, ${link}` : String(link);
  }
  const worthwhile = body.length > requestLimits.compressAboveBytes;
  const coding = worthwhile ? preferredCoding(headerValues(event, "accept-encoding").join(",")) : undefined;
  if (worthwhile) all.vary = all.vary ? `${all.vary}, accept-encoding` : "accept-encoding";
  if (coding) all["content-encoding"] = coding;
  // middy splits strings every 16,384 units, also inside a character. It does not change a stream of bytes.
  if (operation.streaming) {
    const sent = coding ? compressed(coding, body) : Readable.from([body], { objectMode: false });
    return { statusCode: status, headers: all, body: sent };
  }
  if (!coding) return { statusCode: status, headers: all, body: body.toString() };
  const base64 = (await compress(coding, body)).toString("base64");
  return { statusCode: status, headers: all, body: base64, isBase64Encoded: true };
}
