import { mcpMetrics as operation } from "../../lib/contract/operations/metrics.ts";
import { lambda } from "../../lib/http/lambda.ts";
import { listReply } from "../../lib/http/list.ts";
import { readMcp } from "../../lib/metrics/read.ts";
import { headAlongside } from "../../lib/metrics/walk.ts";

export const handler = lambda(
  operation,
  async (call) => listReply({ format: "json", name: "data", columns: [], ...(await readMcp(call)) }),
  { alongside: headAlongside },
);
