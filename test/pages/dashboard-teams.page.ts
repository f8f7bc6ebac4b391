import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import * as z from "zod";
import { categories } from "../../lib/contract/metrics-words.ts";
import { listColumns } from "../../lib/report/lists.ts";
import { heatLegend, withSpaces } from "../../lib/report/report.ts";
import { review } from "../report/records.ts";
import { difference, visions } from "./colours.ts";
import { card, goTo, openDashboard, untilRead } from "./dashboard.ts";
import { expectAccessible, phone } from "./support.ts";

test("teams come by need, sort by every column, and show their change and their weeks; no column is cut", async () => {
  const { page } = await openDashboard({
    address: "page=teams",
    options: { viewport: { width: 1280, height: 900 } },
  });
  await untilRead(page);
  const table = card(page, "By team").getByRole("table");
  const column = async (at: number) =>
    (await table.locator(`tbody tr > :nth-child(${at})`).allInnerTexts()).map((each) =>
      Number.parseInt(each, 10),
    );
  const ascending = (values: readonly number[]) => values.toSorted((one, other) => one - other);
  expect((await column(2)).length).toBeGreaterThan(2);
  expect(await column(2)).toEqual(ascending(await column(2)));
  expect(await table.locator(".small-change [aria-hidden]").first().textContent()).toMatch(/^[↑↓→]/);
  expect(await table.locator(".spark .ghost-line").count()).toBe((await column(2)).length);
  await table.getByRole("button", { name: "Pull requests" }).click();
  expect(await column(3)).toEqual(ascending(await column(3)).toReversed());
  expect(page.url()).toContain("team-sort=-pull_requests");
  const cut = await page
    .locator(".scroll")
    .evaluateAll((all) => all.map((each) => each.scrollWidth - each.clientWidth));
  expect(cut.filter((each) => each > 0)).toEqual([]);
});

/** The colours of these classes on the page, as red, green and blue. */
const coloursOf = async (page: Page, looks: readonly string[]): Promise<number[][]> =>
  z.array(z.array(z.number())).parse(
    await page.evaluate(`${JSON.stringify(looks)}.map((look) => {
    const table = document.body.appendChild(document.createElement("table"));
    table.className = "heat";
    const cell = table.insertRow().insertCell();
    cell.className = look;
    const canvas = new OffscreenCanvas(1, 1).getContext("2d");
    canvas.fillStyle = getComputedStyle(cell).backgroundColor;
    canvas.fillRect(0, 0, 1, 1);
    table.remove();
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  })`),
  );

test.each(["light", "dark"] as const)(
  "in %s, neighbouring colours of the heat maps differ for eyes that see no red or no green",
  async (colorScheme) => {
    const { page } = await openDashboard({ options: { ...phone, colorScheme } });
    await untilRead(page);
    const heat = heatLegend.map(({ look }) => look);
    for (const looks of [heat, ["heat-none", "warm-1", "warm-2", "warm-3"]]) {
      const colours = await coloursOf(page, looks);
      for (const vision of visions)
        for (const [index, colour] of colours.slice(1).entries())
          expect(
            difference(colours[index] ?? [], colour, vision),
            `${vision}: ${looks[index]} and ${looks[index + 1]}`,
          ).toBeGreaterThanOrEqual(10);
    }
  },
);

test("on a phone the heat map has every row of its axis, also without findings, and no column is cut", async () => {
  const { page } = await openDashboard({ address: "page=quality", options: phone });
  await untilRead(page);
  const table = page.locator("table.heat");
  const rows = await table.locator("tbody th").allTextContents();
  expect(rows.filter((row) => row !== withSpaces(null))).toEqual(categories.map(withSpaces));
  const [first, last] = [table.locator("tr").first(), table.locator("tr").last()];
  for (const place of [first, last])
    for (const cell of await place.locator("th, td").all()) {
      const { x, width, height } = (await cell.boundingBox()) ?? { x: -1, width: 0, height: 0 };
      expect([x >= 0, x + width <= phone.viewport.width, height > 10]).toEqual([true, true, true]);
    }
});

test("the explanation below the table of teams or repositories is one line, the rest is behind its ?", async () => {
  const { page } = await openDashboard({ address: "page=teams" });
  await untilRead(page);
  for (const title of ["By team", "By repository"]) {
    const definition = card(page, title).locator("> .definition:not(.meaning)");
    const lines = await definition.evaluate((each) => {
      const range = document.createRange();
      range.selectNodeContents(each);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    });
    expect(lines, title).toBe(1);
    await page.getByRole("button", { name: `What does it mean: ${title}`, exact: true }).click();
    expect(await card(page, title).locator(".meaning").textContent()).toContain("Times are medians.");
  }
});

/** What each colour may stand for, on all pages. */
const meanings: ReadonlyArray<readonly string[]> = [
  ["Pull requests", "Findings per pull request", "Used", "Used, active", "Active: used in the last 30 days"],
  ["Used elsewhere", "Used before that", "Used, too new to judge"],
  ["First review, median", "First review, 90 %"],
  ["Merge, median", "Merge, 90 %"],
  ["Accepted", "Acceptance"],
  ["Not accepted"],
  ["Unknown", "Unknown, counted apart", "Used, not judged"],
  ["Used, idle"],
  ["Free", "Never used"],
];

