import { describe, expect, test } from "vitest";
import { webhookTypes } from "../../../lib/contract/webhooks.ts";
import type { Table } from "../../../lib/store/table.ts";
import { deleteWebhook, rotateWebhook, testWebhook, updateWebhook } from "../../../lib/webhooks/manage.ts";
import { toWebhookRecord } from "../../../lib/webhooks/record.ts";
import { ringWebhooks } from "../../../lib/webhooks/ring.ts";
import { keyOfWebhook } from "../../../lib/webhooks/scope.ts";
import { github, publicNetwork } from "../../support/world.ts";
import type { Receiver } from "../../webhooks/support.ts";
import { dayMs, hourMs, minuteMs, typesOf, useRinging } from "./ringing.ts";

const { clock, company, deps, endpoint, managed, run, store, world } = useRinging();

const works = (receiver: Receiver) => {
  receiver.answer = (_, response) => void response.writeHead(204).end();
};
const dies = (receiver: Receiver) => {
  receiver.answer = (_, response) => void response.destroy();
};

describe("a receiver that was down", () => {
  test("for an hour is rung for everything within two minutes of its first 2xx", async () => {
    const uuid = await company("one", { approval_delay_days: 3 });
    const types = webhookTypes.filter((type) => type !== "webhook.disabled");
    const { receiver, stored } = await endpoint(uuid, types);
    const by = { kind: "organization", organization: uuid, owner: "u-admin", role: "cr_admin" } as const;
    await world().key({ ...by, expiresInDays: 15 });
    await run(2);
    clock().advance(1.3 * dayMs);
    dies(receiver);
    await world().pullRequest(github("one"), 1, {});
    await world().learning(github("one"), "Wait.");
    await world().scan(github("one"), { repository_id: "9001" });
    await world().createLearnings(uuid, "u-admin", [{ repository_id: "9001", learning: "Say why." }]);
    await run(60);
    expect(Object.keys((await stored()).retries).toSorted()).toEqual(types.toSorted());
    works(receiver);
    receiver.heard.length = 0;
    // The next attempt of its own is up to ten hours away.
    while (receiver.heard.length === 0) await run();
    await run(2);
    expect([...new Set(typesOf(receiver))]).toEqual(types.toSorted());
    expect((await stored()).retries).toEqual({});
  });

  test("and refuses one type for good is rung for it once more, not each minute", async () => {
    const uuid = await company();
    const { receiver, stored } = await endpoint(uuid, ["metrics.mcp", "metrics.reviews"], 500);
    await run(40);
    receiver.answer = ({ type }, response) =>
      void response.writeHead(type === "metrics.mcp" ? 500 : 204).end();
    const refusals = async (minutes: number) => {
      receiver.heard.length = 0;
      for (let minute = 0; minute < minutes; minute++) {
        await world().pullRequest(github("one"), clock().now, {});
        await run();
      }
      return receiver.heard.filter(({ type }) => type === "metrics.mcp").length;
    };
    const waiting = async () => (await stored()).retries["metrics.mcp"];
    clock().now = (await waiting())?.due_ms ?? 0;
    // By its own delay, and once because the other type was delivered.
    expect(await refusals(5)).toBe(2);
    expect(await refusals(20)).toBe(0);
    expect(((await waiting())?.due_ms ?? 0) - clock().now).toBeGreaterThan(9 * hourMs);
    // After a success of its own it is woken again.
    clock().now = (await waiting())?.due_ms ?? 0;
    works(receiver);
    await run();
    expect(await waiting()).toBeUndefined();
    receiver.answer = ({ type }, response) =>
      void response.writeHead(type === "metrics.mcp" ? 500 : 204).end();
    expect(await refusals(3)).toBe(2);
  });

  test("is rung for everything after a test that it answered, however often it was tested", async () => {
    const uuid = await company();
    const { receiver, stored, id } = await endpoint(uuid, ["metrics.mcp", "metrics.reviews"], 500);
    await run(40);
    const { scope, manager } = await managed(uuid);
    expect(toWebhookRecord(await stored(), clock().now).next_attempt_at).toBe(
      new Date(
        Math.min(...Object.values((await stored()).retries).map(({ due_ms }) => due_ms)),
      ).toISOString(),
    );
    for (const attempt of [1, 2]) {
      await testWebhook(manager, scope, id);
      receiver.heard.length = 0;
      await run();
      expect([attempt, typesOf(receiver)]).toEqual([attempt, []]);
      receiver.answer = ({ type }, response) => void response.writeHead(type === "ping" ? 204 : 500).end();
      await testWebhook(manager, scope, id);
      expect(toWebhookRecord(await stored(), clock().now).next_attempt_at).toBe(
        new Date(clock().now + minuteMs).toISOString(),
      );
      receiver.heard.length = 0;
      await run();
      expect([attempt, typesOf(receiver)]).toEqual([attempt, ["metrics.mcp", "metrics.reviews"]]);
      receiver.answer = (_, response) => void response.writeHead(500).end();
    }
    works(receiver);
    await testWebhook(manager, scope, id);
    await run();
    expect(toWebhookRecord(await stored(), clock().now)).toMatchObject({
      next_attempt_at: null,
      active: true,
    });
  });
});

