import { readFileSync } from "node:fs";
import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import * as z from "zod";
import { formatCount } from "../../lib/report/words.ts";
import { comments, finding, review } from "../report/records.ts";
import { card, goTo, openDashboard, untilRead } from "./dashboard.ts";

const pageSize = 1_000;
const pages = process.env.LONG ? 100 : 10;
const repositories = 200;
const day = new Date().toISOString().slice(0, 10);

/** With a limit that lets the test end; other tests cover the pace. */
const headers = { "ratelimit-policy": '"metrics";q=100000;w=60', "content-type": "application/json" };

/** Created once: all pages of a dataset hold the same records under different addresses. */
const reviewsPage = JSON.stringify(
  Array.from({ length: pageSize }, (_, index) => {
    const id = String(index % repositories);
    return review(index, {
      pr_url: `https://git.example/acme/PAGE/pull/${index}`,
      repository_id: id,
      repository_name: `repository-${id}`,
      merged_at: `${day}T00:00:00.000Z`,
      estimated_complexity: 1 + (index % 5),
    });
  }),
);
const outcomes = [true, false, null];
const commentsPage = JSON.stringify(
  Array.from({ length: pageSize }, (_, index) => ({
    ...comments(
      index,
      outcomes.map((each) => finding(each)),
    ),
    pr_url: `https://git.example/acme/PAGE/pull/${index}`,
  })),
);

/** Page after page, by the cursor. */
const answer = (records: string) => async (route: Route) => {
  const at = Number(new URL(route.request().url()).searchParams.get("cursor") ?? 0);
  const next = at + 1 < pages ? `"${at + 1}"` : "null";
  await route.fulfill({
    headers,
    body: `{"data":${records.replaceAll("PAGE", `page-${at}`)},"next_cursor":${next}}`,
  });
};

test(`${formatCount(pages * pageSize)} pull requests do not freeze the page`, async () => {
  const { page, faults } = await openDashboard({
    kind: "instance",
    address: "page=teams&days=7",
    prepare: async (page) => {
      await page.addInitScript(watchPauses);
      await page.addInitScript(watchMessages);
      await page.route("**/v1/metrics/reviews?*", answer(reviewsPage));
      await page.route("**/v1/metrics/review-comments?*", answer(commentsPage));
    },
  });
  await page.getByText("records of pull requests and findings read").waitFor();
  page.setDefaultTimeout(240_000);
  await untilRead(page);
  const count = formatCount(pages * pageSize);
  const rows = card(page, "By repository").locator("tbody tr");
  expect(await rows.count()).toBe(100);
  await page.getByRole("button", { name: "Show all 200" }).click();
  await expect.poll(() => rows.count()).toBe(repositories);

  // The lists of 10,000 rows go on, and the figures of every page come without another request.
  await goTo(page, "Overview");
  const figure = card(page, "Pull requests reviewed").locator(".figure");
  expect(await figure.textContent()).toContain(count);

  // A filter is computed in the worker too.
  await page.getByText("Repositories: All").click();
  await page.getByLabel("Search repositories").fill("repository-199");
  await page.getByLabel("repository-199").check();
  await expect.poll(() => figure.textContent()).toContain(formatCount((pages * pageSize) / repositories));
  const longestMs = Number(await page.evaluate("globalThis.longestPauseMs"));
  const memory = await memoryOf(page);
  const largest = Number(await page.evaluate("globalThis.largestMessage"));
  console.log(
    `Longest pause of the page ${Math.round(longestMs)} ms; ${memory}; its worker's largest message ${largest} characters`,
  );
  // The records stay in the worker, which sends figures. The figures do not grow with the number of records.
  expect(largest).toBeGreaterThan(1_000);
  expect(largest).toBeLessThan(1_000_000);
  // The time is meaningful only for many records: a page that computed 100,000 of them itself would take longer than
  // this.
  if (process.env.LONG) expect(longestMs).toBeLessThan(5_000);
  expect(faults).toEqual([]);
});

/** The longest time in which the page could not have reacted to a key press. */
const watchPauses = `{
  let last = performance.now();
  globalThis.longestPauseMs = 0;
  setInterval(() => {
    const now = performance.now();
    globalThis.longestPauseMs = Math.max(globalThis.longestPauseMs, now - last - 10);
    last = now;
  }, 10);
}`;

const watchMessages = `{
  globalThis.largestMessage = 0;
  globalThis.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", ({ data }) => {
        globalThis.largestMessage = Math.max(globalThis.largestMessage, JSON.stringify(data).length);
      });
    }
  };
}`;

const processes = z.object({ processInfo: z.array(z.object({ type: z.string(), id: z.number() })) });

/**
 * Memory of the process that renders the page and runs its worker: now, and at its peak. It is by far the largest
 * process.
 */
async function memoryOf(page: Page): Promise<string> {
  const session = await page.context().browser()?.newBrowserCDPSession();
  const { processInfo } = processes.parse(await session?.send("SystemInfo.getProcessInfo"));
  const sizes = processInfo
    .filter(({ type }) => type === "renderer")
    .map(({ id }) => readFileSync(`/proc/${id}/status`, "utf8"))
    .map((status) => ["VmRSS", "VmHWM"].map((name) => kilobytesOf(status, name)))
    .toSorted(([, one = 0], [, other = 0]) => other - one);
  const [now = 0, peak = 0] = sizes[0] ?? [];
  return `memory of its process ${Math.round(now / 1024)} MiB, ${Math.round(peak / 1024)} MiB at its peak`;
}

const kilobytesOf = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
