import type { CsvCell } from "../../lib/contract/csv-row.ts";
import { reviewMetrics as operation } from "../../lib/contract/operations/metrics.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { csvResult, listResult } from "../../lib/http/list.ts";
import { readReviews } from "../../lib/metrics/read-metrics.ts";
import { reviewColumns } from "../../lib/metrics/review-columns.ts";
import { reviewCells, writeReview } from "../../lib/metrics/review-formats.ts";
import { prUrlOfReview } from "../../lib/metrics/reviews.ts";
import { checkAnswerSize } from "../../lib/metrics/too-large.ts";
import { headPrefetch } from "../../lib/metrics/walk.ts";

const columns = reviewColumns.map(({ name }, index) => ({
  name,
  cell: (cells: readonly CsvCell[]) => cells[index] ?? null,
}));

export const handler = createHandler(
  operation,
  async (call) => {
    const { format } = call.input.query;
    const page = await readReviews(call);
    const result =
      format === "csv"
        ? csvResult({ ...page, columns, records: page.records.values().map(reviewCells) })
        : listResult({ ...page, format, columns: [], writeJson: writeReview });
    checkAnswerSize(call, page, result.bytes.length, prUrlOfReview);
    return result;
  },
  { prefetch: headPrefetch },
);
