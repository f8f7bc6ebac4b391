import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import * as z from "zod";
import { firstLine, spawnTool } from "../support/tool.ts";
import { card, openDashboard, untilRead } from "./dashboard.ts";
import { expectAccessible, service } from "./support.ts";

const requestId = "0192-quote-me";
const refuse = (route: Route, status: number, code: string, headers: Record<string, string> = {}) =>
  route.fulfill({
    status,
    headers: { "x-request-id": requestId, ...headers },
    json: { error: { code, message: `Answered with ${status}.` } },
  });

/** Requests to this path get 500 while it is broken. */
function breakable(path: string, isBroken: boolean) {
  const fault = {
    isBroken,
    prepare: (page: Page) =>
      page.route(path, (route) => (fault.isBroken ? refuse(route, 500, "INTERNAL_ERROR") : route.continue())),
  };
  return fault;
}

test("the page waits after 429 and 503, with a message, and then shows the figures", async () => {
  let asked = 0;
  const { page, faults } = await openDashboard({
    kind: "instance",
    prepare: (page) =>
      page.route("**/v1/metrics/reviews?*", async (route) => {
        asked++;
        if (asked === 1) return refuse(route, 429, "RATE_LIMIT_EXCEEDED", { "retry-after": "4" });
        if (asked === 2) return refuse(route, 503, "METRICS_PREPARING", { "retry-after": "1" });
        return route.continue();
      }),
  });
  await page.getByText("as the service asks").waitFor();
  await untilRead(page);
  // The last one is about the period before.
  expect([asked, await page.locator(".headlines").count()]).toEqual([4, 1]);
  expect(await page.getByText("as the service asks").count()).toBe(0);
  expect(faults).toEqual([]);
});

test("a section that fails says so and can be retried; the others stay", async () => {
  const audit = breakable("**/v1/audit-logs?*", true);
  const { page } = await openDashboard({
    kind: "instance",
    address: "page=administration",
    prepare: audit.prepare,
  });
  await untilRead(page);
  const failed = card(page, "Recent audit entries");
  await expect
    .poll(() => failed.textContent())
    .toContain(`This could not be read. Answered with 500. Request id: ${requestId}.`);
  expect(await card(page, "Seats").count()).toBe(1);
  await expectAccessible(page);
  audit.isBroken = false;
  await failed.getByRole("button", { name: "Try again" }).click();
  await failed.getByRole("table").waitFor();
});

test("a key that is revoked during the session ends it: the figures and the stored key are removed", async () => {
  const { key, id } = await ownKey();
  let isToBeRevoked = false;
  const revokedWith: number[] = [];
  const { page } = await openDashboard({
    key,
    isKept: true,
    address: "days=7",
    // After the answer to whoami, while the sections are read.
    prepare: (page) =>
      page.route("**/v1/metrics/reviews?*", async (route) => {
        if (isToBeRevoked && revokedWith.length === 0) revokedWith.push(await revoke(key, id));
        await route.continue();
      }),
  });
  await untilRead(page);
  expect(await page.locator(".headlines").count()).toBe(1);
  isToBeRevoked = true;
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect.poll(() => page.getByRole("alert").textContent()).toContain("was revoked");
  expect(revokedWith).toEqual([204]);
  expect(await page.locator("#figures").count()).toBe(0);
  expect(await page.evaluate("sessionStorage.length")).toBe(0);
  // The view stays in the address: another key continues where this one stopped.
  expect(new URL(page.url()).hash).toBe("#days=7");
});

test("while it is read the page has its final layout: nothing has jumped when it is read", async () => {
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
  const boxes = () =>
    page
      .locator(".headlines > *, .trend, h2:visible")
      .evaluateAll((all) =>
        all
          .map((each) => each.getBoundingClientRect())
          .map(({ x, y, width, height }) => [x, y, width, height]),
      );
  await page.locator(".headlines").waitFor();
  const reading = await boxes();
  expect(reading).toHaveLength(5 + 5 + 2);
  expect(await page.locator(".headlines strong").count()).toBe(0);
  release();
  await untilRead(page);
  expect(await boxes()).toHaveLength(reading.length);
  // A chart gets its width a moment after it is drawn.
  const moved = async () =>
    (await boxes()).flat().map((value, at) => Math.abs(value - (reading.flat()[at] ?? 0)));
  await expect.poll(async () => Math.max(...(await moved()))).toBeLessThan(3);
});

test("the page distinguishes a service that does not answer from a key that does not work", async () => {
  const { page } = await openDashboard({
    prepare: (page) => page.route("**/v1/**", (route) => route.abort("connectionrefused")),
  });
  await expect.poll(() => page.getByRole("alert").textContent()).toBe("The service does not respond.");
  await expect.poll(() => page.workers()).toEqual([]);
});

test("a refresh without an answer keeps the figures and says so; the next one works", async () => {
  const whoami = breakable("**/v1/whoami", false);
  const { page } = await openDashboard({ kind: "instance", prepare: whoami.prepare });
  await untilRead(page);
  whoami.isBroken = true;
  await page.getByRole("button", { name: "Refresh" }).click();
  const alert = page.locator("main > [role=alert]");
  const words = `These figures were not refreshed: Answered with 500. Request id: ${requestId}.`;
  await expect.poll(() => alert.textContent()).toBe(words);
  // A screen reader hears it too, in place of the last good news.
  expect(await page.locator(".unseen[role=status]").textContent()).toBe(words);
  expect(await page.locator(".headlines").count()).toBe(1);
  await expectAccessible(page);
  whoami.isBroken = false;
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect.poll(() => alert.textContent()).toBe("");
});

test("only http and https addresses become links", async () => {
  const { page, faults } = await openDashboard({
    address: "page=teams&days=90",
    kind: "instance",
    prepare: (page) => page.route("**/v1/metrics/re*", withHostileAddress),
  });
  await untilRead(page);
  await page.getByRole("link", { name: "scheduler" }).click();
  const listed = page.getByRole("dialog");
  await listed.waitFor();
  expect(await listed.getByText("<img src=x onerror=alert(1)>").count()).toBe(1);
  const targets = await listed
    .getByRole("link")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  expect(targets.length).toBeGreaterThan(1);
  expect(targets.filter((target) => !target?.startsWith("https://"))).toEqual([]);
  expect(faults).toEqual([]);
});

const page = z.looseObject({
  data: z.array(z.looseObject({ pr_url: z.string(), repository_id: z.string() })),
});

/** The newest pull request of the scheduler has a script as its address, with markup in it. */
async function withHostileAddress(route: Route): Promise<void> {
  const response = await route.fetch();
  const body = page.parse(await response.json());
  const chosen = body.data.filter(({ repository_id }) => repository_id === "9001").at(-1);
  if (chosen) chosen.pr_url = "javascript:/<img src=x onerror=alert(1)>";
  await route.fulfill({ response, json: body });
}

async function revoke(key: string, id: string): Promise<number> {
  const headers = { "x-service-api-key": key };
  return (await fetch(`${service().url}/v1/keys/${id}`, { method: "DELETE", headers })).status;
}

/** A separate key that a test may revoke; a rotated one would take the demo's key along, which other pages use. */
async function ownKey(): Promise<{ key: string; id: string }> {
  const words = "keys create --kind organization --org 1001 --owner 501 --role cr_admin --json".split(" ");
  const line = await firstLine(spawnTool([...words, "--data", service().folder]));
  return z.object({ key: z.string(), id: z.string() }).parse(JSON.parse(line));
}
