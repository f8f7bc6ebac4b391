import type * as z from "zod";
import type { ScopeFollowUp } from "../access/follow-scope.ts";
import type { OperationContext, Paging, WalkContext } from "../access/operation-context.ts";
import type { Principal } from "../access/principal.ts";
import { auditFilter, auditOwner } from "../audit/export.ts";
import { type AuditPage, type AuditPosition, type AuditQuery, readAuditLog } from "../audit/list.ts";
import type { listAuditLogs } from "../contract/operations/audit-logs.ts";
import { required } from "../runtime/required.ts";
import type { AuditItem } from "../store/items/audit.ts";
import { positionTexts } from "./cursors.ts";

export type AuditContext = WalkContext<z.output<(typeof listAuditLogs)["query"]>> &
  Pick<OperationContext, "scope" | "retentionDays"> & {
    readonly principal: { readonly key: Pick<Principal["key"], "authorized"> };
  };

export function auditPosition(paging: Paging): AuditPosition | null {
  const texts = positionTexts(paging);
  if (texts === null) return null;
  const [place = "", settled = ""] = texts;
  return { place, settled };
}

export type AuditedPage = {
  readonly entries: readonly AuditItem[];
  readonly nextCursor: string | null;
  /** Only on the last page of a walk in ascending order: where the walk can be resumed later. */
  readonly resumeCursor: string | null;
};

/** Reads one page. Entries of organizations that became visible or moved away since the cursor was made come first. */
export async function exportAuditLog(call: AuditContext, after: AuditPosition | null): Promise<AuditedPage> {
  const { principal, scope, paging, input } = call;
  const { following, movedAway = [] } = scope;
  const missing = following && [...following.newlyVisible, ...movedAway];
  if (missing && missing.length > 0 && after !== null) return catchUp(call, following, after, missing);
  const wanted = auditFilter(input.query, { ...scope, authorized: principal.key.authorized });
  const { entries, next, end, resume } = await read(call, { after, wanted });
  const isLast = next === null && (following?.isCurrent ?? true);
  const isResumable = isLast && input.query.order === "asc";
  return {
    entries,
    // The last page has a next one if the scope has changed since: an organization left while the walk caught it up.
    nextCursor: isLast ? null : paging.next(cursorAt(required(end, "end of the page")), following?.mark),
    resumeCursor: isResumable ? paging.resume(cursorAt(resume), following?.mark) : null,
  };
}

const cursorAt = ({ place, settled }: AuditPosition): readonly string[] => [place, settled];

/**
 * Before the walk continues: the entries of newly visible organizations, and of those that moved away, in the part of the
 * tenant's log that the walk has passed. If the whole tenant was requested, its own entries were always shown, so they are left out here.
 * Otherwise those of its own entries that name one of these organizations are included.
 */
async function catchUp(
  call: AuditContext,
  following: ScopeFollowUp,
  position: AuditPosition,
  organizations: ReadonlyArray<{ readonly uuid: string }>,
): Promise<AuditedPage> {
  const { caughtUpTo } = following;
  const isShownAlways = ({ organization, log_of }: AuditItem) =>
    organization === null && log_of === undefined && call.scope.selector === "all";
  const ofThese = auditFilter(call.input.query, {
    ...call.scope,
    organizations,
    inTenant: undefined,
    authorized: call.principal.key.authorized,
  });
  const { entries, next } = await read(call, {
    after: typeof caughtUpTo === "string" ? { place: caughtUpTo, settled: caughtUpTo } : null,
    upTo: position.place,
    wanted: (entry) => !isShownAlways(entry) && ofThese(entry),
  });
  const mark = next === null ? following.mark : following.markAt(next.place);
  return { entries, nextCursor: call.paging.next(cursorAt(position), mark), resumeCursor: null };
}

function read(
  call: AuditContext,
  segment: Pick<AuditQuery, "after" | "upTo" | "wanted">,
): Promise<AuditPage> {
  const { principal, scope, input, paging, retentionDays } = call;
  const { order, date_from, date_to } = input.query;
  return readAuditLog(call, {
    owner: auditOwner(principal.tenant, scope),
    order,
    fromMs: date_from,
    toMs: date_to,
    limit: paging.pageSize,
    retentionDays,
    ...segment,
  });
}
