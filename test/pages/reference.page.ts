import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { operations } from "../../lib/contract/operations.ts";
import { startStage } from "./stage.ts";
import { desktop, expectAccessible, expectGoodLooks, openPage, phone, service } from "./support.ts";

const at = (path: string): string => `${service().url}${path}`;

/** Sends the form as it is filled in; returns the status line and the body that the page shows. */
async function send(page: Page): Promise<{ readonly status: string; readonly body: string }> {
  await page.click("form.try button[type=submit]");
  await page.locator("#try-status", { hasText: / after \d+ ms/ }).waitFor();
  const [status = "", body = ""] = await page.locator("#try-status, #try-answer code").allTextContents();
  return { status, body };
}

test.each([
  "/docs",
  "/docs/operations/listReviewMetrics",
  "/docs/operations/createLearnings",
  "/docs/operations/deleteRole",
  "/docs/errors",
  "/docs/errors/INVALID_CURSOR",
  "/docs/events",
  "/docs/guide",
  "/docs/keys",
  "/docs/jobs/warehouse",
])("%s is accessible, fits the window, causes no errors and contacts no other host", async (path) => {
  const { page, faults, origins } = await openPage();
  await page.goto(at(path));
  await expectGoodLooks(page);
  expect(faults).toEqual([]);
  expect([...origins]).toEqual([service().url]);
});

test("the root links to the first page, and its menu to every operation", async () => {
  const { page } = await openPage();
  await page.goto(at("/"));
  expect(await page.locator("h1").textContent()).toBe("First steps");
  expect(await page.locator("#menu a .method").count()).toBe(operations.length);
  await page.click('#menu a[href$="/whoami"]');
  expect(new URL(page.url()).pathname).toBe("/docs/operations/whoami");
});

test("a typed key calls the operation; without one the answer says what is missing", async () => {
  const { page, faults } = await openPage();
  await page.goto(at("/docs/operations/whoami"));
  expect(await page.getAttribute("#try-key", "type")).toBe("password");
  const refused = await send(page);
  expect([refused.status, refused.body]).toEqual([
    expect.stringMatching(/^401 /),
    expect.stringContaining("UNAUTHORIZED"),
  ]);
  await page.fill("#try-key", service().keys.workspace);
  const known = await send(page);
  expect([known.status, known.body]).toEqual([
    expect.stringMatching(/^200 /),
    expect.stringContaining('"kind": "workspace"'),
  ]);
  // The browser reports the one refused call above.
  await expect.poll(() => faults).toEqual([expect.stringContaining("status of 401")]);
});

test("a form with only a key filled in gets an answer", async () => {
  const { page } = await openPage();
  await page.goto(at("/docs/operations/listReviewMetrics"));
  await page.fill("#try-key", service().keys.workspace);
  await page.fill("#input-limit", "2");
  const { status, body } = await send(page);
  expect([status, body]).toEqual([expect.stringMatching(/^200 /), expect.stringContaining('"pr_url"')]);
  await expectAccessible(page);
});

test("a key is stored for the tab only on request, and never in an address or beyond the tab", async () => {
  const { page } = await openPage();
  const key = service().keys.organization;
  await page.goto(at("/docs/operations/whoami"));
  await page.fill("#try-key", key);
  await page.goto(at("/docs/operations/listRoles"));
  expect(await page.inputValue("#try-key")).toBe("");
  await page.fill("#try-key", key);
  await page.check("#try-keep");
  await page.goto(at("/docs/operations/whoami"));
  expect(await page.inputValue("#try-key")).toBe(key);
  expect(await page.evaluate("JSON.stringify(localStorage) + location.href + document.cookie")).not.toContain(
    key,
  );
  await page.uncheck("#try-keep");
  await page.reload();
  expect(await page.inputValue("#try-key")).toBe("");
});

