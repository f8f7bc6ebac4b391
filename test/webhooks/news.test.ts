import { expect, test } from "vitest";
import { organizationTenant } from "../../lib/contract/tenants.ts";
import { parseWebhook, type WebhookItem } from "../../lib/store/items/webhook.ts";
import { OwnerNews } from "../../lib/webhooks/news.ts";
import { keyOfWebhook } from "../../lib/webhooks/scope.ts";
import { TestClock } from "../support/clock.ts";
import { useStore } from "../support/engine.ts";
import { World } from "../support/world.ts";

const store = useStore();
const clock = new TestClock("2026-11-15T00:00:00.000Z");
const world = new World(() => store().table, clock);

test("the first ring of the audit log comes, also of an empty log, and knows the newest settled entry", async () => {
  const uuid = await world.organization("one");
  const owner = organizationTenant(uuid);
  const id = await world.webhook(uuid, { types: ["audit_logs"] });
  const item = await store().table.get(keyOfWebhook({ owner }, id));
  const webhook = parseWebhook(item ?? expect.fail("The webhook is gone."));
  const newsOf = async (told: WebhookItem["rung"]) =>
    await new OwnerNews(store().table, clock.nowMs(), owner).of({ ...webhook, rung: told }, "audit_logs");

  const first = { mark: "0#2026-11", data: { organization_id: "one" } };
  expect(await newsOf({})).toEqual(first);
  expect(await newsOf({ audit_logs: first.mark })).toBeUndefined();
  clock.advance(600_000);
  const settled = await newsOf({});
  const { mark = "" } = settled ?? {};
  expect(mark).toMatch(/^0#2026-11-15T00:00:00\.\d{3}Z#/);
  expect(await newsOf({ audit_logs: first.mark })).toEqual(settled);
  expect(await newsOf({ audit_logs: mark })).toBeUndefined();
});
