import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Admission } from "../access/rate-limiter.ts";
import { requestLimits } from "../contract/limits.ts";
import type { Chance } from "../runtime/chance.ts";

/** Every value of a header, whatever the letter case the caller wrote it in. */
export function headerValues(event: APIGatewayProxyEvent, name: string): string[] {
  const wanted = name.toLowerCase();
  return Object.entries(event.multiValueHeaders ?? {})
    .filter(([candidate]) => candidate.toLowerCase() === wanted)
    .flatMap(([, values]) => values ?? []);
}

const ownRequestId = new RegExp(`^[A-Za-z0-9_-]{1,${requestLimits.requestIdCharactersMax}}$`);

export function requestIdOf(event: APIGatewayProxyEvent, chance: Chance): string {
  const [own, ...others] = headerValues(event, "x-request-id");
  if (own !== undefined && others.length === 0 && ownRequestId.test(own)) return own;
  return event.requestContext?.requestId ?? chance.uuid();
}

/** On every answer, good or bad. */
export const baseHeaders = (requestId: string): Record<string, string> => ({
  "x-request-id": requestId,
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "strict-transport-security": "max-age=63072000; includeSubDomains",
});

export function rateLimitHeaders({ limit, remaining, resetSeconds }: Admission): Record<string, string> {
  return {
    "ratelimit-policy": `"${limit.bucket}";q=${limit.requestsMax};w=${limit.windowSeconds}`,
    ratelimit: `"${limit.bucket}";r=${remaining};t=${resetSeconds}`,
    "x-ratelimit-limit": String(limit.requestsMax),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(resetSeconds),
  };
}

/** Legacy keys still work on a few reads; every such answer says that they will not for ever. */
export const deprecationHeaders: Record<string, string> = {
  deprecation: "true",
  link: '</docs/errors/LEGACY_API_KEY>; rel="deprecation"; type="text/html"',
};
