import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { createClient } from "../../lib/client/client.ts";
import { headlines } from "../../lib/report/columns.ts";
import { lastDays } from "../../lib/report/period.ts";
import { readPullRequests } from "../../lib/report/read-pull-requests.ts";
import { reportOf } from "../../lib/report/report.ts";
import { formatCount, formatShare } from "../../lib/report/words.ts";
import { card, enterKey, goTo, narrowKey, openDashboard, tabTo, untilRead } from "./dashboard.ts";
import { expectAccessible, expectGoodLooks, openPage, phone, service } from "./support.ts";

const words = (page: Page, title: string): Promise<string | null> =>
  card(page, title).locator(".figure").textContent();

test("the dashboard shows the same figures as the report", async () => {
  const { url, keys } = service();
  const { page } = await openDashboard({ address: "days=90" });
  await untilRead(page);
  const period = lastDays(90, Date.now());
  const read = await readPullRequests(createClient({ baseUrl: url, key: keys.workspace }), period, {
    pageSizeMax: 1000,
  });
  const report = reportOf(read, period, "week");
  const { total } = report;
  expect(total.pull_requests).toBeGreaterThan(50);
  expect(await words(page, "Acceptance")).toContain(formatShare(total.findings.acceptance));
  expect(await words(page, "Pull requests reviewed")).toContain(formatCount(total.pull_requests));
  expect(await words(page, "Findings posted")).toContain(formatCount(total.findings.posted));
  const [, , , review, merge] = headlines(report).map(({ value }) => value);
  expect(await words(page, "Time to first human review")).toContain(review);
  expect(await words(page, "Time to merge")).toContain(merge);
  const meaning = card(page, "Acceptance").locator(".meaning");
  expect(await meaning.isVisible()).toBe(false);
  await page.getByRole("button", { name: "What does it mean: Acceptance", exact: true }).click();
  expect(await meaning.isVisible()).toBe(true);
  expect(await meaning.textContent()).toContain("does not prove that somebody rejected the finding");
});

describe("filters", () => {
  test("filters are in the address, so that another person sees the same with another key", async () => {
    const { page } = await openDashboard();
    await untilRead(page);
    const first = await words(page, "Pull requests reviewed");
    await page.getByLabel("90 days").check();
    await page.getByText("Organizations: All").click();
    await page.getByLabel("acme-web", { exact: true }).check();
    expect(decodeURIComponent(new URL(page.url()).hash)).toBe("#days=90&org=github:1001");

    const other = await openPage();
    await other.page.goto(page.url());
    await enterKey(other.page, service().keys.organization);
    await untilRead(other.page);
    const shown = await words(other.page, "Pull requests reviewed");
    await expect.poll(() => words(page, "Pull requests reviewed")).toBe(shown);
    await goTo(other.page, "Teams and repositories");
    expect(await other.page.getByRole("link", { name: "storefront", exact: true }).count()).toBe(1);
    expect(await other.page.getByRole("link", { name: "ios" }).count()).toBe(0);

    await page.goBack();
    await page.goBack();
    expect(new URL(page.url()).hash).toBe("");
    await expect.poll(() => words(page, "Pull requests reviewed")).toBe(first);
    expect(first).not.toBe(shown);
  });

  test("filters of repositories need no further request, and a custom range reads its days", async () => {
    const { page } = await openDashboard({ kind: "instance", address: "days=90" });
    await untilRead(page);
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/v1/")) asked.push(request.url());
    });
    const before = await words(page, "Pull requests reviewed");
    await page.getByText("Repositories: All").click();
    await page.getByLabel("drivers").check();
    await expect.poll(() => words(page, "Pull requests reviewed")).not.toBe(before);
    expect(asked).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByLabel("Own range").check();
    const day = lastDays(20, Date.now()).start_date;
    await page.getByLabel("From").fill(day);
    await page.getByRole("button", { name: "Show", exact: true }).click();
    expect(page.url()).toContain(`from=${day}&to=`);
    await expect
      .poll(() => asked.find((url) => url.includes("/v1/metrics/reviews")))
      .toContain(`start_date=${day}`);
  });
});

test("figures by author appear only if chosen, in alphabetical order, and cannot be sorted", async () => {
  const { page } = await openDashboard({ kind: "organization", address: "page=teams&days=90" });
  await untilRead(page);
  expect(await page.getByRole("cell", { name: "chidi" }).count()).toBe(0);
  await page.getByRole("button", { name: "Show by author" }).click();
  const table = card(page, "By author").getByRole("table");
  await table.waitFor();
  const names = await table.locator("tbody th").allTextContents();
  expect(names.length).toBeGreaterThan(2);
  expect(names).toEqual(names.toSorted());
  expect(await table.getByRole("button").count()).toBe(0);
  expect(page.url()).toContain("authors=yes");
  await page.getByRole("button", { name: "Hide authors" }).click();
  await table.waitFor({ state: "detached" });
});

