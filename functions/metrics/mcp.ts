import { mcpMetrics as operation } from "../../lib/contract/operations/metrics.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { listResult } from "../../lib/http/list.ts";
import { prUrlOfMcp, writeMcp } from "../../lib/metrics/mcp.ts";
import { readMcp } from "../../lib/metrics/read-metrics.ts";
import { checkAnswerSize } from "../../lib/metrics/too-large.ts";
import { headPrefetch } from "../../lib/metrics/walk.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    const page = await readMcp(call);
    const result = listResult({ format: "json", columns: [], writeJson: writeMcp, ...page });
    checkAnswerSize(call, page, result.bytes.length, prUrlOfMcp);
    return result;
  },
  { prefetch: headPrefetch },
);
