import { mcpMetrics as operation } from "../../lib/contract/operations/metrics.ts";
import { lambda } from "../../lib/http/lambda.ts";
import { listReply } from "../../lib/http/list.ts";
import { readMcp } from "../../lib/metrics/read.ts";
import { checkAnswerSize, sizeOfRecord } from "../../lib/metrics/too-large.ts";
import { headAlongside } from "../../lib/metrics/walk.ts";

export const handler = lambda(
  operation,
  async (call) => {
    const page = await readMcp(call);
    const reply = listReply({ format: "json", name: "data", columns: [], ...page });
    checkAnswerSize(call, page, reply.bytes.length, sizeOfRecord);
    return reply;
  },
  { alongside: headAlongside },
);