test("search works by keyboard alone: open, use, follow a result", async () => {
  const { page } = await openPage();
  await page.goto(at("/docs"));
  await page.keyboard.press("/");
  await page.keyboard.type("INVALID_CURSOR");
  await page.locator("#search-found a").first().waitFor();
  await expectAccessible(page);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/docs/errors/INVALID_CURSOR");
  await page.keyboard.press("/");
  await page.keyboard.type("coderabbit_comments[].accepted");
  await page.locator("#search-found a").first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/listReviewCommentMetrics#answer-data.coderabbit_comments.accepted");
  expect(await page.locator(".fields li:target").textContent()).toContain("Stored resolution outcome");
  await page.keyboard.press("/");
  await page.keyboard.type("nothing is called zyx");
  await page.locator("#search-count", { hasText: "0 found" }).waitFor();
  await page.keyboard.press("Escape");
  expect(await page.locator("#search[open]").count()).toBe(0);
});

test("samples name the service that served the page, and the language is remembered", async () => {
  const { page } = await openPage();
  await page.goto(at("/docs/operations/listRoles"));
  expect(await page.locator("[data-language=curl] code").textContent()).toContain(`"${at("/v1/roles")}"`);
  await page.getByRole("radio", { name: "curl" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.goto(at("/docs/operations/whoami"));
  expect(await page.locator("[data-language=Python]").isVisible()).toBe(true);
  expect(await page.locator("[data-language=curl]").isVisible()).toBe(false);
});

test("samples ask for the last 30 days, in every language; the first copy and paste answers records", async () => {
  const { page } = await openPage();
  await page.goto(at("/docs/operations/listReviewMetrics"));
  const texts = await page.locator(".sample code").allTextContents();
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
  expect(texts).toHaveLength(3);
  for (const text of texts) expect(text.match(/20\d\d-\d\d-\d\d/g)).toEqual([day(30), day(0)]);
  // Each parameter has a line of its own.
  const lines = (texts[0] ?? "").split("\n");
  expect(lines.map((line) => line.trim().split(" ")[0])).toEqual(["curl", "-d", "-d", "-H"]);
  const [, address = ""] = /"(http[^"]*)"/.exec(lines[0] ?? "") ?? [];
  const query = lines.flatMap((line) => /-d "([^"]*)"/.exec(line)?.[1] ?? []).join("&");
  const answer = await fetch(`${address}?${query}`, {
    headers: { "x-service-api-key": service().keys.workspace },
  });
  expect(await answer.json()).toMatchObject({ data: expect.arrayContaining([expect.anything()]) });
});

