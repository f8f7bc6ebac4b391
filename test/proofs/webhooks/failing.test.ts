import { describe, expect, test } from "vitest";
import * as kinds from "../../../lib/contract/items.ts";
import { organizationTenant } from "../../../lib/contract/tenants.ts";
import { webhookTypes } from "../../../lib/contract/webhooks.ts";
import { type Key, queryAll, type Table, type TransactionWrite } from "../../../lib/store/table.ts";
import { listDeliveries } from "../../../lib/webhooks/deliveries.ts";
import { deleteWebhook, testWebhook, updateWebhook } from "../../../lib/webhooks/manage.ts";
import { ringWebhooks } from "../../../lib/webhooks/ring.ts";
import { keyOfWebhook } from "../../../lib/webhooks/scope.ts";
import { github } from "../../support/world.ts";
import { dayMs, type Endpoint, hourMs, minuteMs, typesOf, useRinging } from "./ringing.ts";

const { clock, company, deps, disablings, endpoint, managed, run, store, world } = useRinging();

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
        request: {
          headers: {
            "content-type": "application/json",
            "user-agent": "review-api-webhooks/1",
            "webhook-id": receiver.heard[0]?.id,
            "webhook-timestamp": expect.stringMatching(/^\d+$/),
          },
          body: expect.stringContaining('"type":"metrics.reviews"'),
        },
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

  test("lists its deliveries by the last attempt, also when the first was more than a week ago", async () => {
    const uuid = await company();
    const { receiver, stored, id } = await endpoint(uuid, ["metrics.mcp", "metrics.reviews"]);
    receiver.answer = ({ type }, response) =>
      void response.writeHead(type === "metrics.mcp" ? 500 : 204).end();
    for (let hours = 0; hours < 9 * 24; hours += 6) {
      clock().advance(6 * hourMs - minuteMs);
      if (hours % 24 === 0) await world().pullRequest(github("one"), hours, {});
      await run();
    }
    const { scope, manager } = await managed(uuid);
    clock().advance(1);
    await testWebhook(manager, scope, id);
    const list = async () => {
      const all: Array<Awaited<ReturnType<typeof listDeliveries>>["records"][number]> = [];
      for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
        const page = await listDeliveries({ table: store().table, nowMs: clock().now }, await stored(), {
          after,
          limit: 2,
        });
        all.push(...page.records);
        after = page.next;
      }
      return all;
    };
    const deliveries = await list();
    const lastOf = ({ attempts }: { readonly attempts: ReadonlyArray<{ readonly at: string }> }) =>
      attempts.at(-1)?.at ?? "";
    expect(deliveries.map(lastOf)).toEqual(deliveries.map(lastOf).toSorted().toReversed());
    expect(deliveries[0]).toMatchObject({ type: "ping", state: "delivered" });
    const [waiting, ...others] = deliveries.filter(({ state }) => state === "waiting");
    expect([waiting?.type, others]).toEqual(["metrics.mcp", []]);
    expect(waiting?.attempts.length).toBeGreaterThan(1);
    expect(new Set(deliveries.map((each) => each.id)).size).toBe(deliveries.length);
    // The last release wrote an item for each attempt; the next attempt takes their place.
    const { place = "" } = (await stored()).retries["metrics.mcp"] ?? {};
    const range = kinds.delivery.range({ webhookId: id, place });
    const [item] = await Array.fromAsync(queryAll(store().table, range));
    const { earlier, request, ...asBefore } = item ?? expect.fail("The delivery is gone.");
    for (const attempt of [0, 1, 2])
      await store().table.write({
        put: { ...asBefore, ...kinds.delivery.key({ webhookId: id, place, attempt }) },
      });
    await store().table.write({ delete: asBefore });
    await testWebhook(manager, scope, id);
    await run();
    const merged = (await list()).filter((each) => each.id === asBefore.id);
    expect(merged.map(({ attempts }) => attempts.length)).toEqual([4]);
  });

  test("keeps the last 30 attempts of a ring", async () => {
    const uuid = await company();
    const { stored, id } = await endpoint(uuid, ["metrics.reviews"], 500);
    for (let count = 0; count < 35; count++) {
      const { due_ms = clock().now + minuteMs } = (await stored()).retries["metrics.reviews"] ?? {};
      await store().table.write({
        update: keyOfWebhook({ owner: organizationTenant(uuid) }, id),
        change: { set: [["last_success_at", new Date(clock().now).toISOString()]] },
      });
      clock().now = due_ms;
      await ringWebhooks(deps());
    }
    const page = { after: null, limit: 10 };
    const { records } = await listDeliveries(
      { table: store().table, nowMs: clock().now },
      await stored(),
      page,
    );
    expect(records.map(({ attempts }) => attempts.length)).toEqual([30]);
  });

  test("is rung for no further type after a 410, and no delivery waits any more", async () => {
    const uuid = await company();
    const { receiver, stored } = await endpoint(uuid, ["metrics.reviews", "metrics.mcp", "learnings"], 410);
    await run();
    expect(receiver.heard).toHaveLength(1);
    const page = { after: null, limit: 10 };
    const { records } = await listDeliveries(
      { table: store().table, nowMs: clock().now },
      await stored(),
      page,
    );
    expect(records.map(({ state }) => state)).toEqual(["ended"]);
  });

  test("shows a narrow key no body of a type that it may not read", async () => {
    const uuid = await company();
    const { stored } = await endpoint(uuid, ["metrics.reviews"], 500);
    await run();
    const bodies = async (only: readonly string[]) => {
      const page = { after: null, limit: 10, only };
      const deps = { table: store().table, nowMs: clock().now };
      const { records } = await listDeliveries(deps, await stored(), page);
      return records.map(({ request }) => request?.body);
    };
    expect(await bodies(["webhooks:read", "learnings:read"])).toEqual([null]);
    expect(await bodies(["webhooks:read", "metrics:read"])).toEqual([
      expect.stringContaining("metrics.reviews"),
    ]);
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
    const { scope, manager } = await managed(uuid);
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
      getMany: async (keys, options) => {
        if (keys.some(({ pk }) => pk === secrets.pk)) await store().table.write({ delete: secrets });
        return await store().table.getMany(keys, options);
      },
    };
    expect(await ringWebhooks(deps(table))).toMatchObject({ delivered: 1, failed: 0 });
    expect([deleted.receiver.heard.length, receiver.heard.length]).toEqual([0, 1]);
  });
});

