import { auditColumns, auditFilter, auditOwner, toAuditRecord } from "../../lib/audit/export.ts";
import { type AuditPosition, readAuditLog } from "../../lib/audit/list.ts";
import { listAuditLogs as operation } from "../../lib/contract/operations/audit-logs.ts";
import { type Paging, positionTexts } from "../../lib/http/cursors.ts";
import { lambda } from "../../lib/http/lambda.ts";
import { listReply } from "../../lib/http/list.ts";

export const handler = lambda(operation, async (call) => {
  const { principal, scope, input, paging, retentionDays } = call;
  const { order, format = "json", date_from, date_to } = input.query;
  const page = await readAuditLog(call, {
    owner: auditOwner(principal.tenant, scope),
    order,
    fromMs: date_from,
    toMs: date_to,
    after: positionOf(paging),
    limit: paging.pageSize,
    retentionDays,
    wanted: auditFilter(input.query, { ...scope, authorized: principal.key.authorized }),
  });
  const cursorAt = ({ place, settled }: AuditPosition) => [place, settled];
  return listReply({
    format,
    name: "data",
    records: page.entries.map(toAuditRecord),
    columns: auditColumns,
    nextCursor: page.next && paging.next(cursorAt(page.next)),
    resumeCursor: order === "asc" && page.next === null ? paging.resume(cursorAt(page.resume)) : null,
  });
});

/** Cursors of release 1 hold a place alone. Unless they resume, nobody knows which of its pages were settled. */
function positionOf(paging: Paging): AuditPosition | null {
  const texts = positionTexts(paging);
  if (texts === null) return null;
  const [place = "", settled = paging.resumes ? place : ""] = texts;
  return { place, settled };
}
