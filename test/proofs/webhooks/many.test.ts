import { describe, expect, test } from "vitest";
import { organizationUuid } from "../../../lib/contract/identity.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { webhookLimits } from "../../../lib/contract/limits.ts";
import { organizationTenant } from "../../../lib/contract/tenants.ts";
import { webhookTypes } from "../../../lib/contract/webhooks.ts";
import { StoreUnavailable, type Table } from "../../../lib/store/table.ts";
import { toWebhookRecord } from "../../../lib/webhooks/record.ts";
import { ringWebhooks } from "../../../lib/webhooks/ring.ts";
import { keyOfWebhook, shardOf } from "../../../lib/webhooks/scope.ts";
import { github, publicNetwork } from "../../support/world.ts";
import { type Endpoint, minuteMs, typesOf, useRinging } from "./ringing.ts";

const { clock, company, deps, endpoint, run, store, world } = useRinging();

describe("many webhooks", () => {
  test("of which one hangs delay no other", async () => {
    const uuid = await company();
    const hanging = await Promise.all(
      Array.from({ length: 5 }, () => endpoint(uuid, ["metrics.reviews", "learnings"])),
    );
    const held = Promise.withResolvers<void>();
    for (const { receiver } of hanging)
      receiver.answer = (_, response) => void held.promise.then(() => response.writeHead(500).end());
    const healthy = await endpoint(uuid, ["metrics.reviews"]);
    clock().advance(minuteMs);
    const running = ringWebhooks({ ...deps(), network: { ...publicNetwork, attemptMsMax: 600_000 } });
    // The result of the healthy one is stored while the others still hang.
    await expect.poll(async () => (await healthy.stored()).last_success_at).not.toBeNull();
    expect((await hanging[0]?.stored())?.last_failure_at).toBeNull();
    held.resolve();
    expect(await running).toMatchObject({ delivered: 1, failed: 10 });
  });

  test("of one owner are each tried within two runs, although 17 of 20 receivers need 14 seconds", async () => {
    const uuid = await company();
    const types = ["metrics.review_comments", "metrics.reviews", "metrics.mcp"] as const;
    const failing = await endpoint(uuid, types, 500);
    await run();
    const healthy = [await endpoint(uuid, types), await endpoint(uuid, types)];
    const open: Array<() => void> = [];
    const slow: Endpoint[] = [];
    for (let count = 0; count < 17; count++) {
      const each = await endpoint(uuid, types);
      each.receiver.answer = (_, response) => void open.push(() => response.writeHead(204).end());
      slow.push(each);
    }
    const all = [failing, ...healthy, ...slow];
    for (const { receiver } of all) receiver.heard.length = 0;
    const untried = () => all.filter(({ receiver }) => receiver.heard.length === 0);
    const runSlowly = async () => {
      await world().pullRequest(github("one"), clock().now, {});
      clock().advance(minuteMs);
      const startMs = clock().now;
      const running = ringWebhooks({ ...deps(), network: { ...publicNetwork, attemptMsMax: 600_000 } });
      for (let attempts = 0; attempts < 3; attempts++) {
        // Slow receivers hold all connections of their owner.
        await expect.poll(() => open.length).toBe(webhookLimits.connectionsPerOwnerMax);
        clock().advance(14_000);
        for (const answer of open.splice(0)) answer();
      }
      await running;
      clock().now = startMs;
    };
    await runSlowly();
    const waiting = untried();
    expect(waiting.length).toBeGreaterThan(0);
    for (const { stored } of waiting)
      expect(toWebhookRecord(await stored(), clock().now).next_attempt_at).toBe(
        new Date(clock().now + minuteMs).toISOString(),
      );
    await runSlowly();
    expect(untried()).toEqual([]);
  });

  test("show in next_attempt_at what a run had no time for, until it is rung or nobody may read it", async () => {
    const { receiver, stored } = await endpoint(await company(), ["metrics.mcp", "metrics.reviews"]);
    const nextAttemptAt = async () => toWebhookRecord(await stored(), clock().now).next_attempt_at;
    receiver.answer = (_, response) => {
      clock().advance(webhookLimits.ringMsMax + 1);
      response.writeHead(204).end();
    };
    const runOutOfTime = async () => {
      await world().pullRequest(github("one"), clock().now, {});
      clock().advance(minuteMs);
      const startMs = clock().now;
      await ringWebhooks(deps());
      clock().now = startMs;
      expect(await nextAttemptAt()).toBe(new Date(startMs + minuteMs).toISOString());
    };
    await runOutOfTime();
    receiver.answer = (_, response) => void response.writeHead(204).end();
    await run(2);
    expect(await nextAttemptAt()).toBeNull();
    receiver.answer = (_, response) => {
      clock().advance(webhookLimits.ringMsMax + 1);
      response.writeHead(204).end();
    };
    await runOutOfTime();
    await world().organization("one", { active: false });
    await run();
    expect(await nextAttemptAt()).toBeNull();
  });

  test("of one owner hold at most ten connections, whatever they do", async () => {
    const uuid = await company();
    const held = Promise.withResolvers<void>();
    let open = 0;
    let openMax = 0;
    for (let count = 0; count < 12; count++) {
      const { receiver } = await endpoint(uuid, ["metrics.reviews"]);
      receiver.answer = (_, response) => {
        openMax = Math.max(openMax, ++open);
        void held.promise.then(() => {
          open--;
          response.writeHead(204).end();
        });
      };
    }
    const other = await endpoint(await company("two"), ["metrics.reviews"]);
    const running = ringWebhooks({ ...deps(), network: { ...publicNetwork, attemptMsMax: 600_000 } });
    await expect.poll(async () => (await other.stored()).last_success_at).not.toBeNull();
    await expect.poll(() => open).toBe(10);
    held.resolve();
    expect(await running).toMatchObject({ delivered: 13 });
    expect(openMax).toBe(10);
  });

  test("get their rings in turns if a run has no time to read the news of all owners", async () => {
    const endpoints: Endpoint[] = [];
    for (let count = 0; count < 25; count++)
      endpoints.push(await endpoint(await world().organization(`owner-${count}`), ["metrics.reviews"]));
    const slow: Table = {
      ...store().table,
      get: async (key, options) => {
        if (key.pk.startsWith("ORG#")) clock().advance(1_800);
        return await store().table.get(key, options);
      },
    };
    const rung = () => endpoints.filter(({ receiver }) => receiver.heard.length > 0).length;
    clock().advance(minuteMs);
    expect(await ringWebhooks(deps(slow))).toMatchObject({ delivered: 9, unread: 16 });
    for (let runs = 0; runs < 6; runs++) {
      clock().advance(minuteMs);
      await ringWebhooks(deps(slow));
    }
    expect(rung()).toBe(25);
  });

  test("are read from where the last run ended if a run has no time to read all of them", async () => {
    const shardOfName = (name: string) => shardOf(organizationTenant(organizationUuid(github(name))));
    const names = Array.from({ length: 600 }, (_, index) => `owner-${index}`)
      .filter((name, _, [first = name]) => shardOfName(name) === shardOfName(first))
      .slice(0, 18);
    const endpoints: Endpoint[] = [];
    for (const name of names)
      endpoints.push(await endpoint(await world().organization(name), ["metrics.reviews"]));
    const slow: Table = {
      ...store().table,
      queryPage: async (range, resume) => {
        if (range.pk !== kinds.webhook.partition({ shard: shardOfName("owner-0") }))
          return await store().table.queryPage(range, resume);
        clock().advance(500);
        return await store().table.queryPage({ ...range, pageItems: 1 }, resume);
      },
    };
    const rung = () => endpoints.filter(({ receiver }) => receiver.heard.length > 0).length;
    const startMs = clock().now;
    const counts: number[] = [];
    for (let runs = 1; runs <= 4; runs++) {
      expect(await ringWebhooks(deps(slow))).toMatchObject({ unread: 1 });
      counts.push(rung());
      clock().now = startMs + runs * minuteMs;
    }
    // Ten items a run: the count of an owner, and its webhook.
    expect(counts).toEqual([5, 10, 15, 18]);
  });

  test("of other partitions ring also if one partition cannot be read", async () => {
    const endpoints = [
      await endpoint(await company("owner-0"), ["metrics.reviews"]),
      await endpoint(await company("owner-1"), ["metrics.reviews"]),
    ];
    const pk = kinds.webhook.partition({ shard: shardOf((await endpoints[0]?.stored())?.owner ?? "o#") });
    const throttled: Table = {
      ...store().table,
      queryPage: async (range, resume) => {
        if (range.pk === pk) throw new StoreUnavailable("planted", true);
        return await store().table.queryPage(range, resume);
      },
    };
    await expect(ringWebhooks(deps(throttled))).rejects.toThrow("throttling");
    expect(endpoints.map(({ receiver }) => receiver.heard.length)).toEqual([0, 1]);
  });

  test("or types of one webhook ring in turns if its receiver needs 13.9 seconds for each", async () => {
    const uuid = await company("one", { approval_delay_days: 3 });
    const types = webhookTypes.filter((type) => !["webhook.disabled", "key.expiring"].includes(type));
    const { receiver } = await endpoint(uuid, types);
    receiver.answer = (_, response) => {
      clock().advance(13_900);
      response.writeHead(204).end();
    };
    for (let minute = 0; minute < 12; minute++) {
      const startMs = clock().now;
      await world().pullRequest(github("one"), minute, {});
      await world().learning(github("one"), `Wait ${minute}.`);
      await world().scan(github("one"), { repository_id: "9001" });
      await world().createLearnings(uuid, "u-admin", [{ repository_id: "9001", learning: `Say ${minute}.` }]);
      await ringWebhooks(deps());
      clock().now = startMs + minuteMs;
    }
    const ringsOf = (type: string) => receiver.heard.filter((ring) => ring.type === type).length;
    // Three of the seven types have time in each run.
    expect(types.filter((type) => ringsOf(type) < 3 || ringsOf(type) > 6)).toEqual([]);
  });

  test("or types of one webhook ask for its name once in a run", async () => {
    const uuid = await company();
    const { receiver, id } = await endpoint(uuid, ["metrics.reviews", "metrics.mcp", "learnings"]);
    const url = receiver.url.replace("127.0.0.1", "localhost");
    const key = keyOfWebhook({ owner: organizationTenant(uuid) }, id);
    await store().table.write({ update: key, change: { set: [["url", url]] } });
    const asked: string[] = [];
    const resolve = async (hostname: string) => {
      asked.push(hostname);
      return ["127.0.0.1"];
    };
    await ringWebhooks({ ...deps(), network: { ...publicNetwork, resolve } });
    expect([receiver.heard.length, asked]).toEqual([3, ["localhost"]]);
  });

  test("that do not answer hold one connection for one attempt, and get their other types a minute later", async () => {
    const { receiver } = await endpoint(await company(), ["metrics.reviews", "metrics.mcp"]);
    receiver.answer = (_, response) => void response.destroy();
    clock().advance(minuteMs);
    expect(await ringWebhooks(deps())).toMatchObject({ failed: 1, postponed: 1 });
    receiver.answer = (_, response) => void response.writeHead(204).end();
    await run(2);
    expect(typesOf(receiver)).toEqual(["metrics.mcp", "metrics.reviews", "metrics.reviews"]);
  });
});