test("a colour means one thing on all pages", async () => {
  const { page } = await openDashboard({ address: "days=90" });
  await untilRead(page);
  const namesOf = new Map<string, Set<string>>();
  for (const title of ["Overview", "Quality", "Administration"]) {
    await goTo(page, title);
    for (const [colour = "", name = ""] of await page
      .locator(
        ".swatch[class*='-']:not([class*='heat-']), .swatch.one, .swatch.unknown, .swatch.accepted, .swatch.none, .swatch.faint, .swatch.merge, .swatch.attention",
      )
      .evaluateAll((all) =>
        all.map((each) => [
          getComputedStyle(each).getPropertyValue("--look"),
          each.parentElement?.textContent?.trim() ?? "",
        ]),
      ))
      namesOf.set(colour, (namesOf.get(colour) ?? new Set()).add(name));
  }
  expect(namesOf.size).toBeGreaterThan(7);
  for (const names of namesOf.values()) {
    const [first = ""] = names;
    const meaning = meanings.find((each) => each.includes(first));
    expect([...names].filter((each) => !meaning?.includes(each))).toEqual([]);
  }
});

test("on a phone Acceptance is the second column of every table that has it", async () => {
  const { page } = await openDashboard({ address: "page=teams&days=90&authors=yes", options: phone });
  let tables = 0;
  for (const title of ["Teams and repositories", "Overview", "Quality"]) {
    await goTo(page, title);
    for (const button of await page.getByRole("button", { name: /^Numbers:/ }).all()) await button.click();
    for (const table of await page.locator("table").all()) {
      const heads = (await table.locator("thead th").allTextContents()).map((each) =>
        each.replace(/ [↓↑]$/, ""),
      );
      if (!heads.includes("Acceptance")) continue;
      tables++;
      expect(heads.indexOf("Acceptance"), heads.join(", ")).toBe(1);
    }
  }
  expect(tables).toBeGreaterThan(6);
});

test("a list opens in a panel at its title, Escape closes it, and a second click opens it again", async () => {
  const { page } = await openDashboard({ kind: "organization", address: "days=90" });
  await untilRead(page);
  const link = page.getByRole("link", { name: /^List the \d+ without a human review$/ });
  const count = Number(/\d+/.exec((await link.textContent()) ?? "")?.[0]);
  const panel = page.getByRole("dialog", { name: "Without a human review" });
  for (let click = 0; click < 2; click++) {
    await link.click();
    await panel.waitFor();
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Without a human review");
    expect(await panel.locator("tbody tr").count()).toBe(count);
    expect(page.url()).toContain("list=no-review");
    if (click === 0) await expectAccessible(page);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    expect(page.url()).not.toContain("list=");
    // The focus is back where it was.
    expect(await link.evaluate((each) => each === document.activeElement)).toBe(true);
  }
  await page.goBack();
  await panel.waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "CSV: Without a human review" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^pull-requests-no-review-[\d-]+-to-[\d-]+\.csv$/);
  const [head, ...rows] = (await text(await download.createReadStream())).trimEnd().split("\r\n");
  expect(head).toBe(listColumns.map(([name]) => name).join(","));
  expect(rows).toHaveLength(count);
});

test("a team's list names author and team, goes on past 200 rows, and its file has what it shows", async () => {
  const records = Array.from({ length: 450 }, (_, index) =>
    review(index, { author_id: "502", author_username: "ben", merged_at: new Date().toISOString() }),
  );
  const { page } = await openDashboard({
    kind: "organization",
    address: "page=teams",
    prepare: (page) =>
      page.route("**/v1/metrics/review*", (route) =>
        route.fulfill({
          json: { data: route.request().url().includes("/reviews?") ? records : [], next_cursor: null },
        }),
      ),
  });
  await untilRead(page);
  await card(page, "By team").locator("tbody a").first().click();
  const panel = page.getByRole("dialog");
  const rows = panel.locator("tbody tr");
  await expect.poll(() => rows.count()).toBe(200);
  const heads = await panel.locator("thead th").allTextContents();
  expect(heads.slice(2, 4)).toEqual(["Author", "Team"]);
  expect(await rows.first().locator("td").nth(1).textContent()).toBe("ben");
  await panel.getByRole("button", { name: "Show 200 more" }).click();
  await expect.poll(() => rows.count()).toBe(400);
  expect(page.url()).toContain("rows=400");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    panel.getByRole("button", { name: /^CSV/ }).click(),
  ]);
  expect((await text(await download.createReadStream())).trimEnd().split("\r\n")).toHaveLength(401);
  await panel.getByRole("button", { name: "Show 200 more" }).click();
  await expect.poll(() => rows.count()).toBe(450);
  expect(await panel.getByRole("button", { name: /more$/ }).count()).toBe(0);
});