test("a ring that is repeated after a crash has the same id, whatever its type", async () => {
  const uuid = await company("one", { approval_delay_days: 3 });
  const types = webhookTypes.filter((type) => type !== "webhook.disabled");
  const { receiver, stored } = await endpoint(uuid, types);
  const request = { kind: "organization", organization: uuid, owner: "u-admin", role: "cr_admin" } as const;
  await world().key({ ...request, expiresInDays: 2 });
  await world().learning(github("one"), "Wait.");
  await world().scan(github("one"), { repository_id: "9001" });
  clock().advance(1.3 * dayMs);
  const crashing: Table = {
    ...store().table,
    transact: async () => {
      throw new Error("The worker ends before it records the results.");
    },
  };
  await expect(ringWebhooks(deps(crashing))).rejects.toThrow("The worker ends");
  const before = receiver.heard.splice(0).map(({ type, id }) => `${type} ${id}`);
  await run();
  expect(receiver.heard.map(({ type, id }) => `${type} ${id}`)).toEqual(before);
  expect(before).toHaveLength(types.length);
  // Each ring is listed once.
  const page = { after: null, limit: 100 };
  const { records } = await listDeliveries(
    { table: store().table, nowMs: clock().now },
    await stored(),
    page,
  );
  expect(records.map(({ type, id }) => `${type} ${id}`).toSorted()).toEqual(before.toSorted());
  receiver.heard.length = 0;
  await run(5);
  expect(typesOf(receiver)).toEqual([]);
});

/** The deliveries that are listed: the state, and the statuses of the attempts. */
async function listed({ stored }: Pick<Endpoint, "stored">) {
  const now = { table: store().table, nowMs: clock().now };
  const { records } = await listDeliveries(now, await stored(), { after: null, limit: 100 });
  return records.map(({ state, attempts }) => [state, ...attempts.map(({ status }) => status)]);
}

/** The worker ends as soon as it has written to the webhook. */
function endingAfterRecord({ sk }: Key): Table {
  const { table } = store();
  let hasEnded = false;
  const calling = async <Result>(given: readonly TransactionWrite[], call: () => Promise<Result>) => {
    if (hasEnded) throw new Error("The worker has ended.");
    const result = await call();
    hasEnded = given.some((write) => "update" in write && write.update.sk === sk);
    return result;
  };
  return {
    ...table,
    write: (given, options) => calling([given], () => table.write(given, options)),
    transact: (given, options) => calling(given, () => table.transact(given, options)),
  };
}

test("a crash after the record loses no delivery and no attempt", async () => {
  const hook = await endpoint(await company(), ["metrics.reviews"], 500);
  await run();
  const crashingRun = async () => {
    clock().advance(minuteMs);
    await Promise.allSettled([ringWebhooks(deps(endingAfterRecord(await hook.stored())))]);
  };
  await crashingRun();
  expect(await listed(hook)).toEqual([["waiting", 500, 500]]);
  hook.receiver.answer = (_, response) => void response.writeHead(204).end();
  await world().pullRequest(github("one"), 1, {});
  clock().advance(hourMs);
  await crashingRun();
  expect(await listed(hook)).toEqual([
    ["delivered", 204],
    ["replaced", 500, 500],
  ]);
});

test("a damaged delivery does not keep the next attempt from being counted", async () => {
  const hook = await endpoint(await company(), ["metrics.reviews"], 500);
  await run();
  const webhookId = (await hook.stored()).id;
  for (const item of await Array.fromAsync(queryAll(store().table, kinds.delivery.range({ webhookId }))))
    await store().table.write({ put: { ...item, at: 5 } });
  clock().advance(minuteMs);
  await run();
  expect(hook.receiver.heard).toHaveLength(2);
  expect(await hook.stored()).toMatchObject({ retries: { "metrics.reviews": { failures: 2 } } });
});

test("two runs at once list a delivery once", async () => {
  const hook = await endpoint(await company(), ["metrics.reviews"]);
  hook.receiver.answer = async (_, response) => {
    clock().advance(1_000);
    if (hook.receiver.heard.length === 1) await ringWebhooks(deps());
    response.writeHead(204).end();
  };
  await run();
  expect(hook.receiver.heard).toHaveLength(2);
  expect(await listed(hook)).toEqual([["delivered", 204]]);
});

test("a webhook that is deleted while it rings has no deliveries", async () => {
  const uuid = await company();
  const { receiver, id } = await endpoint(uuid, ["metrics.reviews"]);
  const { scope, manager } = await managed(uuid);
  receiver.answer = async (_, response) => {
    await deleteWebhook(manager, scope, id);
    response.writeHead(204).end();
  };
  await run();
  expect(receiver.heard).toHaveLength(1);
  const pk = kinds.delivery.partition({ webhookId: id });
  expect((await store().table.queryPage({ pk })).items).toEqual([]);
});