test("the samples follow the form in every language, without its key, and stay inside their box", async () => {
  const { page } = await openPage();
  await page.goto(at("/docs/operations/listReviewMetrics"));
  await page.fill("#try-key", "rk_organization_never_shown");
  await page.fill("#input-limit", "7");
  await page.fill("#input-user_ids", "501,502");
  const sample = (language: string) => page.locator(`[data-language=${language}] code`).textContent();
  expect(await sample("curl")).toContain(' \\\n  -d "user_ids=501%2C502"');
  expect(await sample("curl")).toContain(`curl -G "${at("/v1/metrics/reviews")}" \\\n  -d "start_date=`);
  expect(await sample("TypeScript")).toMatch(/query: \{[^}]*limit: 7/);
  expect(await sample("Python")).toMatch(/query = \{[^}]*"limit": 7/);
  for (const language of ["curl", "TypeScript", "Python"]) {
    expect(await sample(language)).not.toMatch(/never_shown|«/);
    await page.locator(".languages label", { hasText: language }).click();
    expect(await page.getByRole("radio", { name: language }).isChecked()).toBe(true);
    const box = page.locator(`[data-language=${language}] pre`);
    expect(await box.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
  }
  await page.goto(at("/docs/operations/createLearnings"));
  await page.fill("#try-body", '{"data": [true, null]}');
  expect(await sample("Python")).toContain("True");
  expect(await sample("curl")).toContain(`-d '{"data": [true, null]}'`);
});

test("a long page lists its parts, and the table of errors fits a phone", async () => {
  const { page } = await openPage(phone);
  await page.goto(at("/docs/keys"));
  const contents = page.getByRole("navigation", { name: "On this page" }).getByRole("link");
  expect(await contents.count()).toBeGreaterThan(5);
  await contents.filter({ hasText: "Scopes" }).click();
  expect(new URL(page.url()).hash).toBe("#scopes");
  for (const path of ["/docs/errors", "/docs/operations/createLearnings"]) {
    await page.goto(at(path));
    const table = page.locator(".scroll:has(a[href*='errors/'])").first();
    expect(await table.evaluate((each) => each.scrollWidth - each.clientWidth), path).toBe(0);
  }
});

test.each(["/docs/nowhere", "/nowhere/at/all"])(
  "%s is a page for browsers, and JSON for programs",
  async (path) => {
    const { page } = await openPage();
    const answer = await page.goto(at(path));
    expect([answer?.status(), await page.locator("h1").textContent()]).toEqual([
      404,
      "There is nothing here",
    ]);
    await expectGoodLooks(page);
    await page.getByRole("link", { name: "Reference of the API" }).click();
    expect(await page.locator("h1").textContent()).toBe("First steps");
    const json = await fetch(at(path));
    expect([json.status, await json.json()]).toMatchObject([404, { error: { code: "NOT_FOUND" } }]);
  },
);

test.each([
  ["rotate", "/docs/operations/rotateKey"],
  ["legacy", "/docs/errors/LEGACY_API_KEY"],
  ["leak", "/docs/keys#a-key-leaked"],
])("a search for “%s” leads to %s first", async (word, place) => {
  const { page } = await openPage();
  await page.goto(at("/docs"));
  await page.keyboard.press("/");
  await page.keyboard.type(word);
  await page.locator("#search-found a").first().waitFor();
  expect(await page.locator("#search-found a").first().getAttribute("href")).toContain(place);
});

test("the reader can choose light or dark against the system, and the choice is kept", async () => {
  const { page } = await openPage({ ...desktop, colorScheme: "light" });
  await page.goto(at("/docs"));
  const back = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  const light = await back();
  await page.click("#scheme");
  await page.click("#scheme");
  const dark = await back();
  expect(dark).not.toBe(light);
  await page.goto(at("/docs/errors"));
  expect(await back()).toBe(dark);
});

test("on a phone the menu opens and closes, and its links work", async () => {
  const { page } = await openPage(phone);
  await page.goto(at("/docs"));
  expect(await page.locator("#menu").isVisible()).toBe(false);
  await page.click("text=Menu");
  await page.click("text=Close menu");
  expect(await page.locator("#menu").isVisible()).toBe(false);
  await page.click("text=Menu");
  await expectAccessible(page);
  await page.click("#menu >> text=Error codes");
  expect(await page.locator("h1").textContent()).toBe("Error codes");
});

test("without JavaScript the whole text is readable", async () => {
  const { page } = await openPage({ ...desktop, javaScriptEnabled: false });
  await page.goto(at("/docs/operations/createLearnings"));
  expect(await page.locator("#body-data").isVisible()).toBe(true);
  await page.getByText("Python", { exact: true }).first().click();
  expect(await page.locator("[data-language=Python] pre").isVisible()).toBe(true);
  expect(await page.locator("#try").isVisible()).toBe(false);
  await page.click("#menu >> text=Platform events");
  expect(await page.locator("h1").textContent()).toBe("Platform events");
});

test("the reference works below the stage of a deployed API, and calls it there", async () => {
  const stage = await startStage("/live", service().url);
  try {
    const { page, faults } = await openPage();
    await page.goto(`${stage.url}/docs`);
    await page.click('#menu a[href$="/whoami"]');
    await page.fill("#try-key", service().keys.organization);
    const [asked] = await Promise.all([page.waitForRequest("**/v1/whoami"), send(page)]);
    expect(asked.url()).toBe(`${stage.url}/v1/whoami`);
    await page.click("#search-open");
    await page.keyboard.type("seats");
    await page.locator("#search-found a").first().waitFor();
    expect(faults).toEqual([]);
  } finally {
    await stage.close();
  }
});
