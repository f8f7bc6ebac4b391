import { describe, expect, test } from "vitest";
import { webhookLimits } from "../../../lib/contract/limits.ts";
import { organizationTenant, workspaceTenant } from "../../../lib/contract/tenants.ts";
import { webhookTypes } from "../../../lib/contract/webhooks.ts";
import { StoreMeter } from "../../../lib/store/meter.ts";
import { ringWebhooks } from "../../../lib/webhooks/ring.ts";
import { keyOfWebhook } from "../../../lib/webhooks/scope.ts";
import { github } from "../../support/world.ts";
import { minuteMs, useRinging } from "./ringing.ts";

const { clock, company, deps, endpoint, run, store, world } = useRinging();

describe("the cost", () => {
  const idle = async (): Promise<StoreMeter> => {
    const meter = new StoreMeter();
    clock().advance(minuteMs);
    await ringWebhooks(deps(store().table.metered(meter)));
    return meter;
  };

  test("of a run without webhooks is one empty query for each shard, whatever the tenants have", async () => {
    await company();
    await world().pullRequest(github("one"), 1, {});
    const { calls, writeUnits } = await idle();
    expect([calls.length, writeUnits]).toEqual([webhookLimits.shards, 0]);
    expect(new Set(calls.map(({ operation }) => operation))).toEqual(new Set(["Query"]));
  });

  test("of a webhook without news is at most 2 read units a minute and type, and nothing is written", async () => {
    const empty = (await idle()).readUnits;
    const uuid = await company();
    await world().pullRequest(github("one"), 1, {});
    await endpoint(uuid, webhookTypes);
    await run(4);
    const { calls, readUnits, writeUnits } = await idle();
    expect(writeUnits).toBe(0);
    // The scale page counts with eight trips for an owner.
    expect(calls.length - webhookLimits.shards).toBeLessThanOrEqual(8);
    expect(readUnits - empty).toBeGreaterThan(0);
    expect(readUnits - empty).toBeLessThanOrEqual(2 * webhookTypes.length);
  });

  test.each(webhookTypes)(
    "of a webhook with the type %s alone is at most 2 read units a minute, whoever has it",
    async (type) => {
      await world().workspace("acme");
      const uuid = await company("one", { workspace_id: "acme" });
      await world().pullRequest(github("one"), 1, {});
      await world().learning(github("one"), "Say why.");
      for (const owner of [uuid, "w#acme"]) {
        const before = (await idle()).readUnits;
        const { id } = await endpoint(owner, [type]);
        await run(4);
        expect([owner, (await idle()).readUnits - before <= 2]).toEqual([owner, true]);
        const webhook = { owner: owner === uuid ? organizationTenant(uuid) : workspaceTenant("acme") };
        await store().table.write({ delete: keyOfWebhook(webhook, id) });
      }
    },
  );

  test("of a first attempt is at most 5 write units, delivered or not, and of a second at most 10", async () => {
    const uuid = await company();
    const { receiver } = await endpoint(uuid, ["metrics.reviews"], 500);
    receiver.answer = (_, response) => void response.writeHead(500).end("x".repeat(1_000));
    const failed = await idle();
    expect([failed.writeUnits > 0, failed.writeUnits <= 5]).toEqual([true, true]);
    receiver.answer = (_, response) => void response.writeHead(200).end("x".repeat(1_000));
    clock().advance(minuteMs);
    const delivered = await idle();
    expect([delivered.writeUnits > 0, delivered.writeUnits <= 10]).toEqual([true, true]);
    await world().pullRequest(github("one"), 1, {});
    const first = await idle();
    expect([first.writeUnits > 0, first.writeUnits <= 5]).toEqual([true, true]);
  });
});
