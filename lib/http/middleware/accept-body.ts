import { isUtf8 } from "node:buffer";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { ApiError } from "../../contract/api-error.ts";
import type { Operation } from "../../contract/operation.ts";
import { bytesMaxOf, bytesOf } from "../body.ts";
import { headerValues } from "../headers.ts";
import type { Authenticated } from "./authenticate-key.ts";
import type { Check } from "./middleware.ts";

/** Checks everything about a body that is not its JSON: middy's parser runs next. Only callers with a valid key get here. */
export function acceptBody(operation: Operation): Check<Authenticated> {
  return {
    before: function checkBody({ event }) {
      if (!event.body && operation.bodyOptional) {
        event.body = "{}";
        event.isBase64Encoded = false;
        return;
      }
      if (!event.body) throw new ApiError("INVALID_REQUEST", "body: is required and must be a JSON object.");
      requireJsonText(event, bytesMaxOf(operation));
    },
  };
}

/** Size, type and encoding of a body that must be JSON. */
export function requireJsonText(event: APIGatewayProxyEvent, bytesMax: number): void {
  const bytes = bytesOf(event);
  if (bytes > bytesMax)
    throw new ApiError(
      "PAYLOAD_TOO_LARGE",
      `The body has ${bytes} bytes; at most ${bytesMax} are taken. Send less at once.`,
    );
  // The parser's own check is off: it also takes `+json` types, and its 415 is in its own words.
  if (!isJsonType(headerValues(event, "content-type")))
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "The body must be sent as content-type: application/json.");
  // Decoding replaces bad bytes silently, so the service would store something that nobody sent.
  if (event.isBase64Encoded && !isUtf8(Buffer.from(event.body ?? "", "base64")))
    throw new ApiError("INVALID_REQUEST", "body: is not valid UTF-8.");
}

const isJsonType = ([type = "", ...others]: readonly string[]): boolean =>
  others.length === 0 && /^application\/json[ \t]*(?:;|$)/i.test(type.trim());
