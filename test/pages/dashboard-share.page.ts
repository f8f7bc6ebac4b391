import { execFileSync, spawnSync } from "node:child_process";
import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { pages } from "../../dashboard/pages.ts";
import { pageNames } from "../../dashboard/view.ts";
import { lastDays, lastWeek } from "../../lib/report/period.ts";
import { longDays } from "../../lib/report/words.ts";
import { goTo, openDashboard, untilRead } from "./dashboard.ts";
import { desktop, expectAccessible, expectGoodLooks, openPage } from "./support.ts";

const figure = (page: Page) =>
  page.locator(".headlines .card", { hasText: "Pull requests reviewed" }).locator("strong");

test("a link keeps the days, and another one moves on with them; the chat's lines name this service", async () => {
  const { page } = await openDashboard({ address: "days=90" });
  await untilRead(page);
  await page.getByText("Share", { exact: true }).click();
  const ways = page.locator(".ways");
  await ways.waitFor();
  const { start_date, end_date } = lastDays(90, Date.now());
  const addresses = await ways
    .locator("li a")
    .evaluateAll((links) => links.map((each) => each.getAttribute("href")));
  expect(addresses).toEqual(["#days=90", `#from=${start_date}&to=${end_date}`]);
  expect(await ways.locator("code").textContent()).toContain(
    `npx --no-install review-api report \\\n  --url ${new URL(page.url()).origin} `,
  );
  await expectGoodLooks(page);
  await page.keyboard.press("Escape");
});

