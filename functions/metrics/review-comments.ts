import { reviewCommentMetrics as operation } from "../../lib/contract/operations/metrics.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { cursorHeaders } from "../../lib/http/list.ts";
import { jsonType } from "../../lib/http/operation-result.ts";
import { readReviewComments } from "../../lib/metrics/read.ts";
import { sizeOfReviewComments } from "../../lib/metrics/review-comments.ts";
import { checkAnswerSize } from "../../lib/metrics/too-large.ts";
import { headPrefetch } from "../../lib/metrics/walk.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    const page = await readReviewComments(call);
    const bytes = joinRecords(page.records, page.removed, page.nextCursor);
    checkAnswerSize(call, page, bytes.length, sizeOfReviewComments);
    return { bytes, contentType: jsonType, headers: cursorHeaders(page) };
  },
  { prefetch: headPrefetch },
);

/** Makes bytes record by record: one text of 16 MiB would be built, flattened and copied before it became bytes. */
const joinRecords = (
  records: readonly string[],
  removed: readonly object[] | undefined,
  nextCursor: string | null,
): Buffer =>
  Buffer.concat([
    Buffer.from('{"data":['),
    ...records.map((record, index) => Buffer.from(index === 0 ? record : `,${record}`)),
    Buffer.from(
      `]${removed ? `,"removed":${JSON.stringify(removed)}` : ""},"next_cursor":${JSON.stringify(nextCursor)}}`,
    ),
  ]);
