import { reviewCommentMetrics as operation } from "../../lib/contract/operations/metrics.ts";
import { lambda } from "../../lib/http/lambda.ts";
import { jsonType } from "../../lib/http/reply.ts";
import { readReviewComments } from "../../lib/metrics/read.ts";
import { headAlongside } from "../../lib/metrics/walk.ts";

export const handler = lambda(
  operation,
  async (call) => {
    const { records, nextCursor, resumeCursor } = await readReviewComments(call);
    return {
      bytes: pasted(records, nextCursor),
      contentType: jsonType,
      headers: resumeCursor === null ? {} : { "x-resume-cursor": resumeCursor },
    };
  },
  { alongside: headAlongside },
);

/** Record by record: one text of 16 MiB would be built, flattened and copied before it became bytes. */
const pasted = (records: readonly string[], nextCursor: string | null): Buffer =>
  Buffer.concat([
    Buffer.from('{"data":['),
    ...records.map((record, index) => Buffer.from(index === 0 ? record : `,${record}`)),
    Buffer.from(`],"next_cursor":${JSON.stringify(nextCursor)}}`),
  ]);