test("a test that another write overtakes makes the rings due all the same", async () => {
  const uuid = await company();
  const { receiver, stored, id } = await endpoint(uuid, ["metrics.mcp", "metrics.reviews"], 500);
  await run(40);
  works(receiver);
  const { scope, manager } = await managed(uuid);
  const { table } = store();
  let overtaken = 0;
  const write: Table["write"] = async (given, options) => {
    if ("update" in given && overtaken++ === 0)
      await table.write({ update: given.update, change: { remove: [["retries", "metrics.mcp"]] } });
    return await table.write(given, options);
  };
  await testWebhook({ ...manager, table: { ...table, write } }, scope, id);
  expect([overtaken, Object.values((await stored()).retries).map(({ due_ms }) => due_ms)]).toEqual([
    2,
    [clock().now],
  ]);
});

describe("a webhook is not disabled by failures that no longer stand:", () => {
  const notDisabled = { disabled_reason: null };

  test("the type that failed was removed", async () => {
    const uuid = await company("one", { approval_delay_days: 3 });
    const { stored, id } = await endpoint(uuid, ["metrics.reviews", "learning.pending"], 500);
    await run();
    const { scope, manager } = await managed(uuid);
    await updateWebhook(manager, scope, id, { types: ["learning.pending"] });
    expect((await stored()).retries).toEqual({});
    clock().advance(6 * dayMs);
    await world().learning(github("one"), "Wait.");
    await run(4);
    expect(await stored()).toMatchObject({ ...notDisabled, retries: { "learning.pending": {} } });
  });

  test("the key that the ring named was revoked", async () => {
    const uuid = await company("one", { approval_delay_days: 3 });
    const by = { kind: "organization", organization: uuid, owner: "u-admin", role: "cr_admin" } as const;
    const issued = await world().key({ ...by, expiresInDays: 4 });
    const { receiver, stored } = await endpoint(uuid, ["key.expiring", "learning.pending"], 500);
    clock().advance(1.5 * dayMs);
    await run();
    expect(receiver.heard).toHaveLength(1);
    await world().revoke(issued);
    await run(10);
    expect((await stored()).retries).toEqual({});
    clock().advance(6 * dayMs);
    await world().learning(github("one"), "Wait.");
    await run(4);
    expect(await stored()).toMatchObject({ ...notDisabled, retries: { "learning.pending": {} } });
  });

  test("an older run ended after a newer one had delivered the ring", async () => {
    const uuid = await company();
    const { receiver, stored } = await endpoint(uuid, ["metrics.reviews"]);
    const held = Promise.withResolvers<void>();
    receiver.answer = (_, response) => void held.promise.then(() => response.writeHead(500).end());
    const older = ringWebhooks({ ...deps(), network: { ...publicNetwork, attemptMsMax: 600_000 } });
    await expect.poll(() => receiver.heard.length).toBe(1);
    works(receiver);
    await run();
    held.resolve();
    await older;
    await run(2);
    expect((await stored()).retries).toEqual({});
    clock().advance(6 * dayMs);
    await world().pullRequest(github("one"), 1, {});
    receiver.answer = (_, response) => void response.writeHead(500).end();
    await run();
    expect(await stored()).toMatchObject(notDisabled);
  });

  test("another type was delivered less than five days ago", async () => {
    const uuid = await company();
    const { receiver, stored } = await endpoint(uuid, ["metrics.mcp", "metrics.reviews"]);
    receiver.answer = ({ type }, response) =>
      void response.writeHead(type === "metrics.mcp" ? 500 : 204).end();
    await run();
    clock().advance(4 * dayMs);
    await world().pullRequest(github("one"), 1, {});
    await run(2);
    clock().advance(4 * dayMs);
    await run();
    expect(await stored()).toMatchObject(notDisabled);
    clock().advance(2 * dayMs);
    await run();
    expect(await stored()).toMatchObject({ disabled_reason: "failing" });
  });

  test("a test was delivered less than five days ago, also one during the last run", async () => {
    const uuid = await company();
    const { receiver, stored, id } = await endpoint(uuid, ["metrics.mcp"]);
    const { scope, manager } = await managed(uuid);
    receiver.answer = ({ type }, response) => void response.writeHead(type === "ping" ? 204 : 500).end();
    await run();
    clock().advance(4 * dayMs);
    await testWebhook(manager, scope, id);
    expect(await stored()).toMatchObject({ last_success_at: new Date(clock().now).toISOString() });
    clock().advance(4 * dayMs);
    await run();
    expect(await stored()).toMatchObject(notDisabled);
    // Every ring is due and was woken already: only the time of the success tells the run of the test.
    clock().advance(2 * dayMs);
    await testWebhook(manager, scope, id);
    await store().table.write({
      update: keyOfWebhook(scope, id),
      change: { set: [["last_success_at", null]] },
    });
    const refuses = receiver.answer;
    receiver.answer = async (_, response) => {
      receiver.answer = refuses;
      await testWebhook(manager, scope, id);
      response.writeHead(500).end();
    };
    await run();
    expect(await stored()).toMatchObject(notDisabled);
  });
});

