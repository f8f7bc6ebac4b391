import { reviewCommentMetrics as operation } from "../../lib/contract/operations/metrics.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { listResult } from "../../lib/http/list.ts";
import { readReviewComments } from "../../lib/metrics/read-metrics.ts";
import { prUrlOfComments, writeReviewComments } from "../../lib/metrics/review-comments.ts";
import { checkAnswerSize } from "../../lib/metrics/too-large.ts";
import { headPrefetch } from "../../lib/metrics/walk.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    const page = await readReviewComments(call);
    const result = listResult({ format: "json", columns: [], writeJson: writeReviewComments, ...page });
    checkAnswerSize(call, page, result.bytes.length, prUrlOfComments);
    return result;
  },
  { prefetch: headPrefetch },
);
