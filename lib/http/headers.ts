import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Admission } from "../access/rate-limiter.ts";
import { type ErrorCode, errorPagePath } from "../contract/errors.ts";
import { holdsKey } from "../contract/key-forms.ts";
import { requestLimits } from "../contract/limits.ts";
import { mcpUserAgent } from "../contract/mcp.ts";
import { optionalVariable } from "../runtime/environment.ts";
import type { Random } from "../runtime/random.ts";

/** Every value of a header. The letter case of the header's name does not matter. */
export function headerValues({ multiValueHeaders }: APIGatewayProxyEvent, name: string): string[] {
  const wanted = name.toLowerCase();
  const found: string[] = [];
  for (const candidate in multiValueHeaders) {
    const values = multiValueHeaders[candidate];
    // Compares the lengths first: most names differ there, and each request searches all headers several times.
    if (values && candidate.length === wanted.length && candidate.toLowerCase() === wanted)
      found.push(...values);
  }
  return found;
}

/** The headers that may carry the key. A deployment may accept further ones. */
export const keyHeaderNames = (): string[] =>
  ["x-service-api-key", ...(optionalVariable("KEY_HEADER_NAMES")?.split(",") ?? [])].map((name) =>
    name.trim(),
  );

/** What all these headers hold. */
export const keyHeaderValues = (event: APIGatewayProxyEvent): string[] =>
  keyHeaderNames().flatMap((name) => headerValues(event, name));

/** The key's text; undefined if the header is absent, empty or sent twice. */
export function keyTextOf(event: APIGatewayProxyEvent): string | undefined {
  const values = keyHeaderValues(event);
  return values.length === 1 ? values[0] || undefined : undefined;
}

/** The same, or as a bearer token, which is all that many MCP clients can send; undefined if both are sent. */
export function keyOrBearerOf(event: APIGatewayProxyEvent): string | undefined {
  const authorizations = headerValues(event, "authorization");
  if (authorizations.length === 0) return keyTextOf(event);
  const [, bearer] = /^Bearer +(\S+)$/i.exec(authorizations[0] ?? "") ?? [];
  return authorizations.length === 1 && keyHeaderValues(event).length === 0 ? bearer : undefined;
}

const ownRequestId = new RegExp(`^[A-Za-z0-9_-]{1,${requestLimits.requestIdCharactersMax}}$`);

export function requestIdOf(event: APIGatewayProxyEvent, random: Random): string {
  const [own, ...others] = headerValues(event, "x-request-id");
  if (own !== undefined && others.length === 0 && ownRequestId.test(own) && !holdsKey(own)) return own;
  return event.requestContext?.requestId ?? random.uuid();
}

/** The gateway's own id of the request, also if the caller sent another id. */
export const gatewayRequestIdOf = ({ requestContext }: APIGatewayProxyEvent): string | null =>
  requestContext?.requestId ?? null;

/** The caller's address, as the audit log keeps it. */
export const sourceIpOf = ({ requestContext }: APIGatewayProxyEvent): string | null =>
  requestContext?.identity?.sourceIp ?? null;

/** Whether the request says that it comes from `POST /mcp`. Anybody can send this user agent. */
const viaOf = (event: APIGatewayProxyEvent): "mcp" | null =>
  headerValues(event, "user-agent").includes(mcpUserAgent) ? "mcp" : null;

/** Where a request comes from, as its audit entry tells it. */
export const originOf = (event: APIGatewayProxyEvent) => ({
  gatewayRequestId: gatewayRequestIdOf(event),
  ipAddress: sourceIpOf(event),
  via: viaOf(event),
});

/** On every answer, success or error. */
export const baseHeaders = (requestId: string): Record<string, string> => ({
  "x-request-id": requestId,
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "strict-transport-security": "max-age=63072000; includeSubDomains",
});

/** On every answer that the limiter decided about. An answer has all of these headers or none. */
export const rateLimitHeaders = ({ limit, remaining, resetSeconds }: Admission): Record<string, string> => ({
  "ratelimit-policy": `"${limit.bucket}";q=${limit.requestsMax};w=${limit.windowSeconds}`,
  ratelimit: `"${limit.bucket}";r=${remaining};t=${resetSeconds}`,
  "x-ratelimit-limit": String(limit.requestsMax),
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(resetSeconds),
});

/** On every error: the page that says what to do. */
export const helpHeader = (event: APIGatewayProxyEvent, code: ErrorCode): Record<string, string> => ({
  link: `<${mountOf(event)}${errorPagePath(code)}>; rel="help"; type="text/html"`,
});

/** Legacy keys still work on a few reads. Every such answer says that this will end. */
export const deprecationHeaders = (event: APIGatewayProxyEvent): Record<string, string> => ({
  deprecation: "true",
  link: `<${mountOf(event)}${errorPagePath("LEGACY_API_KEY")}>; rel="deprecation"; type="text/html"`,
});

/**
 * The path as the API's own routes spell it. On a domain with a base path, API Gateway puts the base path before it.
 * `resource` shows how many segments are our own; for `{proxy+}`, the parameter `proxy` shows it.
 */
export function ownPathOf({ path, resource, pathParameters }: APIGatewayProxyEvent): string {
  if (resource === "/") return "/";
  const own = resource === "/{proxy+}" ? (pathParameters?.proxy ?? path.slice(1)) : resource.slice(1);
  return `/${path.split("/").slice(-own.split("/").length).join("/")}`;
}

/**
 * What comes before the API's own paths: the stage on API Gateway's own address, a base path on some domains, usually
 * nothing. `resource` has as many segments as the API's part of the path; `{proxy+}` stands for several.
 */
export function mountOf({ resource, requestContext, pathParameters }: APIGatewayProxyEvent): string {
  const segments = segmentsOf(requestContext?.path ?? "");
  const own = segmentsOf((resource ?? "").replace("{proxy+}", pathParameters?.proxy ?? "")).length;
  return segments
    .slice(0, Math.max(0, segments.length - own))
    .map((segment) => `/${segment}`)
    .join("");
}

const segmentsOf = (path: string): string[] => path.split("/").filter((segment) => segment !== "");
