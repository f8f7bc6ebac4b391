import { auditColumns, auditFilter, auditOwner, toAuditRecord } from "../../lib/audit/export.ts";
import { readAuditLog, resumePosition } from "../../lib/audit/list.ts";
import { listAuditLogs as operation } from "../../lib/contract/operations/audit-logs.ts";
import { positionText } from "../../lib/http/cursors.ts";
import { lambda } from "../../lib/http/lambda.ts";
import { listReply } from "../../lib/http/list.ts";

export const handler = lambda(operation, async (call) => {
  const { principal, scope, input, paging, retentionDays } = call;
  const { order, format = "json", date_from, date_to } = input.query;
  const after = positionText(paging);
  const page = await readAuditLog(call, {
    owner: auditOwner(principal.tenant, scope),
    order,
    fromMs: date_from,
    toMs: date_to,
    after,
    limit: paging.pageSize,
    retentionDays,
    wanted: auditFilter(input.query, scope),
  });
  const finished = order === "asc" && page.next === null;
  return listReply({
    format,
    name: "data",
    records: page.entries.map(toAuditRecord),
    columns: auditColumns,
    nextCursor: page.next === null ? null : paging.next(page.next),
    resumeCursor: finished ? paging.resume(resumePosition(call, page.entries.at(-1)?.sk ?? after)) : null,
  });
});