describe("a request during a run", () => {
  const twoTypes = ["metrics.mcp", "metrics.reviews"] as const;

  test("that rotates the secret makes the next delivery sign with both secrets", async () => {
    const uuid = await company();
    const { receiver, id } = await endpoint(uuid, twoTypes);
    const { scope, manager } = await managed(uuid);
    const signatures: number[] = [];
    receiver.answer = async (_, response) => {
      signatures.push(String(response.req.headers["webhook-signature"]).split(" ").length);
      if (signatures.length === 1) await rotateWebhook(manager, scope, id);
      response.writeHead(204).end();
    };
    await run();
    expect(signatures).toEqual([1, 2]);
  });

  test.each<[string, (...of: Parameters<typeof deleteWebhook>) => Promise<unknown>]>([
    ["deletes the webhook", deleteWebhook],
    ["switches it off", (...of) => updateWebhook(...withNetwork(of), { active: false })],
    ["gives it another URL", (...of) => updateWebhook(...withNetwork(of), { url: "http://127.0.0.1:9/" })],
    ["removes the type", (...of) => updateWebhook(...withNetwork(of), { types: ["learnings"] })],
  ])("that %s makes the first delivery the last one", async (_, change) => {
    const uuid = await company();
    const { receiver, id } = await endpoint(uuid, twoTypes);
    const { scope, manager } = await managed(uuid);
    receiver.answer = async (_, response) => {
      await change(manager, scope, id);
      response.writeHead(204).end();
    };
    clock().advance(minuteMs);
    expect(await ringWebhooks(deps())).toMatchObject({ delivered: 1, postponed: 0 });
    expect(receiver.heard).toHaveLength(1);
  });

  const withNetwork = ([manager, scope, id]: Parameters<typeof deleteWebhook>) =>
    [{ ...manager, network: publicNetwork, admitted: Promise.resolve() }, scope, id] as const;
});

test("a webhook whose receiver cannot be reached never says that its next attempt is in the past", async () => {
  const { receiver, stored } = await endpoint(await company(), [
    "metrics.mcp",
    "metrics.reviews",
    "learnings",
  ]);
  dies(receiver);
  for (let minute = 0; minute < 10; minute++) {
    await run();
    const { next_attempt_at } = toWebhookRecord(await stored(), clock().now);
    expect(Date.parse(next_attempt_at ?? "")).toBeGreaterThan(clock().now);
  }
});

test("a type that an older run attempts and a request removed meanwhile leaves no retry", async () => {
  const uuid = await company();
  const { receiver, stored, id } = await endpoint(uuid, ["metrics.reviews", "metrics.mcp"]);
  const { scope, manager } = await managed(uuid);
  receiver.answer = async (_, response) => {
    await updateWebhook(manager, scope, id, { types: ["metrics.mcp"] });
    response.writeHead(500).end();
  };
  clock().advance(minuteMs);
  await ringWebhooks(deps());
  expect((await stored()).retries).toEqual({});
});
