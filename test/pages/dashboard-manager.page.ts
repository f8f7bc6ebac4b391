import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import * as z from "zod";
import { createClient } from "../../lib/client/client.ts";
import { changeText } from "../../lib/report/change.ts";
import { headlines } from "../../lib/report/columns.ts";
import { lastDays } from "../../lib/report/period.ts";
import { readWithBefore } from "../../lib/report/read-pull-requests.ts";
import { reportOf } from "../../lib/report/report.ts";
import { card, goTo, openDashboard, untilRead } from "./dashboard.ts";
import { expectAccessible, phone, service } from "./support.ts";

test("each headline has its change from the period before, as an arrow and in words", async () => {
  const { page } = await openDashboard({ address: "days=30" });
  await untilRead(page);
  const nowMs = Date.now();
  const period = lastDays(30, nowMs);
  const client = createClient({ baseUrl: service().url, key: service().keys.workspace });
  const read = await readWithBefore(client, period, { pageSizeMax: 1000, nowMs });
  const report = reportOf(read.pullRequests, period, "week", { before: read.before });
  expect(report.before?.total.pull_requests).toBeGreaterThan(0);
  for (const { name, change } of headlines(report))
    expect(
      await page.locator(".headlines .card", { hasText: name }).first().locator(".change").textContent(),
    ).toBe(change && changeText(change));
  expect(await page.locator(".compared").textContent()).toMatch(
    /^Compared with \d+ \w{3}( \d{4})? to \d+ \w{3} \d{4}; today counts up to now\./,
  );
});

test("weeks that the period cuts are hatched and said to be in part; small lines leave them out", async () => {
  const first = lastDays(24, Date.now());
  const { page } = await openDashboard({ address: `from=${first.start_date}&to=${first.end_date}` });
  await untilRead(page);
  const chart = card(page, "Acceptance by week");
  expect(await chart.locator(".hatch").count()).toBeGreaterThan(0);
  expect(await chart.locator(".legend").textContent()).toContain("in part");
  const points = (path: string | null) => path?.match(/[ML]/g)?.length ?? 0;
  const weeks = await page.locator(".plot").first().locator("text.middle").count();
  const small = page.locator(".headline .spark path").first();
  expect(points(await small.getAttribute("d"))).toBeLessThan(weeks);
});

test("a team is chosen in the address or the list; “By team” says who counts twice, and bots can go", async () => {
  const { page } = await openDashboard({ kind: "organization", address: "page=teams&days=90" });
  await untilRead(page);
  const teams = card(page, "By team");
  const cells = (column: number) => teams.locator(`tbody tr > :nth-child(${column})`).allInnerTexts();
  const names = async () => (await cells(1)).map((each) => each.split(" acme")[0]).toSorted();
  const counts = async () =>
    (await cells(3)).map((each) => Number.parseInt(each, 10)).reduce((sum, each) => sum + each, 0);
  expect(await names()).toEqual(["Checkout", "Storefront", "no team"]);
  expect(await teams.locator(".meaning").textContent()).toContain("A person in two teams counts in both");
  const all = await counts();
  await page.getByLabel("Leave out bots").check();
  await expect.poll(counts).toBeLessThan(all);
  await page.getByText("All teams").click();
  await page.getByLabel("Checkout", { exact: true }).check();
  await expect.poll(names).toEqual(["Checkout"]);
  expect(new URL(page.url()).hash).toBe("#page=teams&days=90&team=github:1001/31&bots=no");
  const ofTeam = await counts();
  await expectAccessible(page);
  await goTo(page, "Overview");
  const total = page.locator(".headline", { hasText: "Pull requests reviewed" }).locator("strong");
  await expect.poll(async () => Number(await total.textContent())).toBe(ofTeam);
});

test("a period without pull requests is one sentence and what to do, not empty charts", async () => {
  const { page } = await openDashboard({ address: "from=2020-01-01&to=2020-01-31&repo=github:1001/9001" });
  await untilRead(page);
  expect(await page.locator(".plot").count()).toBe(0);
  const nothing = page.locator(".nothing");
  expect(await nothing.textContent()).toContain(
    "1 Jan to 31 Jan 2020: no reviewed pull request was merged in what you chose.",
  );
  await expectAccessible(page);
  await nothing.getByRole("button", { name: "Show everything" }).click();
  await nothing.getByRole("button", { name: "Show the last 90 days" }).click();
  await page.locator(".headlines").waitFor();
  expect(new URL(page.url()).hash).toBe("#days=90");
});

test.each([1024, 1200, 1440])(
  "at %d pixels the header is one row that names workspace and key",
  async (width) => {
    const { page } = await openDashboard({ options: { viewport: { width, height: 800 } } });
    await untilRead(page);
    const middles = z
      .array(z.number())
      .parse(
        await page.evaluate(
          `[...document.querySelectorAll(".title, .pages > *, .actions > *")].map((each) => { const { top, bottom } = each.getBoundingClientRect(); return (top + bottom) / 2; })`,
        ),
      );
    expect(middles.length).toBeGreaterThan(8);
    expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(6);
    for (const [tag, text] of [
      ["h1", "workspace acme"],
      ["p", "workspace key “demo”"],
    ] as const) {
      const line = page.locator(`.title ${tag}`);
      expect(await line.textContent()).toContain(text);
      // Nothing is cut with an ellipsis.
      expect(await line.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
    }
    const height = await page.locator(".filters").evaluate((each) => each.getBoundingClientRect().height);
    expect(height).toBeLessThan(70);
  },
);

test("on a phone a table that is wider than the window says that it scrolls", async () => {
  const { page } = await openDashboard({ address: "page=teams", options: phone });
  await untilRead(page);
  const table = card(page, "By repository").locator(".scrolls");
  await table.locator(".scroll-hint").waitFor();
  await table.locator(".scroll").evaluate((each) => each.scrollTo({ left: each.scrollWidth }));
  await table.locator(".scroll-hint").waitFor({ state: "detached" });
});

test("Learnings by use add up, and the file of seats names people", async () => {
  const { page } = await openDashboard({ address: "page=quality" });
  await untilRead(page);
  const learnings = card(page, "Learnings by use");
  const parts = (await learnings.locator(".parts dd").allInnerTexts()).map(Number);
  expect(parts.reduce((sum, each) => sum + each, 0)).toBe(
    Number(await learnings.locator(".sum strong").textContent()),
  );
  await goTo(page, "Administration");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "CSV: Seats" }).click(),
  ]);
  const [head, ...people] = (await text(await download.createReadStream())).trimEnd().split("\r\n");
  expect(head).toBe("name,email,organizations,user_ids,use,seat_since,last_reviewed_at");
  expect(people.length).toBeGreaterThan(3);
  // She has a seat and never opened a pull request; the demo gave her the seat in January.
  await page.getByText("Who holds an idle seat").click();
  const petra = card(page, "Seats").locator("tr", { hasText: "petra" });
  expect(await petra.locator("td").allTextContents()).toEqual([
    ...["5 Jan 2026", "none in a year", "510", "acme-web"],
  ]);
  expect(people.find((line) => line.startsWith("petra,"))).toMatch(
    /^petra,petra@acme\.example,acme-web,510,idle,2026-01-05T09:00:\d\d\.000Z,$/,
  );
});
