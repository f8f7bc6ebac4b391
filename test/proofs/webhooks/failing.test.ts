import { describe, expect, test } from "vitest";
import { operatorOrigin } from "../../../lib/audit/entry.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { organizationTenant } from "../../../lib/contract/tenants.ts";
import { webhookTypes } from "../../../lib/contract/webhooks.ts";
import type { Table } from "../../../lib/store/table.ts";
import { listDeliveries } from "../../../lib/webhooks/deliveries.ts";
import { updateWebhook } from "../../../lib/webhooks/manage.ts";
import { ringWebhooks } from "../../../lib/webhooks/ring.ts";
import { organizationOf } from "../../support/stored.ts";
import { github, publicNetwork } from "../../support/world.ts";
import { dayMs, hourMs, minuteMs, typesOf, useRinging } from "./ringing.ts";

const { clock, company, deps, disablings, endpoint, run, store, world } = useRinging();

describe("a webhook that fails", () => {
  test("is tried again after 1, 5 and 30 minutes, 2, 5 and 10 hours, then every 10 hours, with the same id", async () => {
    const uuid = await company();
    const { receiver, stored } = await endpoint(uuid, ["metrics.reviews"], 500);
    const waits: number[] = [];
    for (let attempt = 0; attempt < 8; attempt++) {
      await run();
      expect(receiver.heard).toHaveLength(attempt + 1);
      const { due_ms = 0 } = (await stored()).retries["metrics.reviews"] ?? {};
      waits.push((due_ms - clock().now) / minuteMs);
      // One minute before it is due, nothing comes.
      clock().now = due_ms - 2 * minuteMs;
      await run();
      expect(receiver.heard).toHaveLength(attempt + 1);
    }
    expect(waits).toEqual([1, 5, 30, 120, 300, 600, 600, 600]);
    expect(new Set(receiver.heard.map(({ id }) => id)).size).toBe(1);
    const { records } = await listDeliveries({ table: store().table, nowMs: clock().now }, await stored(), {
      after: null,
      limit: 10,
    });
    expect(records).toEqual([
      {
        id: receiver.heard[0]?.id,
        type: "metrics.reviews",
        attempts: waits.map(() => expect.objectContaining({ status: 500, answer: "" })),
        state: "waiting",
      },
    ]);
  });

  test("gets a ring of Learnings with the same id again, until something is new", async () => {
    const uuid = await company();
    const { receiver } = await endpoint(uuid, ["learnings", "learning.pending"], 500);
    await run(8);
    expect(receiver.heard).toHaveLength(3);
    expect(new Set(receiver.heard.map(({ id }) => id)).size).toBe(1);
    await world().learning(github("one"), "Say why.");
    await run(31);
    expect(new Set(receiver.heard.map(({ id }) => id)).size).toBe(2);
  });

  test("gets one ring about everything, with another id, when it answers again", async () => {
    const uuid = await company();
    const { receiver, stored } = await endpoint(uuid, ["metrics.reviews"], 503);
    await run();
    await world().pullRequest(github("one"), 1, {});
    await world().pullRequest(github("one"), 2, {});
    receiver.answer = (_, response) => void response.writeHead(200).end("ok");
    await run(3);
    expect(receiver.heard).toHaveLength(2);
    expect(new Set(receiver.heard.map(({ id }) => id)).size).toBe(2);
    const page = (after: string | null) =>
      listDeliveries({ table: store().table, nowMs: clock().now }, awaited, { after, limit: 1 });
    const awaited = await stored();
    const first = await page(null);
    const second = await page(first.next);
    expect([first, second].flatMap(({ records }) => records.map(({ state }) => state))).toEqual([
      "delivered",
      "replaced",
    ]);
    expect(second.next).toBeNull();
    expect(awaited.retries).toEqual({});
  });

  test("with one type still gets the others", async () => {
    const uuid = await company();
    const { receiver } = await endpoint(uuid, ["metrics.mcp", "metrics.reviews"]);
    receiver.answer = ({ type }, response) =>
      void response.writeHead(type === "metrics.mcp" ? 500 : 204).end();
    await run();
    typesOf(receiver);
    await world().pullRequest(github("one"), 1, {});
    await run();
    expect(typesOf(receiver)).toContain("metrics.reviews");
  });

  test("is disabled at once by 410, with an audit entry, and the other webhooks are told", async () => {
    const uuid = await company();
    const gone = await endpoint(uuid, ["metrics.reviews"], 410);
    const other = await endpoint(uuid, ["webhook.disabled"]);
    await run(4);
    expect(await gone.stored()).toMatchObject({ disabled_reason: "gone" });
    expect(gone.receiver.heard).toHaveLength(1);
    expect(other.receiver.heard.map(({ data }) => data.webhooks)).toEqual([[{ webhook_id: gone.id }]]);
    await run(5);
    expect([gone.receiver.heard.length, other.receiver.heard.length]).toEqual([1, 1]);
    expect(await disablings(uuid)).toEqual([{ id: gone.id, actor: "webhooks", reason: "gone" }]);
  });

  test("is disabled after five days without a success, and rings every type when it is switched on", async () => {
    const uuid = await company();
    const { receiver, stored, id } = await endpoint(uuid, ["metrics.reviews", "learning.pending"], 500);
    for (let hours = 0; hours < 6 * 24; hours += 5) {
      clock().advance(5 * hourMs - minuteMs);
      await run();
    }
    const disabled = await stored();
    expect(disabled).toMatchObject({ disabled_reason: "failing" });
    const { since_ms = 0 } = disabled.retries["metrics.reviews"] ?? {};
    const days = (Date.parse(disabled.last_failure_at ?? "") - since_ms) / dayMs;
    expect(days).toBeGreaterThanOrEqual(5);
    expect(days).toBeLessThan(5.5);
    expect(await disablings(uuid)).toHaveLength(1);
    receiver.answer = (_, response) => void response.writeHead(204).end();
    receiver.heard.length = 0;
    const organization = await organizationOf(store().table, uuid);
    const scope = {
      owner: organizationTenant(uuid),
      tenant: organization.tenant,
      organization,
      authorized: null,
    };
    const manager = {
      ...world().deps,
      ...operatorOrigin,
      network: publicNetwork,
      admitted: Promise.resolve(),
    };
    await updateWebhook(manager, scope, id, { active: true });
    await run(2);
    expect(typesOf(receiver)).toEqual(["learning.pending", "metrics.reviews"]);
    expect(await stored()).toMatchObject({ disabled_reason: null, retries: {} });
  });

  test("is also disabled if it has a type with nothing to tell", async () => {
    const { stored } = await endpoint(await company(), ["metrics.reviews", "key.expiring"], 500);
    for (let hours = 0; hours < 6 * 24; hours += 3) {
      clock().advance(3 * hourMs - minuteMs);
      await run();
    }
    expect(await stored()).toMatchObject({ disabled_reason: "failing" });
  });

  test("or was deleted during the run does not end the run with an error", async () => {
    const uuid = await company();
    const deleted = await endpoint(uuid, ["metrics.reviews"]);
    const { receiver } = await endpoint(uuid, ["metrics.reviews"]);
    const secrets = kinds.webhookSecrets.key({ webhookId: deleted.id });
    const table: Table = {
      ...store().table,
      get: async (key, options) => {
        if (key.pk === secrets.pk && key.sk === secrets.sk) await store().table.write({ delete: secrets });
        return await store().table.get(key, options);
      },
    };
    expect(await ringWebhooks(deps(table))).toMatchObject({ delivered: 1, failed: 0 });
    expect([deleted.receiver.heard.length, receiver.heard.length]).toEqual([0, 1]);
  });
});

test("a ring that is repeated after a crash has the same id, whatever its type", async () => {
  const uuid = await company("one", { approval_delay_days: 3 });
  const types = webhookTypes.filter((type) => type !== "webhook.disabled");
  const { receiver } = await endpoint(uuid, types);
  const request = { kind: "organization", organization: uuid, owner: "u-admin", role: "cr_admin" } as const;
  await world().key({ ...request, expiresInDays: 2 });
  await world().learning(github("one"), "Wait.");
  await world().scan(github("one"), { repository_id: "9001" });
  clock().advance(1.3 * dayMs);
  const crashing: Table = {
    ...store().table,
    write: async (write, options) => {
      if ("update" in write) throw new Error("The worker ends before it records the results.");
      return await store().table.write(write, options);
    },
  };
  await expect(ringWebhooks(deps(crashing))).rejects.toThrow("The worker ends");
  const before = receiver.heard.splice(0).map(({ type, id }) => `${type} ${id}`);
  await run();
  expect(receiver.heard.map(({ type, id }) => `${type} ${id}`)).toEqual(before);
  expect(before).toHaveLength(types.length);
  receiver.heard.length = 0;
  await run(5);
  expect(typesOf(receiver)).toEqual([]);
});
