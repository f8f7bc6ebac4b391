import { auditColumns, toAuditRecord } from "../../lib/audit/export.ts";
import { listAuditLogs as operation } from "../../lib/contract/operations/audit-logs.ts";
import { auditPosition, exportAuditLog } from "../../lib/http/audit-walk.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { listResult } from "../../lib/http/list.ts";

export const handler = createHandler(operation, async (call) => {
  const { format = "json" } = call.input.query;
  const { entries, ...cursors } = await exportAuditLog(call, auditPosition(call.paging));
  return listResult({
    format,
    records: entries.map(toAuditRecord),
    columns: auditColumns,
    ...cursors,
  });
});
