import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { lastDays, lastWeek } from "../../lib/report/period.ts";
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
  expect(plots.length).toBe(4);
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

/** Pages of a PDF that the browser made. */
const pagesOf = (pdf: Buffer): number => pdf.toString("latin1").match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;

test("on paper every page becomes the same two: figures and tables, nothing overlaps, no administration", async () => {
  const { page } = await openDashboard({
    address: "days=90&org=github:1001&repo=github:1001/9001",
    options: { ...desktop, colorScheme: "dark" },
  });
  await untilRead(page);
  for (const title of ["Overview", "Quality", "Teams and repositories"]) {
    await goTo(page, title);
    for (const button of await page.getByRole("button", { name: /^Numbers:/ }).all()) await button.click();
    expect(pagesOf(await page.pdf({ format: "A4" })), title).toBe(2);
  }
  await page.emulateMedia({ media: "print" });
  const paper = page.locator(".paper");
  await paper.waitFor();
  expect(await paper.textContent()).toContain("Only these repositories: storefront.");
  expect(await paper.textContent()).toContain("does not prove that somebody rejected");
  expect(await page.locator("button:not(.sort):visible, input:visible, .bar-top:visible").count()).toBe(0);
  expect(await page.evaluate("getComputedStyle(document.body).color")).toBe("rgb(21, 28, 40)");
  const widths = await paper
    .locator(".plot svg")
    .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width));
  expect([widths.length, new Set(widths)]).toEqual([4, new Set([330])]);
  const boxes = await paper
    .locator(".card, h2, .compared, .meanings")
    .evaluateAll((all) =>
      all
        .map((each) => each.getBoundingClientRect())
        .map(({ left, right, top, bottom }) => ({ left, right, top, bottom })),
    );
  const overlapping = boxes.filter((one, index) =>
    boxes
      .slice(index + 1)
      .some(
        (other) =>
          one.left < other.right - 1 &&
          other.left < one.right - 1 &&
          one.top < other.bottom - 1 &&
          other.top < one.bottom - 1,
      ),
  );
  expect(overlapping).toEqual([]);
});

test("a page that is still read is not printed, nor is the administration", async () => {
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
  expect(await page.getByRole("button", { name: "Print" }).isDisabled()).toBe(true);
  await page.emulateMedia({ media: "print" });
  const seen = () => page.evaluate("document.body.innerText.trim()");
  await expect.poll(seen).toBe("The figures were still being read. Print again when they are shown.");
  release();
  await page.emulateMedia({ media: "screen" });
  await untilRead(page);
  await goTo(page, "Administration");
  await page.emulateMedia({ media: "print" });
  await expect.poll(seen).toBe("The administration is not printed: print another page.");
});
