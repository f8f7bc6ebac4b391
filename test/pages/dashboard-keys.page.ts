import { describe, expect, test } from "vitest";
import { type KeyKind, keyKinds } from "../../lib/contract/access.ts";
import { llmsPath, referenceFiles, referencePages, searchPath } from "../../lib/contract/reference.ts";
import { enterKey, goTo, leftOut, openDashboard, untilRead } from "./dashboard.ts";
import { expectGoodLooks, openPage, service } from "./support.ts";

const approval = "Learnings that wait for approval";
const administration = ["Seats", "Keys", "Webhooks", "Recent audit entries"];
const all = ["Overview", "Teams and repositories", "Quality", "Administration"];

/**
 * The pages that each kind of key offers, and what it may not read, written by hand ("Who may call what" in
 * docs/use/keys.md). The user key is a member's, the others are admins'.
 */
const expected: Readonly<Record<Exclude<KeyKind, "agentic">, { pages: string[]; leftOut: string[] }>> = {
  organization: { pages: all, leftOut: [] },
  // Of the keys it sees itself.
  user: {
    pages: all,
    leftOut: ["Open security findings", approval, ...administration.filter((part) => part !== "Keys")],
  },
  workspace: { pages: all, leftOut: ["Open security findings"] },
  instance: { pages: all, leftOut: [] },
  legacy: {
    pages: all.slice(0, 3),
    leftOut: ["By team", "Open security findings", approval, ...administration],
  },
};
const kinds = keyKinds.filter((kind) => kind !== "agentic");

test.each(kinds)("a key of kind %s offers what it may read, and says why not the rest", async (kind) => {
  const { page, faults, origins } = await openDashboard({ kind });
  await untilRead(page);
  expect(await page.locator(".headlines").count()).toBe(1);
  const links = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
  expect(await links.allTextContents()).toEqual(expected[kind].pages);
  const missing = new Set<string>();
  for (const title of expected[kind].pages) {
    await goTo(page, title);
    for (const name of await leftOut(page)) missing.add(name);
    for (const sentence of await page.locator(".left-out").allTextContents())
      expect(sentence).toMatch(/Keys of kind|It needs a/);
    expect(await page.locator(".failed").count()).toBe(0);
  }
  expect([...missing].toSorted()).toEqual(expected[kind].leftOut.toSorted());
  // The page does not even request refused data: each refusal would be an entry of the audit log.
  expect(faults).toEqual([]);
  expect([...origins]).toEqual([service().url]);
});

test("an address of a page that the key does not offer says why, and the other pages work", async () => {
  const { page } = await openDashboard({ kind: "legacy", address: "page=administration" });
  await untilRead(page);
  expect(await leftOut(page)).toEqual(expect.arrayContaining(administration));
  await goTo(page, "Overview");
  expect(await page.locator(".headlines").count()).toBe(1);
});

test("an agentic key is refused at the gate with a sentence", async () => {
  const { page } = await openDashboard({ kind: "agentic" });
  await expect.poll(() => page.getByRole("alert").textContent()).toMatch(/^This is an agentic key/);
  await enterKey(page, service().keys.organization);
  await page.locator(".headlines").waitFor();
});

test("the first page says in two sentences what it shows and where a key comes from, and is accessible", async () => {
  const { page, faults } = await openPage();
  await page.goto(`${service().url}/dashboard`);
  expect((await page.locator(".lead").textContent())?.split(". ")).toEqual([
    "This page shows what automated reviews find, what becomes of it and how long pull requests take",
    "An admin makes a key with npx --no-install review-api keys create; a service with demo data prints a link that carries one",
    "More about keys",
  ]);
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

  test("a link may carry the key behind #: the page takes it, and no address keeps it", async () => {
    const { page } = await openPage();
    const key = service().keys.organization;
    page.on("request", (request) => expect(request.url()).not.toContain(key));
    await page.goto(`${service().url}/dashboard#days=7&key=${key}`);
    await untilRead(page);
    expect(new URL(page.url()).hash).toBe("#days=7");
    expect(await page.evaluate(places)).not.toContain(key);
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
    await page.getByRole("button", { name: "Forget key" }).click();
    // Also in a page that waits for a key.
    await page.evaluate("location.hash = 'key=rk_workspace_mistyped'");
    await expect.poll(() => page.getByRole("alert").textContent()).toContain("The service refuses this key");
    expect(page.url()).toBe(`${service().url}/dashboard`);
  });

  test("a link does not replace the tab's key: not in the open page, nor the kept one where it starts", async () => {
    const { page } = await openPage();
    await page.goto(`${service().url}/dashboard`);
    await enterKey(page, service().keys.workspace, true);
    await untilRead(page);
    const link = `#key=${service().keys.organization}&days=7`;
    const isRefused = async () => {
      await page.getByText("The link's key was not used, because this tab has a key.").first().waitFor();
      expect(new URL(page.url()).hash).toBe("#days=7");
      expect(await page.evaluate("sessionStorage.getItem('review-api-key')")).toBe(service().keys.workspace);
    };
    await page.evaluate(`location.hash = ${JSON.stringify(link)}`);
    await isRefused();
    await page.goto("about:blank");
    await page.goto(`${service().url}/dashboard${link}`);
    await untilRead(page);
    await isRefused();
  });

  test("a link without a key behind #key= counts as none, and a kept key stays", async () => {
    const { page } = await openPage();
    await page.goto(`${service().url}/dashboard#key=%20&days=7`);
    await enterKey(page, service().keys.workspace, true);
    await untilRead(page);
    expect(new URL(page.url()).hash).toBe("#days=7");
    // In the open page, then where it starts.
    await page.evaluate("location.hash = 'key=&page=teams'");
    await page.getByRole("heading", { name: "Teams and repositories", level: 2 }).waitFor();
    await page.goto("about:blank");
    await page.goto(`${service().url}/dashboard#key=`);
    await untilRead(page);
    expect(page.url()).toBe(`${service().url}/dashboard`);
  });

  test("no answer to the page contains a key: not the page itself, nor what it reads", async () => {
    const answers = new Map<string, Promise<string>>();
    const { page } = await openDashboard({
      kind: "organization",
      prepare: async (page) =>
        page.on("response", (response) => {
          const { pathname } = new URL(response.url());
          answers.set(pathname, response.text());
        }),
    });
    await untilRead(page);
    for (const title of all.slice(1)) await goTo(page, title);
    const open = [...Object.keys({ ...referenceFiles, ...referencePages }), searchPath, llmsPath];
    for (const path of [...open, "/.review-api/demo-keys.json", "/demo-keys.json"])
      answers.set(
        path,
        fetch(`${service().url}${path}`).then((answer) => answer.text()),
      );
    expect(answers.has("/v1/audit-logs")).toBe(true);
    for (const [path, answer] of answers) {
      const text = await answer;
      for (const key of Object.values(service().keys)) expect(text.includes(key), path).toBe(false);
    }
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
    for (const title of ["Quality", "Administration"]) await goTo(page, title);
    expect(carrying.length).toBeGreaterThan(5);
    expect(carrying.every((path) => path.startsWith("/v1/"))).toBe(true);
  });
});
