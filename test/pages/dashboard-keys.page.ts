import { describe, expect, test } from "vitest";
import { type KeyKind, keyKinds } from "../../lib/contract/access.ts";
import { enterKey, leftOut, openDashboard, untilRead } from "./dashboard.ts";
import { expectGoodLooks, openPage, service } from "./support.ts";

const approval = "Learnings that wait for approval";
const administration = ["Seats", approval, "Webhooks", "Recent audit entries"];

/**
 * What each kind of key may not read, written by hand ("Who may call what" in docs/use/guide.md). The user key is a
 * member's, the others are admins'.
 */
const expected: Readonly<Record<KeyKind, readonly string[]>> = {
  organization: [],
  user: ["Open security findings", ...administration],
  workspace: ["Open security findings"],
  instance: [],
  legacy: ["By team", "Open security findings", ...administration],
  agentic: [
    ...["Reviews", "MCP use", "Open security findings", "Seats"],
    ...["Learnings by use", approval, "Webhooks", "Recent audit entries"],
  ],
};

test.each(keyKinds)("a key of kind %s shows what it may read, and names what it may not", async (kind) => {
  const { page, faults, origins } = await openDashboard({ kind });
  await untilRead(page);
  expect((await leftOut(page)).toSorted()).toEqual([...expected[kind]].toSorted());
  for (const sentence of await page.locator(".left-out p").allTextContents())
    expect(sentence).toMatch(/Keys of kind|It needs a/);
  expect(await page.locator(".headlines").count()).toBe(kind === "agentic" ? 0 : 1);
  expect(await page.locator(".failed").count()).toBe(0);
  await expectGoodLooks(page);
  // The page does not even request refused data: each refusal would be an entry of the audit log.
  expect(faults).toEqual([]);
  expect([...origins]).toEqual([service().url]);
});

test("the first page is accessible", async () => {
  const { page, faults } = await openPage();
  await page.goto(`${service().url}/dashboard`);
  await expectGoodLooks(page);
  expect(faults).toEqual([]);
});

test("a mistyped key is refused with a message, and another one can be pasted", async () => {
  const { page } = await openDashboard({ key: "rk_workspace_mistyped" });
  await expect.poll(() => page.getByRole("alert").textContent()).toContain("The service refuses this key");
  await enterKey(page, service().keys.organization);
  await page.locator(".headlines").waitFor();
});

/** Simulates a browser whose cookies are switched off. */
const forbidStorage = `Object.defineProperty(window, "sessionStorage", { get() { throw new DOMException("no", "SecurityError"); } })`;

describe("the key", () => {
  const places = `JSON.stringify([location.href, document.cookie, Object.entries(localStorage), document.documentElement.outerHTML])`;

  test("the key stays in memory: it is in no address, storage or markup, and a reload removes it", async () => {
    const { page } = await openDashboard();
    await untilRead(page);
    const key = service().keys.workspace;
    expect(await page.evaluate(places)).not.toContain(key);
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
    await page.reload();
    await page.getByLabel("API key").waitFor();
  });

  test("the key is stored for the tab if the user chooses so, until it is removed", async () => {
    const { page } = await openDashboard({ isKept: true });
    await untilRead(page);
    await page.reload();
    await page.locator(".headlines").waitFor();
    expect(await page.evaluate(places)).not.toContain(service().keys.workspace);
    const other = await page.context().newPage();
    await other.goto(`${service().url}/dashboard`);
    await other.getByLabel("API key").waitFor();
    await page.getByRole("button", { name: "Forget key" }).click();
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
    await page.reload();
    await page.getByLabel("API key").waitFor();
  });

  test("a key opens the page even if the browser stores nothing, also if it should be stored", async () => {
    const { page, faults } = await openDashboard({
      isKept: true,
      prepare: (page) => page.addInitScript(forbidStorage),
    });
    await untilRead(page);
    await page.getByRole("button", { name: "Forget key" }).click();
    await page.getByLabel("API key").waitFor();
    expect(faults).toEqual([]);
  });

  test("the key is sent in its header, and only to the API", async () => {
    const { page } = await openPage();
    const carrying: string[] = [];
    page.on("request", (request) => {
      if (request.headers()["x-service-api-key"]) carrying.push(new URL(request.url()).pathname);
      expect(request.url()).not.toContain("rk_");
    });
    await page.goto(`${service().url}/dashboard`);
    await enterKey(page, service().keys.instance);
    await untilRead(page);
    expect(carrying.length).toBeGreaterThan(5);
    expect(carrying.every((path) => path.startsWith("/v1/"))).toBe(true);
  });
});
