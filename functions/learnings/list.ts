import { listLearnings as operation } from "../../lib/contract/operations/learnings.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { listResult } from "../../lib/http/list.ts";
import { learningColumns } from "../../lib/learnings/columns.ts";
import { listPending } from "../../lib/learnings/export/pending.ts";
import { exportLearnings } from "../../lib/learnings/export.ts";

export const handler = createHandler(operation, async (call) => {
  const { format = "json" } = call.input.query;
  const page = await (call.input.query.state === "pending" ? listPending(call) : exportLearnings(call));
  return listResult({ format, name: "data", columns: learningColumns, ...page });
});
