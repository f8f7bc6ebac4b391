import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { listColumns } from "../../lib/report/lists.ts";
import { review } from "../report/records.ts";
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

/** How green a colour is, against the card behind it. */
const greenOf = async (page: Page, heat: number): Promise<number> =>
  Number(
    await page.evaluate(`(() => {
    const one = document.body.appendChild(Object.assign(document.createElement("b"), { className: "share heat-${heat}" }));
    const canvas = new OffscreenCanvas(1, 1).getContext("2d");
    canvas.fillStyle = getComputedStyle(one).backgroundColor;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green] = canvas.getImageData(0, 0, 1, 1).data;
    one.remove();
    return green - red;
  })()`),
  );

test("the colour follows the share: 56 % is far less green than 80 %, and a low one is amber", async () => {
  const { page } = await openDashboard({ address: "page=teams" });
  await untilRead(page);
  const [low, middle, high] = [await greenOf(page, 2), await greenOf(page, 6), await greenOf(page, 8)];
  expect(low).toBeLessThan(0);
  expect(middle).toBeGreaterThan(0);
  expect(high).toBeGreaterThan(2 * middle);
});

/** What each colour may stand for, on all pages. */
const meanings: ReadonlyArray<readonly string[]> = [
  ["Pull requests", "Findings per pull request", "Used, not idle", "Active: used in the last 30 days"],
  ["Used elsewhere", "Used before that"],
  ["First review, median", "First review, 90 %"],
  ["Merge, median", "Merge, 90 %"],
  ["Accepted", "Acceptance"],
  ["Not accepted"],
  ["Unknown", "Unknown, counted apart"],
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
        ".swatch[class*='-'], .swatch.one, .swatch.unknown, .swatch.accepted, .swatch.none, .swatch.faint, .swatch.merge, .swatch.attention",
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
    ...{ kind: "organization", address: "page=teams" },
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
