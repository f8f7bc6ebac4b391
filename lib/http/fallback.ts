import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { ApiError } from "../contract/api-error.ts";
import { shortened } from "../contract/schema-sentences.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { type Random, systemRandom } from "../runtime/random.ts";
import { corsHeaders, preflightHeaders } from "./cors.ts";
import { renderError } from "./errors.ts";
import { baseHeaders, helpHeader, ownPathOf, requestIdOf } from "./headers.ts";
import { nothingHere, wantsPage } from "./nothing-here.ts";
import { logRequest } from "./request-line.ts";

export type Route = {
  readonly method: string;
  readonly path: string;
  /** Headers that a page on another origin may send besides the usual ones. */
  readonly browserHeaders?: readonly string[];
};

/** Answers everything that is not an operation: 404, or 405 with the methods that the path allows. */
export function answerUnrouted(
  routes: readonly Route[],
  event: APIGatewayProxyEvent,
  random: Random = systemRandom,
  clock: Clock = systemClock,
): APIGatewayProxyResult {
  const opened = { requestId: requestIdOf(event, random), startedAtMs: clock.nowMs() };
  const path = ownPathOf(event);
  const found = routesAt(routes, path);
  const allowed = [...new Set(found.map(({ method }) => method))];
  const own = { ...baseHeaders(opened.requestId), ...corsHeaders(event) };
  const preflight =
    event.httpMethod === "OPTIONS"
      ? preflightHeaders(
          event,
          allowed,
          found.flatMap(({ browserHeaders = [] }) => browserHeaders),
        )
      : undefined;
  if (preflight) {
    logRequest(clock, opened, { status: 204 });
    return { statusCode: 204, headers: { ...own, ...preflight }, body: "" };
  }
  const error = errorAt(event, allowed);
  const { status, headers, body } = renderError(error, path);
  logRequest(clock, opened, { status, error });
  const all = { ...own, ...headers, ...helpHeader(event, error.code) };
  if (status === 404 && wantsPage(event)) return nothingHere(event, all, error.message);
  return { statusCode: status, headers: all, body: event.httpMethod === "HEAD" ? "" : body.toString() };
}

function errorAt({ httpMethod: method, path }: APIGatewayProxyEvent, allowed: readonly string[]): ApiError {
  if (allowed.length === 0)
    return new ApiError(
      "NOT_FOUND",
      `There is nothing at ${shortened(path)}. The reference of the API, at /docs, lists every path.`,
    );
  const list = allowed.join(", ");
  return new ApiError("METHOD_NOT_ALLOWED", `${method} is not allowed here. Allowed: ${list}.`, {
    headers: { allow: list },
  });
}

/** Follows the gateway's routing: a literal path wins over a path with a parameter. */
function routesAt(routes: readonly Route[], path: string): readonly Route[] {
  const literal = routes.filter((route) => route.path === path);
  return literal.length > 0 ? literal : routes.filter((route) => matches(route.path, path));
}

function matches(template: string, path: string): boolean {
  const wanted = template.split("/");
  const given = path.split("/");
  return (
    wanted.length === given.length &&
    wanted.every((segment, index) =>
      segment.startsWith("{") ? given[index] !== "" : segment === given[index],
    )
  );
}
