import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createClient } from "../../lib/client/client.ts";
import { card, narrowKey, openDashboard, tabTo, untilRead } from "./dashboard.ts";
import { expectGoodLooks, service } from "./support.ts";

const api = (key: string) => createClient({ baseUrl: service().url, key });

/** A webhook of one organization, and a program that answers its rings. */
async function webhook(status: () => number) {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(status()).end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rings`;
  const client = api(service().keys.organization);
  const { id } = (await client.createWebhook({ body: { url, types: ["key.expiring"] } })).body;
  onTestFinished(async () => {
    await client.deleteWebhook({ path: { webhook_id: id } });
    server.close();
  });
  return { url };
}

test("webhooks are listed with their last delivery, and an admin tests them, also with the keyboard alone", async () => {
  let status = 204;
  const { url } = await webhook(() => status);
  const { page, faults } = await openDashboard({ kind: "organization", address: "page=administration" });
  await untilRead(page);
  const row = card(page, "Webhooks").getByRole("row").filter({ hasText: url });
  expect(await row.getByRole("rowheader").textContent()).toBe(`${url} `);
  expect(await row.getByRole("cell").allTextContents()).toEqual([
    "key.expiring",
    "on",
    "none yet Deliveries",
    "Test",
  ]);
  const result = row.getByRole("status");
  await tabTo(page, `Test ${url}`);
  await page.keyboard.press("Enter");
  await expect.poll(() => result.textContent()).toMatch(/^204 after \d+ ms$/);
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Test");
  status = 500;
  await row.getByRole("button", { name: `Test ${url}` }).click();
  await expect.poll(() => result.textContent()).toMatch(/^500 after/);
  await row.getByRole("button", { name: `Deliveries to ${url}` }).click();
  const rings = row.getByRole("listitem");
  await expect.poll(() => rings.count()).toBe(2);
  expect(await rings.allTextContents()).toEqual([
    expect.stringMatching(/, ping: 500 after \d+ ms $/),
    expect.stringMatching(/, ping: 204 after \d+ ms $/),
  ]);
  await expectGoodLooks(page);
  expect(faults).toEqual([]);
});

test("a workspace token sees the webhooks of an organization if it is the only one chosen", async () => {
  const { url } = await webhook(() => 204);
  const { page, faults } = await openDashboard({ address: "page=administration" });
  await untilRead(page);
  const shown = card(page, "Webhooks");
  expect(await shown.textContent()).toContain("There are none.");
  await page.getByText("Organizations: All").click();
  await page.getByLabel("acme-web", { exact: true }).check();
  await shown.getByRole("button", { name: `Test ${url}` }).click();
  await expect.poll(() => shown.getByRole("status").textContent()).toMatch(/^204/);
  expect(faults).toEqual([]);
});

test("a key that only reads webhooks sees their deliveries, and no button that tests them", async () => {
  const { url } = await webhook(() => 204);
  const key = await narrowKey("organization", ["webhooks:read"]);
  const { page, faults } = await openDashboard({ key, address: "page=administration" });
  await untilRead(page);
  const row = card(page, "Webhooks").getByRole("row").filter({ hasText: url });
  expect(await row.getByRole("button").allTextContents()).toEqual(["Deliveries"]);
  await row.getByRole("button", { name: `Deliveries to ${url}` }).click();
  await expect.poll(() => row.getByRole("listitem").allTextContents()).toEqual(["none in the last 7 days"]);
  expect(faults).toEqual([]);
});