test("repositories are sorted by any column, and a repository opens its pull requests", async () => {
  const { page } = await openDashboard({ kind: "organization", address: "page=teams&days=90" });
  await untilRead(page);
  const table = card(page, "By repository").getByRole("table");
  const counts = async () =>
    (await table.locator("tbody tr > :nth-child(4)").allInnerTexts()).map((each) =>
      Number.parseInt(each, 10),
    );
  await table.getByRole("button", { name: "Findings" }).click();
  expect(await counts()).toEqual((await counts()).toSorted((one, other) => other - one));
  expect(await table.locator("th[aria-sort=descending]").textContent()).toContain("Findings");
  await table.getByRole("button", { name: "Findings" }).click();
  expect(await counts()).toEqual((await counts()).toSorted((one, other) => one - other));
  await table.getByRole("link", { name: "storefront" }).click();
  const listed = page.getByRole("dialog", { name: "Pull requests of storefront" });
  await listed.getByRole("link").first().waitFor();
  expect(await listed.getByRole("link").first().getAttribute("href")).toMatch(
    /^https:\/\/github\.com\/acme-web\/storefront\//,
  );
  expect(await listed.getByRole("link").first().getAttribute("rel")).toContain("noreferrer");
  await expectAccessible(page);
});

test("every chart has its numbers as a table and as a file", async () => {
  const { page } = await openDashboard({ kind: "organization", address: "days=90" });
  await untilRead(page);
  const files = await page.getByRole("button", { name: /^CSV:/ }).all();
  expect(files.length).toBe(6);
  for (const button of await page.getByRole("button", { name: /^Numbers:/ }).all()) await button.click();
  for (const plot of await page.locator("section.card:has(.plot), section.card.acceptance").all())
    expect(await plot.getByRole("table").count()).toBe(1);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "CSV: Findings by outcome" }).click(),
  ]);
  const [head = "", ...rows] = (await text(await download.createReadStream())).trimEnd().split("\r\n");
  expect([download.suggestedFilename(), head]).toEqual([
    expect.stringMatching(/^findings-by-week-\d{4}-\d{2}-\d{2}-to-\d{4}-\d{2}-\d{2}\.csv$/),
    "week_of,findings,accepted,not_accepted,unknown,days",
  ]);
  const total = rows.reduce((sum, row) => sum + Number(row.split(",")[1]), 0);
  expect(await words(page, "Findings posted")).toContain(formatCount(total));
  await expectAccessible(page);
});

test("the page works with the keyboard alone: a key, the figures, a chart's values, a filter", async () => {
  const { page } = await openPage();
  await page.goto(`${service().url}/dashboard`);
  await page.locator("#key:focus").waitFor();
  await page.keyboard.insertText(service().keys.instance);
  await page.keyboard.press("Enter");
  await untilRead(page);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  expect(await page.evaluate("document.activeElement.id")).toBe("figures");

  await tabTo(page, "Pull requests reviewed by week");
  await page.keyboard.press("ArrowLeft");
  await expect
    .poll(() => page.locator(".tip:not([hidden])").textContent())
    .toMatch(/Week of .*Pull requests: \d/);

  await page.reload();
  await page.locator("#key:focus").waitFor();
  await page.keyboard.insertText(service().keys.instance);
  await page.keyboard.press("Enter");
  await untilRead(page);
  await tabTo(page, "Organizations: All organizations");
  await page.keyboard.press("Enter");
  await page.getByLabel("All", { exact: true }).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await expect.poll(() => page.url()).toContain("org=github:70");
  await page.keyboard.press("Escape");
  expect(await page.evaluate("document.activeElement.tagName")).toBe("SUMMARY");
});

test("the jobs are done with the keyboard alone: a page, an order, a list, sharing, the administration", async () => {
  const { page } = await openDashboard({ kind: "organization", address: "days=90" });
  await untilRead(page);
  const press = async (name: string) => {
    await tabTo(page, name);
    await page.keyboard.press("Enter");
  };
  await press("Teams and repositories");
  await untilRead(page);
  await press("Merge");
  await expect.poll(() => page.url()).toContain("team-sort=-merge");
  await press("Checkout");
  await page.getByRole("dialog").waitFor();
  await tabTo(page, "Close");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  // From the link that opened the list, Tab goes on.
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Checkout");
  await page.reload();
  await enterKey(page, service().keys.organization);
  await untilRead(page);
  await press("Share");
  await page.locator(".ways").waitFor();
  await tabTo(page, "Save report.html");
  await page.keyboard.press("Escape");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Share");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Administration", level: 2 }).waitFor({ state: "attached" });
  await untilRead(page);
  await tabTo(page, "Table: Recent audit entries");
});

