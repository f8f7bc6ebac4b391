import { reviewMetrics as operation } from "../../lib/contract/operations/metrics.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { listResult } from "../../lib/http/list.ts";
import { readReviews } from "../../lib/metrics/read.ts";
import { reviewColumns } from "../../lib/metrics/review-columns.ts";
import { checkAnswerSize, sizeOfRecord } from "../../lib/metrics/too-large.ts";
import { headPrefetch } from "../../lib/metrics/walk.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    const { format } = call.input.query;
    const page = await readReviews(call);
    const result = listResult({ format, name: "data", columns: reviewColumns, ...page });
    checkAnswerSize(call, page, result.bytes.length, sizeOfRecord);
    return result;
  },
  { prefetch: headPrefetch },
);
