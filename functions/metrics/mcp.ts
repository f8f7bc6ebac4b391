import { mcpMetrics as operation } from "../../lib/contract/operations/metrics.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { listResult } from "../../lib/http/list.ts";
import { readMcp } from "../../lib/metrics/read.ts";
import { checkAnswerSize, sizeOfRecord } from "../../lib/metrics/too-large.ts";
import { headPrefetch } from "../../lib/metrics/walk.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    const page = await readMcp(call);
    const result = listResult({ format: "json", name: "data", columns: [], ...page });
    checkAnswerSize(call, page, result.bytes.length, sizeOfRecord);
    return result;
  },
  { prefetch: headPrefetch },
);
