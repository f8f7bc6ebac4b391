import { isUtf8 } from "node:buffer";
import httpJsonBodyParser from "@middy/http-json-body-parser";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { ApiError } from "../contract/api-error.ts";
import { requestLimits } from "../contract/limits.ts";
import type { Operation } from "../contract/operation.ts";
import { valueAt } from "../contract/problems.ts";
import { headerValues } from "./headers.ts";

/** The parsed body, or the sentence that says why there is none. */
export type JsonBody = { readonly value: unknown } | { readonly problem: string };

export type BodyReader = (event: APIGatewayProxyEvent, context: Context) => JsonBody;

/**
 * Reads bodies with middy's parser. Size and type have statuses of their own, so they are checked first and throw. A
 * body that is not JSON is one problem among those of path and query, so it is returned.
 */
export function createBodyReader(operation: Operation): BodyReader {
  // The content type is checked here: middy also takes `+json` types, and its 415 is in its own words.
  const parser = httpJsonBodyParser<APIGatewayProxyEvent>({ disableContentTypeCheck: true });
  return (event, context) => {
    const { body, isBase64Encoded } = event;
    if (!body && operation.bodyOptional) return { value: {} };
    if (!body) return { problem: "body: is required and must be a JSON object." };
    checkSize(operation, body, isBase64Encoded);
    checkContentType(event);
    // Decoding replaces bad bytes silently, so the service would store something that nobody sent.
    if (isBase64Encoded && !isUtf8(Buffer.from(body, "base64")))
      return { problem: "body: is not valid UTF-8." };
    try {
      // The parser replaces the text in the event with the parsed value.
      parser.before?.({ event, context, response: undefined, error: undefined, internal: {} });
      return { value: event.body };
    } catch (error) {
      // The parser refuses `__proto__` as a whole; the schema of the body names the field, or the item that has it.
      if (isForbiddenKey(error)) return { value: parseJson(body, isBase64Encoded) };
      return { problem: "body: is not valid JSON." };
    }
  };
}

function checkSize(
  { bodyBytesMax = requestLimits.bodyBytesMax }: Operation,
  body: string,
  isBase64Encoded: boolean,
): void {
  const bytes = Buffer.byteLength(body, isBase64Encoded ? "base64" : "utf8");
  if (bytes > bodyBytesMax) {
    throw new ApiError(
      "PAYLOAD_TOO_LARGE",
      `The body has ${bytes} bytes; at most ${bodyBytesMax} are taken. Send less at once.`,
    );
  }
}

function checkContentType(event: APIGatewayProxyEvent): void {
  const [contentType = "", ...others] = headerValues(event, "content-type");
  if (others.length > 0 || !/^application\/json[ \t]*(?:;|$)/i.test(contentType.trim())) {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "The body must be sent as content-type: application/json.");
  }
}

/** The parser's error for a key such as `__proto__`. Its error for broken JSON holds the body, so neither is logged. */
const isForbiddenKey = (error: unknown): boolean =>
  error instanceof Error && error.message === "Forbidden key in JSON body";

/** A field of the body, for steps that run before the body is validated; undefined if the field cannot be read. */
export const peekBody = ({ body, isBase64Encoded }: APIGatewayProxyEvent, field: string): unknown =>
  valueAt(body && parseJson(body, isBase64Encoded), [field]);

/** Returns undefined if the text is not valid JSON. */
function parseJson(body: string, isBase64Encoded: boolean): unknown {
  try {
    return JSON.parse(isBase64Encoded ? Buffer.from(body, "base64").toString() : body);
  } catch {
    return undefined;
  }
}
