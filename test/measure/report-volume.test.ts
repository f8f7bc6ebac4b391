import { expect, test } from "vitest";
import { createCollector } from "../../lib/report/pull-request.ts";
import { reportOf } from "../../lib/report/report.ts";
import { comments, finding, review } from "../report/records.ts";
import { volume } from "../support/volume.ts";

const pages = volume(20, 100);
const pageSize = 1_000;
const period = { start_date: "2026-01-01", end_date: "2026-03-31" };
const outcomes = [true, false, null];

/** Records as the API sends them: page by page, as text. */
function* textPages() {
  for (let page = 0; page < pages; page++) {
    const numbers = Array.from({ length: pageSize }, (_, index) => page * pageSize + index);
    yield {
      reviews: JSON.stringify(
        numbers.map((number) =>
          review(number, {
            merged_at: new Date(Date.UTC(2026, 0, 1 + (number % 90))).toISOString(),
            repository_id: String(number % 200),
            repository_name: `repository-${number % 200}`,
          }),
        ),
      ),
      comments: JSON.stringify(
        numbers.map((number) =>
          comments(
            number,
            outcomes.map((each) => finding(each)),
          ),
        ),
      ),
    };
  }
}

test(`${pages * pageSize} pull requests are reported within seconds and without keeping their records`, () => {
  const collector = createCollector();
  let bytes = 0;
  for (const page of textPages()) {
    bytes += page.reviews.length + page.comments.length;
    collector.addReviews(JSON.parse(page.reviews));
    collector.addComments(JSON.parse(page.comments));
  }
  const pullRequests = collector.pullRequests();
  const startedMs = performance.now();
  const { total, rows } = reportOf(pullRequests, period, "repository");
  // Measured on a busy machine with two cores: 1.2 seconds.
  expect(performance.now() - startedMs).toBeLessThan(10_000);
  expect([total.pull_requests, total.findings.posted, rows.length]).toEqual([
    pages * pageSize,
    3 * pages * pageSize,
    200,
  ]);
  const kept = pullRequests.reduce((sum, { findings }) => sum + findings.byteLength, 0);
  expect(kept).toBe(3 * pages * pageSize);
  expect(bytes).toBeGreaterThan(1_000 * pages * pageSize);
});
