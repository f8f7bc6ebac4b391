import type { APIGatewayProxyEvent } from "aws-lambda";
import { requestLimits } from "../contract/limits.ts";
import { optionalVariable } from "../runtime/environment.ts";
import { headerValues, keyHeaderNames } from "./headers.ts";

/** Our response headers that a page on another origin may read. */
const exposed = [
  "x-request-id",
  "retry-after",
  "ratelimit",
  "ratelimit-policy",
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "x-next-cursor",
  "x-resume-cursor",
  "content-disposition",
  "deprecation",
  "link",
];

/** Only origins that the deployment configures. Without any, there is no cross-origin access at all. */
function allowedOrigin(event: APIGatewayProxyEvent): string | undefined {
  const allowed = optionalVariable("CORS_ORIGINS")?.split(",") ?? [];
  const [origin] = headerValues(event, "origin");
  return origin !== undefined && (allowed.includes(origin) || allowed.includes("*")) ? origin : undefined;
}

/** Whether a page calls whose origin is neither one of these nor the deployment's. Programs send no origin. */
export const isForeignOrigin = (event: APIGatewayProxyEvent, own: readonly string[]): boolean =>
  headerValues(event, "origin").some((origin) => !own.includes(origin)) && allowedOrigin(event) === undefined;

export function corsHeaders(event: APIGatewayProxyEvent): Record<string, string> {
  const origin = allowedOrigin(event);
  return origin === undefined
    ? {}
    : {
        "access-control-allow-origin": origin,
        "access-control-expose-headers": exposed.join(", "),
        vary: "origin",
      };
}

/** The headers that answer a browser's preflight request; undefined if the origin is not allowed. */
export function preflightHeaders(
  event: APIGatewayProxyEvent,
  methods: readonly string[],
  furtherHeaders: readonly string[] = [],
): Record<string, string> | undefined {
  const origin = allowedOrigin(event);
  if (origin === undefined || methods.length === 0) return undefined;
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": [
      ...keyHeaderNames(),
      "content-type",
      "x-request-id",
      ...furtherHeaders,
    ].join(", "),
    "access-control-max-age": String(requestLimits.preflightSecondsMax),
    vary: "origin",
  };
}
