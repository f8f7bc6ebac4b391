import { expect, test } from "vitest";
import { createClient } from "../../lib/client/client.ts";
import { readPullRequests } from "../../lib/report/read-pull-requests.ts";
import { comments, finding, review } from "./records.ts";

const period = { start_date: "2026-03-01", end_date: "2026-03-31" };
const closed = review(2, { merged_at: null, status: "closed", closed_at: "2026-03-03T00:00:00.000Z" });

/** Returns two pages of reviews and one of findings, and records the requests. */
function answering() {
  const asked: string[] = [];
  const fetch = async (target: string | URL | Request) => {
    const { pathname, searchParams } = new URL(String(target));
    asked.push(`${pathname} ${searchParams.get("status")} ${searchParams.get("cursor")}`);
    if (pathname.endsWith("review-comments"))
      return Response.json({ data: [comments(1, [finding(true)])], next_cursor: null });
    return searchParams.get("cursor") === "second"
      ? Response.json({ data: [closed], next_cursor: null })
      : Response.json({ data: [review(1)], next_cursor: "second" });
  };
  return { asked, client: createClient({ baseUrl: "http://service", key: "k", fetch }) };
}

test("closed pull requests are read only with onClosed, reported separately and in no figure", async () => {
  const { asked, client } = answering();
  const received: string[] = [];
  const progress: Array<readonly [number, number]> = [];
  const read = await readPullRequests(client, period, {
    pageSizeMax: 1000,
    signal: new AbortController().signal,
    onProgress: (records, reviews) => progress.push([records, reviews]),
    onClosed: ({ pr_url }) => received.push(pr_url),
  });
  expect(read.map(({ url, findings }) => [url, findings.length])).toEqual([[review(1).pr_url, 1]]);
  expect(received).toEqual([closed.pr_url]);
  expect(progress).toEqual([
    [1, 1],
    [2, 2],
    [3, 2],
  ]);
  expect(asked).toEqual([
    "/v1/metrics/reviews all null",
    "/v1/metrics/reviews all second",
    "/v1/metrics/review-comments null null",
  ]);
});

test("without onClosed the API's default is requested: merged pull requests", async () => {
  const { asked, client } = answering();
  await readPullRequests(client, period, { pageSizeMax: 1000 });
  expect(asked[0]).toBe("/v1/metrics/reviews null null");
});
