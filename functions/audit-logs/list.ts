import type { Paging } from "../../lib/access/operation-context.ts";
import { auditColumns, toAuditRecord } from "../../lib/audit/export.ts";
import type { AuditPosition } from "../../lib/audit/list.ts";
import { listAuditLogs as operation } from "../../lib/contract/operations/audit-logs.ts";
import { exportAuditLog } from "../../lib/http/audit-walk.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { positionTexts } from "../../lib/http/cursors.ts";
import { listResult } from "../../lib/http/list.ts";

export const handler = createHandler(operation, async (call) => {
  const { format = "json" } = call.input.query;
  const { entries, ...cursors } = await exportAuditLog(call, positionOf(call.paging));
  return listResult({
    format,
    name: "data",
    records: entries.map(toAuditRecord),
    columns: auditColumns,
    ...cursors,
  });
});

function positionOf(paging: Paging): AuditPosition | null {
  const texts = positionTexts(paging);
  if (texts === null) return null;
  const [place = "", settled = ""] = texts;
  return { place, settled };
}
