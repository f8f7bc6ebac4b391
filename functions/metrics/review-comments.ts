import { reviewCommentMetrics as operation } from "../../lib/contract/operations/metrics.ts";
import { lambda } from "../../lib/http/lambda.ts";
import { cursorHeaders } from "../../lib/http/list.ts";
import { jsonType } from "../../lib/http/reply.ts";
import { readReviewComments } from "../../lib/metrics/read.ts";
import { headAlongside } from "../../lib/metrics/walk.ts";

export const handler = lambda(
  operation,
  async (call) => {
    const { records, removed, ...cursors } = await readReviewComments(call);
    const bytes = pasted(records, removed, cursors.nextCursor);
    return { bytes, contentType: jsonType, headers: cursorHeaders(cursors) };
  },
  { alongside: headAlongside },
);

/** Record by record: one text of 16 MiB would be built, flattened and copied before it became bytes. */
const pasted = (
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
