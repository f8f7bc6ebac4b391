import type * as z from "zod";
import { admit, bucketOwner } from "../../../lib/access/admission.ts";
import { authenticate } from "../../../lib/access/authenticate.ts";
import { touchLastUsed } from "../../../lib/access/last-used.ts";
import { checkKeyKind, checkPermission, narrowToPlan } from "../../../lib/access/policy.ts";
import type { Principal } from "../../../lib/access/principal.ts";
import { selectOrganizations } from "../../../lib/access/scope.ts";
import { ApiError } from "../../../lib/contract/api-error.ts";
import { errorPagePath } from "../../../lib/contract/errors.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { listOrganizations as operation } from "../../../lib/contract/operations/organizations.ts";
import { bindPaging, openCursor, positionText } from "../../../lib/http/cursors.ts";
import { dependencies } from "../../../lib/http/dependencies.ts";
import { toApiError } from "../../../lib/http/errors.ts";
import { rateLimitHeaders } from "../../../lib/http/headers.ts";
import { listOrganizations } from "../../../lib/organizations/list.ts";
import { log } from "../../../lib/runtime/log.ts";

/**
 * `GET /v1/organizations` without a frame: the same access, paging and store code that ours runs. Each peer puts
 * its framework's routing, validation, error handling and rendering round these two calls.
 */
export const querySchema = operation.query;
export type Query = z.output<typeof querySchema>;
export const keyHeader = "x-service-api-key";

/** Who calls, and whether this kind of key may. */
export async function identify(
  keyText: string | undefined,
  parameters: readonly string[],
): Promise<Principal> {
  const { table, clock, cursorKeys, accepted } = dependencies();
  const wantsCursorKeys = cursorKeys.isStale;
  const { principal, prefetched } = await authenticate(
    { table, clock, accepted },
    { text: keyText, prefetch: () => (wantsCursorKeys ? [kinds.cursorKeys.key()] : []) },
  );
  checkKeyKind(operation, principal, parameters);
  if (wantsCursorKeys) cursorKeys.accept(prefetched.get(kinds.cursorKeys.key()));
  return principal;
}

/** Scope, plan, permission, rate limit and the work, on a query that the framework has validated. */
export async function organizationsPage(principal: Principal, query: Query) {
  const { table, clock, random, limiter, cursorKeys: ring } = dependencies();
  const startedAtMs = clock.nowMs();
  const cursor =
    query.cursor && (await openCursor({ ring, table, nowMs: startedAtMs }, operation, query.cursor));
  const selected = selectOrganizations(operation, principal, {
    orgId: query.org_id,
    organizationIds: query.organization_ids,
  });
  const paging = bindPaging(
    { ring, nowMs: startedAtMs, random },
    {
      operation,
      principal,
      scope: selected,
      query,
      cursor: cursor || undefined,
      defaultPageSize: operation.paging?.defaultSize ?? 0,
    },
  );
  const scope = narrowToPlan(operation, selected, principal.key.kind);
  checkPermission(operation, principal, []);
  const owner = bucketOwner(operation, principal, scope);
  limiter.refuseKnownFull(operation.rateLimit, owner);
  const [admission] = await Promise.all([
    admit({ limiter, table }, operation, owner, () => {}),
    touchLastUsed(table, principal.key, { hash: principal.value.hash, nowMs: startedAtMs }).catch(() => {}),
  ]);
  const { entries, next } = listOrganizations(scope.organizations, {
    after: positionText(paging),
    limit: paging.pageSize,
  });
  return {
    headers: admission ? rateLimitHeaders(admission) : {},
    json: { organizations: entries, next_cursor: next === null ? null : paging.next(next) },
  };
}

/** What a framework's error handler answers. */
export function problemOf(error: unknown, requestId: string) {
  const { status, code, message, headers, retryAfterSeconds } = toApiError(error, requestId);
  const retry = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  return {
    status,
    headers: {
      ...headers,
      ...retry,
      link: `<${errorPagePath(code)}>; rel="help"; type="text/html"`,
    },
    json: { error: { code, message } },
  };
}

/** The line that every request leaves, as ours does. */
export function logRequest(
  requestId: string,
  status: number,
  startedAtMs: number,
  principal?: Principal | null,
): void {
  const { clock } = dependencies();
  log(status >= 500 ? "error" : "info", "request", {
    request_id: requestId,
    operation: operation.id,
    status,
    ...(principal && { key_id: principal.key.id, key_kind: principal.key.kind, tenant: principal.tenant }),
    duration_ms: clock.nowMs() - startedAtMs,
  });
}

export const nowMs = (): number => dependencies().clock.nowMs();

export const notFound = (): ApiError => new ApiError("NOT_FOUND", "There is nothing here.");

/** For frameworks whose own error does not say it in our words. */
export const invalid = (problems: readonly string[]): ApiError =>
  new ApiError("INVALID_REQUEST", problems.join(" ") || "The request is not valid.");

export const problemsOf = ({ issues }: { readonly issues: readonly Issue[] }): string[] =>
  issues.map(({ path, message }) => `${path.map(String).join(".") || "query"}: ${message}`);
type Issue = { readonly path: readonly PropertyKey[]; readonly message: string };
