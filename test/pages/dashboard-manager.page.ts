import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import * as z from "zod";
import { createClient } from "../../lib/client/client.ts";
import { changeText } from "../../lib/report/change.ts";
import { headlines } from "../../lib/report/columns.ts";
import { lastDays } from "../../lib/report/period.ts";
import { readWithBefore } from "../../lib/report/read.ts";
import { reportOf } from "../../lib/report/report.ts";
import { card, openDashboard, untilRead } from "./dashboard.ts";
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
  expect(await page.locator(".compared").textContent()).toMatch(/^Compared with \d{4}-\d{2}-\d{2} to /);
});

test("weeks that the period cuts are hatched and said to be in part; small lines leave them out", async () => {
  const first = lastDays(24, Date.now());
  const { page } = await openDashboard({ address: `from=${first.start_date}&to=${first.end_date}` });
  await untilRead(page);
  const chart = card(page, "Acceptance, of findings whose outcome is known");
  expect(await chart.locator(".hatch").count()).toBeGreaterThan(0);
  expect(await chart.locator(".legend").textContent()).toContain("in part");
  const points = (path: string | null) => path?.match(/[ML]/g)?.length ?? 0;
  const weeks = await page.locator(".plot").first().locator("text.middle").count();
  const small = page.locator(".headline .spark path").first();
  expect(points(await small.getAttribute("d"))).toBeLessThan(weeks);
});

test("a team is chosen in the address or the list; “By team” says who counts twice, and bots can go", async () => {
  const { page } = await openDashboard({ kind: "organization", address: "days=90" });
  await untilRead(page);
  const total = async () =>
    Number(
      await page.locator(".headline", { hasText: "Pull requests reviewed" }).locator("strong").textContent(),
    );
  const teams = card(page, "By team");
  const names = () => teams.locator("tbody th").allTextContents();
  expect(await names()).toEqual(["Checkout", "Storefront", "no team"]);
  expect(await teams.textContent()).toContain("A person in two teams counts in both");
  const all = await total();
  await page.getByText("All authors").click();
  await page.getByLabel("Leave out bots").check();
  await expect.poll(total).toBeLessThan(all);
  await page.getByLabel("Checkout", { exact: true }).check();
  await expect.poll(names).toEqual(["Checkout"]);
  expect(new URL(page.url()).hash).toBe("#days=90&team=github:1001/31&bots=no");
  const ofTeam = await teams.locator("tbody td.number").first().textContent();
  expect(await total()).toBe(Number(ofTeam));
  await expectAccessible(page);
});

test("a figure opens its list: the address, the rows and a file that names list and days", async () => {
  const { page } = await openDashboard({ kind: "organization", address: "days=90" });
  await untilRead(page);
  const link = page.getByRole("link", { name: /^List the \d+ without a human review$/ });
  const count = Number(/\d+/.exec((await link.textContent()) ?? "")?.[0]);
  await link.click();
  const list = card(page, "Without a human review");
  await list.waitFor();
  expect(await list.locator("tbody tr").count()).toBe(count);
  expect(page.url()).toContain("list=no-review");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "CSV: Without a human review" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^pull-requests-no-review-[\d-]+-to-[\d-]+\.csv$/);
  expect((await text(await download.createReadStream())).trimEnd().split("\r\n")).toHaveLength(count + 1);
  await expectAccessible(page);
});

test("a period without pull requests is one sentence and what to do, not empty charts", async () => {
  const { page } = await openDashboard({ address: "from=2020-01-01&to=2020-01-31&repo=github:1001/9001" });
  await untilRead(page);
  expect(await page.locator(".plot").count()).toBe(0);
  const nothing = page.locator(".nothing");
  expect(await nothing.textContent()).toContain(
    "No reviewed pull request was merged from 1 Jan 2020 to 31 Jan 2020 in what you chose.",
  );
  await expectAccessible(page);
  await nothing.getByRole("button", { name: "Show everything" }).click();
  await nothing.getByRole("button", { name: "Show the last 90 days" }).click();
  await page.locator(".headlines").waitFor();
  expect(new URL(page.url()).hash).toBe("#days=90");
});

test("from 1,200 pixels on all controls are in one row, also with the longest names", async () => {
  const { page } = await openDashboard({ options: { viewport: { width: 1200, height: 800 } } });
  await untilRead(page);
  const controls = ".title, .segments, .filters > .picker > summary, .actions > *";
  const middles = z
    .array(z.number())
    .parse(
      await page.evaluate(
        `[...document.querySelectorAll(${JSON.stringify(controls)})].map((each) => { const { top, bottom } = each.getBoundingClientRect(); return (top + bottom) / 2; })`,
      ),
    );
  expect(middles.length).toBeGreaterThan(6);
  expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(6);
});

test("a link keeps the days, and another one moves on with them", async () => {
  const { page } = await openDashboard({ address: "days=90" });
  await untilRead(page);
  await page.getByText("Link", { exact: true }).click();
  await page.locator(".links a").first().waitFor();
  const { start_date, end_date } = lastDays(90, Date.now());
  const addresses = await page
    .locator(".links a")
    .evaluateAll((links) => links.map((each) => each.getAttribute("href")));
  expect(addresses).toEqual(["#days=90", `#from=${start_date}&to=${end_date}`]);
});

test("on a phone a table that is wider than the window says that it scrolls", async () => {
  const { page } = await openDashboard({ options: phone });
  await untilRead(page);
  const table = card(page, "By repository").locator(".scrolls");
  await table.locator(".scroll-hint").waitFor();
  await table.locator(".scroll").evaluate((each) => each.scrollTo({ left: each.scrollWidth }));
  await table.locator(".scroll-hint").waitFor({ state: "detached" });
});

test("on paper every chart has one size, and a table its headings", async () => {
  const { page } = await openDashboard({ address: "days=90" });
  await untilRead(page);
  await page.emulateMedia({ media: "print" });
  await page.evaluate("dispatchEvent(new Event('beforeprint'))");
  const widths = async () =>
    new Set(
      await page
        .locator(".plot svg")
        .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width)),
    );
  expect([...(await widths())]).toEqual([330]);
  expect(await page.locator(".paper-only").isVisible()).toBe(true);
  expect(await page.locator(".paper-only").textContent()).toContain("does not prove that somebody rejected");
});

test("Learnings by use add up, and the file of seats names people", async () => {
  const { page } = await openDashboard();
  await untilRead(page);
  const learnings = card(page, "Learnings by use");
  const parts = (await learnings.locator(".parts dd").allInnerTexts()).map(Number);
  expect(parts.reduce((sum, each) => sum + each, 0)).toBe(
    Number(await learnings.locator(".sum strong").textContent()),
  );
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "CSV: Seats" }).click(),
  ]);
  const [head, ...people] = (await text(await download.createReadStream())).trimEnd().split("\r\n");
  expect(head).toBe("name,email,organizations,user_ids,idle,seat_since,last_reviewed_at");
  expect(people.length).toBeGreaterThan(3);
  // She has a seat and never opened a pull request; the demo gave her the seat in January.
  await page.getByText("Who holds an idle seat").click();
  const petra = card(page, "Seats").locator("tr", { hasText: "petra" });
  expect(await petra.locator("td").allTextContents()).toEqual([
    ...["5 Jan 2026", "none in a year", "510", "acme-web"],
  ]);
  expect(people.find((line) => line.startsWith("petra,"))).toMatch(
    /^petra,petra@acme\.example,acme-web,510,yes,2026-01-05T09:00:\d\d\.000Z,$/,
  );
});