test("the boss without a key reads report.html: one file, no request, the same figures and teams", async () => {
  const { page } = await openDashboard({ kind: "organization" });
  await untilRead(page);
  const shown = (await figure(page).textContent()) ?? "";
  await page.getByText("Share", { exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save report.html" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("report.html");
  const file = await text(await download.createReadStream());
  const boss = await openPage();
  await boss.page.setContent(file);
  expect(await figure(boss.page).textContent()).toBe(shown);
  const teams = boss.page.locator("section.card", {
    has: boss.page.getByRole("heading", { name: "By team" }),
  });
  expect(await teams.locator("tbody th").allTextContents()).toEqual(
    expect.arrayContaining(["Checkout", "Storefront"]),
  );
  expect(await boss.page.locator(".ghost-bar").count()).toBeGreaterThan(0);
  // The style came along.
  expect(await boss.page.locator(".headlines").evaluate((each) => getComputedStyle(each).display)).toBe(
    "grid",
  );
  expect(file).not.toMatch(/rk_|chidi/);
  expect([boss.faults, [...boss.origins]]).toEqual([[], []]);
  await expectAccessible(boss.page);
});

test("charts and small lines have the period before; last week and last month are in the bar", async () => {
  const { page } = await openDashboard();
  await untilRead(page);
  const plots = await page.locator(".plot").all();
  expect(plots.length).toBe(5);
  for (const plot of plots) {
    expect(await plot.locator(".ghost-bar, .ghost-line").count()).toBeGreaterThan(0);
    expect(await plot.locator(".legend").textContent()).toContain("the period before");
    const { height, width } = (await plot.locator(".swatch.before").boundingBox()) ?? { height: 0, width: 0 };
    expect(Math.min(height, width)).toBeGreaterThan(1);
  }
  const weekly = page.locator(".headlines .weekly");
  expect(await weekly.locator("small").allTextContents()).toEqual(Array(4).fill("by week; pale: before"));
  expect(await weekly.locator(".ghost-line").count()).toBe(4);
  await plots[0]?.focus();
  await page.keyboard.press("ArrowLeft");
  expect(await page.locator(".tip:not([hidden])").textContent()).toMatch(
    /Pull requests: \d+ \(before: \d+\)/,
  );
  await page.getByLabel("Last week").check();
  await untilRead(page);
  expect(new URL(page.url()).hash).toBe("#last=week");
  const { start_date } = lastWeek(new Date().toISOString().slice(0, 10));
  expect(await page.locator(".progress").textContent()).toContain(String(Number(start_date.slice(8))));
  await page.getByLabel("Last month").check();
  expect(new URL(page.url()).hash).toBe("#last=month");
});

/** The text of a PDF and its sheets, read by poppler's `pdftotext`, which ends each sheet with a form feed. */
function sheetsOf(pdf: Buffer): readonly string[] {
  const text = execFileSync("pdftotext", ["-raw", "-", "-"], { input: pdf, encoding: "utf8" });
  return text.split("\f").slice(0, -1);
}
const hasPdfToText = spawnSync("pdftotext", ["-v"]).error === undefined;
if (!hasPdfToText)
  console.warn("Left out: what is on paper. This needs pdftotext: apt-get install poppler-utils.");

const withoutSpaces = (text: string): string => text.replaceAll(/\s/g, "");

/** Headings and numbers that the open page shows, besides what is only for the screen. */
const shownWords = (page: Page) =>
  page.locator("#figures :is(h3, strong, td, tbody th, dd, .compared, .plot text.end)").evaluateAll((all) =>
    all
      .filter((each) => each.closest(".offer, .card:has(.search), details:not([open]), .tool") === null)
      .flatMap((each) => {
        const copy = each.cloneNode(true);
        if (!(copy instanceof Element)) return [];
        for (const hidden of copy.querySelectorAll("button, .unseen")) hidden.remove();
        return copy.textContent?.trim().split(/\s+/) ?? [];
      }),
  );

const sheetsMax = { overview: 1, teams: 1, quality: 2, administration: 2 } as const;

test.skipIf(!hasPdfToText).each(pageNames)(
  "the page %s prints itself: title, period and filters as words, its headings and numbers, no controls",
  async (name) => {
    const { page } = await openDashboard({
      address: `page=${name}&org=github:1001`,
      options: { ...desktop, colorScheme: "dark" },
    });
    await untilRead(page);
    const shown = await shownWords(page);
    expect(shown.length).toBeGreaterThan(30);
    const sheets = sheetsOf(await page.pdf({ format: "A4" }));
    expect(sheets.length).toBeLessThanOrEqual(sheetsMax[name]);
    const paper = sheets.join("\n");
    for (const words of [
      `${pages[name].title} of workspace acme`,
      longDays(lastDays(30, Date.now())),
      "Only these organizations: acme-web.",
      ...shown,
    ])
      expect(withoutSpaces(paper), words).toContain(withoutSpaces(words));
    expect(paper).not.toMatch(/\b(Numbers|CSV|Refresh|Forget key|Approve|Search Learnings|All teams)\b/);
    await page.emulateMedia({ media: "print" });
    expect(await page.locator("button:not(.sort):visible, input:visible, .bar-top:visible").count()).toBe(0);
    expect(await page.evaluate("getComputedStyle(document.body).color")).toBe("rgb(21, 28, 40)");
    const breaks = await page
      .locator(".card:has(.plot)")
      .evaluateAll((all) => all.map((each) => getComputedStyle(each).breakInside));
    expect(breaks.filter((each) => each !== "avoid")).toEqual([]);
  },
);

test("Share and Print are on every page, at the same place; nothing prints before it is read", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { page } = await openDashboard({
    prepare: (page) =>
      page.route("**/v1/metrics/reviews?*", async (route) => {
        await held;
        await route.continue();
      }),
  });
  await page.locator("#figures").waitFor();
  const print = page.getByRole("button", { name: "Print" });
  expect(await print.isDisabled()).toBe(true);
  release();
  await untilRead(page);
  const places = new Set<number | undefined>();
  for (const name of pageNames) {
    await goTo(page, pages[name].title);
    await expect.poll(() => print.isDisabled(), { message: name }).toBe(false);
    places.add((await page.getByText("Share", { exact: true }).boundingBox())?.x);
  }
  expect(places.size).toBe(1);
});

test.skipIf(!hasPdfToText)("an open list is printed in place of its page", async () => {
  const { page } = await openDashboard({ kind: "organization", address: "days=90&list=slow" });
  await untilRead(page);
  await page.getByRole("dialog").waitFor();
  const rows = await page.getByRole("dialog").locator("tbody th").allTextContents();
  expect(rows.length).toBeGreaterThan(3);
  const paper = withoutSpaces(sheetsOf(await page.pdf({ format: "A4" })).join(""));
  for (const row of rows) expect(paper).toContain(withoutSpaces(row));
  expect(paper).not.toContain("Byweek");
});
