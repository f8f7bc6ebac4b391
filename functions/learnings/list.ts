import { listLearnings as operation } from "../../lib/contract/operations/learnings.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { listResult } from "../../lib/http/list.ts";
import { learningColumns, pendingColumns } from "../../lib/learnings/columns.ts";
import { exportLearnings } from "../../lib/learnings/export/export-learnings.ts";
import { listPending } from "../../lib/learnings/export/pending.ts";

export const handler = createHandler(operation, async (call) => {
  const { format = "json" } = call.input.query;
  if (call.input.query.state === "pending")
    return listResult({ format, columns: pendingColumns, ...(await listPending(call)) });
  return listResult({ format, columns: learningColumns, ...(await exportLearnings(call)) });
});
