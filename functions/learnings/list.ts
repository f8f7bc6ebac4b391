import { listLearnings as operation } from "../../lib/contract/operations/learnings.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { listResult } from "../../lib/http/list.ts";
import { learningColumns, pendingColumns } from "../../lib/learnings/columns.ts";
import { listPending } from "../../lib/learnings/export/pending.ts";
import { exportLearnings } from "../../lib/learnings/export.ts";

export const handler = createHandler(operation, async (call) => {
  const { format = "json" } = call.input.query;
  if (call.input.query.state === "pending")
    return listResult({ format, name: "data", columns: pendingColumns, ...(await listPending(call)) });
  return listResult({ format, name: "data", columns: learningColumns, ...(await exportLearnings(call)) });
});