test("a search of Learnings by meaning shows the best with their scores", async () => {
  const { page } = await openDashboard({ address: "page=quality" });
  await untilRead(page);
  const search = card(page, "Search Learnings");
  await search.getByRole("button", { name: "Search", exact: true }).click();
  expect(await search.textContent()).toContain("Write a question first.");
  await search.getByRole("searchbox").fill("charge a card again after a timeout");
  await page.keyboard.press("Enter");
  await expect.poll(() => search.locator("li").count()).toBeGreaterThan(1);
  expect(await search.locator("li").first().textContent()).toMatch(/(card|idempotency).*[01]\.\d\d$/s);
});

const approval = "Learnings that wait for approval";

test("a narrow key names what it shows, and a key that only reads has no button that decides", async () => {
  const key = await narrowKey("workspace", ["metrics:read", "learnings:read"]);
  const { page, faults } = await openDashboard({ key, address: "page=quality" });
  await untilRead(page);
  expect(await page.locator("main .notice").allTextContents()).toContain(
    "This key shows: metrics, learnings. The rest is left out.",
  );
  expect(await page.getByRole("navigation", { name: "Pages" }).getByRole("link").allTextContents()).toEqual([
    "Overview",
    "Teams and repositories",
    "Quality",
  ]);
  expect(await page.locator(".left-out").count()).toBe(0);
  const waiting = card(page, approval);
  expect(await waiting.locator("li").count()).toBe(2);
  expect(await waiting.getByRole("button").allTextContents()).toEqual(["CSV"]);
  expect(await waiting.textContent()).toContain("This key may read them, and not decide.");
  expect(await card(page, "Search Learnings").count()).toBe(1);
  await expectGoodLooks(page);
  expect(faults).toEqual([]);
});

test("pending Learnings are approved and, after a confirmation, disapproved, with the keyboard alone", async () => {
  const { page } = await openDashboard({ address: "page=quality" });
  await untilRead(page);
  const waiting = card(page, approval).locator("li");
  expect(await waiting.count()).toBe(2);
  await tabTo(page, "Approve");
  await page.keyboard.press("Enter");
  await expect.poll(() => waiting.count()).toBe(1);
  // The button is gone with its Learning: Tab goes on with the next one, not at the top of the page.
  await page.keyboard.press("Tab");
  expect(await focusedText(page)).toBe("Approve");
  await page.keyboard.press("Tab");
  expect(await focusedText(page)).toBe("Disapprove");
  await page.keyboard.press("Enter");
  expect(await waiting.count()).toBe(1);
  expect(await focusedText(page)).toBe("Really disapprove");
  await page.keyboard.press("Enter");
  await expect.poll(() => waiting.count()).toBe(0);
  await goTo(page, "Administration");
  const entries = card(page, "Recent audit entries");
  await expect.poll(() => entries.textContent()).toContain("learning.disapproved");
  for (const who of ["ada@acme.example (workspace key)", "the operator", "the platform"])
    expect(await entries.getByRole("cell", { name: who, exact: true }).count(), who).toBeGreaterThan(0);
});

const focusedText = (page: Page) => page.evaluate("document.activeElement.textContent");

test("the page shows no motion if the user prefers less motion", async () => {
  const { page } = await openDashboard({ kind: "instance", options: { ...phone, reducedMotion: "reduce" } });
  await untilRead(page);
  expect(await page.locator(".plot svg").count()).toBeGreaterThan(3);
  const moving = await page.evaluate(
    "[...document.querySelectorAll('*')].filter((each) => getComputedStyle(each).transitionDuration !== '0s' || getComputedStyle(each).animationName !== 'none').length",
  );
  expect(moving).toBe(0);
});

test("below the stage of a deployed API the page finds its files and the API", async () => {
  const { page, faults } = await openPage();
  const { url, keys } = service();
  await page.route(`${url}/live/**`, async (route) => {
    const response = await route.fetch({ url: route.request().url().replace("/live/", "/") });
    await route.fulfill({ response });
  });
  await page.goto(`${url}/live/dashboard`);
  await enterKey(page, keys.organization);
  await untilRead(page);
  expect(await page.locator(".headlines").count()).toBe(1);
  expect(faults).toEqual([]);
});
