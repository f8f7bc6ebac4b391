import { listLearnings as operation } from "../../lib/contract/operations/learnings.ts";
import { lambda } from "../../lib/http/lambda.ts";
import { listReply } from "../../lib/http/list.ts";
import { learningColumns } from "../../lib/learnings/columns.ts";
import { exportLearnings } from "../../lib/learnings/export.ts";

export const handler = lambda(operation, async (call) => {
  const { format = "json" } = call.input.query;
  const page = await exportLearnings(call);
  return listReply({ format, name: "data", columns: learningColumns, ...page });
});
