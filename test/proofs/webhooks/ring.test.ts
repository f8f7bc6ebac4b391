import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { operatorOrigin } from "../../../lib/audit/entry.ts";
import { webhookLimits } from "../../../lib/contract/limits.ts";
import { type WebhookType, webhookTypes } from "../../../lib/contract/webhooks.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { parseAudit } from "../../../lib/store/items/audit.ts";
import { parseWebhook } from "../../../lib/store/items/webhook.ts";
import {
  auditPartition,
  instanceTenant,
  organizationTenant,
  webhookSecretsKey,
  workspaceTenant,
} from "../../../lib/store/layout.ts";
import { StoreMeter } from "../../../lib/store/meter.ts";
import { newsPut } from "../../../lib/store/news.ts";
import { queryAll, type Table } from "../../../lib/store/table.ts";
import { listDeliveries } from "../../../lib/webhooks/deliveries.ts";
import { createWebhook, updateWebhook } from "../../../lib/webhooks/manage.ts";
import { ringWebhooks } from "../../../lib/webhooks/ring.ts";
import { keyOfWebhook } from "../../../lib/webhooks/scope.ts";
import { TestClock } from "../../support/clock.ts";
import { useStore } from "../../support/engine.ts";
import { scanAll } from "../../support/scan-all.ts";
import { organizationOf } from "../../support/stored.ts";
import { github, gitlab, publicNetwork, World } from "../../support/world.ts";
import { closeReceivers, type Receiver, startReceiver } from "../../webhooks/support.ts";

const store = useStore();
closeReceivers();
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

let clock: TestClock;
let world: World;
beforeEach(async () => {
  clock = new TestClock();
  world = new World(() => store().table, clock);
  const items = await scanAll(store().table);
  await store().table.writeMany(items.map(({ pk, sk }) => ({ delete: { pk, sk } })));
});

const deps = (table: Table = store().table) => ({
  table,
  clock,
  random: systemRandom,
  network: publicNetwork,
});

/** The worker runs every minute. */
async function run(minutes = 1): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    clock.advance(minuteMs);
    await ringWebhooks(deps());
  }
}

async function company(name = "one", change: Record<string, unknown> = {}) {
  const uuid = await world.organization(name, change);
  await world.member(github(name), "u-admin", { role: "cr_admin" });
  await world.repository(github(name), "9001");
  return uuid;
}

async function endpoint(uuid: string, types: readonly WebhookType[], status = 204) {
  const receiver = await startReceiver(status);
  const id = await world.webhook(uuid, { url: `${receiver.url}?token=hidden`, types });
  const owner = uuid.startsWith("w#") ? (uuid as `w#${string}`) : organizationTenant(uuid);
  const stored = async () => {
    const item = await store().table.get(keyOfWebhook({ owner }, id));
    return parseWebhook(item ?? expect.fail("The webhook is gone."));
  };
  return { receiver, id, stored };
}

const typesOf = ({ heard }: Receiver) =>
  heard
    .splice(0)
    .map(({ type }) => type)
    .toSorted();

describe("the ring of a dataset", () => {
  const metrics = ["metrics.mcp", "metrics.review_comments", "metrics.reviews"] as const;

  test("comes once to a new webhook, and then only when something is new", async () => {
    const uuid = await company();
    const { receiver, stored } = await endpoint(uuid, ["learnings", "audit_logs", ...metrics]);
    await run();
    expect(typesOf(receiver)).toEqual(["audit_logs", "learnings", ...metrics]);
    // The entry about the webhook itself settles meanwhile.
    await run(3);
    expect(typesOf(receiver)).toEqual(["audit_logs"]);
    await run(5);
    expect(typesOf(receiver)).toEqual([]);
    expect((await stored()).last_success_at).not.toBeNull();
  });

  test("says where to resume, and contains no record", async () => {
    const { receiver } = await endpoint(await company("acme"), ["metrics.reviews"]);
    await run();
    expect(receiver.heard).toEqual([
      {
        id: expect.stringMatching(/^ring_/),
        type: "metrics.reviews",
        data: { organization_id: "acme", resume: { operation: "listReviewMetrics" } },
      },
    ]);
  });

  test("comes at most once a minute and type, however many pull requests were finalized", async () => {
    const uuid = await company();
    const { receiver } = await endpoint(uuid, metrics);
    await run();
    typesOf(receiver);
    for (const number of [1, 2, 3, 4, 5]) await world.pullRequest(github("one"), number, {});
    await run();
    expect(typesOf(receiver)).toEqual([...metrics]);
    await run(3);
    expect(typesOf(receiver)).toEqual([]);
  });

  test("of Learnings comes when a resumed walk surely has them, also for a deletion", async () => {
    const uuid = await company();
    const { receiver } = await endpoint(uuid, ["learnings"]);
    await run();
    typesOf(receiver);
    await world.learning(github("one"), "Say why.");
    await run(2);
    expect(typesOf(receiver)).toEqual([]);
    await run(2);
    expect(typesOf(receiver)).toEqual(["learnings"]);
    await run(3);
    expect(typesOf(receiver)).toEqual([]);
  });

  test("of the audit log also comes when the month turned meanwhile", async () => {
    clock = new TestClock("2026-11-30T23:57:30.000Z");
    world = new World(() => store().table, clock);
    const uuid = await company();
    const { receiver } = await endpoint(uuid, ["audit_logs"]);
    await run(6);
    typesOf(receiver);
    await world.role(uuid, "New");
    clock.advance(40 * dayMs);
    await run();
    expect(typesOf(receiver)).toEqual(["audit_logs"]);
    clock.advance(70 * dayMs);
    await run(2);
    expect(typesOf(receiver)).toEqual([]);
  });

  test("of a workspace also comes when an organization becomes visible", async () => {
    await world.workspace("acme");
    await company("one", { workspace_id: "acme" });
    await company("two", { workspace_id: "acme", plan: "pro" });
    const { receiver } = await endpoint("w#acme", ["learnings", "metrics.reviews"]);
    await run();
    typesOf(receiver);
    await world.organization("two", { workspace_id: "acme", plan: "enterprise" });
    await run();
    expect(typesOf(receiver)).toEqual(["learnings", "metrics.reviews"]);
  });

  test("does not come while nobody may read the data", async () => {
    const uuid = await company();
    const { receiver } = await endpoint(uuid, ["metrics.reviews"]);
    await world.organization("one", { plan: "pro" });
    await run();
    await world.organization("one", { active: false });
    await run();
    expect(typesOf(receiver)).toEqual([]);
    await world.organization("one", {});
    await run();
    expect(typesOf(receiver)).toEqual(["metrics.reviews"]);
  });
});

describe("the ring of a thing", () => {
  test("names the Learnings that wait for approval and the repositories that were scanned", async () => {
    await world.workspace("acme");
    const uuid = await company("one", { workspace_id: "acme", approval_delay_days: 3 });
    await company("two", { workspace_id: "acme", approval_delay_days: 3 });
    const types = ["learning.pending", "security.scan_completed"] as const;
    const whole = await endpoint("w#acme", types);
    const single = await endpoint(uuid, types);
    await run();
    expect([typesOf(whole.receiver), typesOf(single.receiver)]).toEqual([[], []]);
    for (const name of ["one", "two"]) {
      await world.learning(github(name), `Wait in ${name}.`);
      await world.scan(github(name), { repository_id: "9001" });
    }
    await run(4);
    const things = ({ heard }: Receiver) => Object.fromEntries(heard.map(({ type, data }) => [type, data]));
    expect(things(single.receiver)).toMatchObject({
      "learning.pending": { learnings: [{ organization_id: "one", learning_id: expect.any(String) }] },
      "security.scan_completed": { scans: [{ organization_id: "one", repository_id: "9001" }] },
    });
    expect(things(whole.receiver)["security.scan_completed"]).toEqual({
      scans: expect.arrayContaining([
        { organization_id: "two", repository_id: "9001" },
        { organization_id: "one", repository_id: "9001" },
      ]),
      resume: { operation: "listSecurityFindings" },
    });
    expect(whole.receiver.heard).toHaveLength(2);
    await run(4);
    expect(whole.receiver.heard).toHaveLength(2);
  });

  test("names a key 14, 3 and 1 days before it expires, each once", async () => {
    const uuid = await company();
    const { key } = await world.key({
      kind: "organization",
      organization: uuid,
      owner: "u-admin",
      role: "cr_admin",
      expiresInDays: 20,
    });
    const ends = clock.now + 20 * dayMs;
    const { receiver } = await endpoint(uuid, ["key.expiring"]);
    const days: number[] = [];
    for (let quarter = 0; quarter < 21 * 4; quarter++) {
      clock.now += 6 * hourMs - minuteMs;
      await run();
      for (const { data } of receiver.heard.splice(0)) {
        expect(data.keys).toEqual([{ key_id: key.id, expires_at: new Date(ends).toISOString() }]);
        days.push((ends - clock.now) / dayMs);
      }
    }
    expect(days.map((left) => Math.ceil(left))).toEqual([14, 3, 1]);
  });

  test("names no key that has already expired", async () => {
    const uuid = await company();
    const by = { kind: "organization", organization: uuid, owner: "u-admin", role: "cr_admin" } as const;
    await world.key({ ...by, expiresInDays: 2 });
    const later = await world.key({ ...by, expiresInDays: 4 });
    const { receiver } = await endpoint(uuid, ["key.expiring"]);
    clock.advance(3.5 * dayMs);
    await run();
    expect(receiver.heard.map(({ data }) => data.keys)).toEqual([
      [{ key_id: later.key.id, expires_at: expect.any(String) }],
    ]);
  });

  test("names only keys that the list of keys shows to the owner of the webhook", async () => {
    await world.instance("hub");
    const [home, other, lapsed] = [
      await world.organization("home", { instance_id: "hub" }),
      await world.organization("other", { instance_id: "hub" }),
      await world.organization("lapsed", { instance_id: "hub" }),
    ];
    const by = { owner: "u-admin", role: "cr_admin", expiresInDays: 4 } as const;
    for (const name of ["home", "other", "lapsed"])
      await world.member(gitlab("hub", name), "u-admin", { role: "cr_admin" });
    const nameOfId = new Map<string, string>();
    for (const [name, organization] of Object.entries({ home, other, lapsed }))
      nameOfId.set((await world.key({ kind: "organization", organization, ...by })).key.id, `of ${name}`);
    for (const [name, authorized] of Object.entries({
      narrow: [home],
      wide: [home, other],
      all: undefined,
    })) {
      const request = { kind: "instance", instanceId: "hub", home, authorized, ...by } as const;
      nameOfId.set((await world.key(request)).key.id, name);
    }
    await world.organization("lapsed", { instance_id: "hub", plan: "pro" });
    const single = await endpoint(home, ["key.expiring"]);
    const some = await endpointOfInstance("hub", [home], ["key.expiring"]);
    const whole = await endpointOfInstance("hub", null, ["key.expiring"]);
    clock.advance(1.5 * dayMs);
    await run();
    const named = ({ heard }: Receiver) =>
      z
        .array(z.object({ key_id: z.string() }))
        .parse(heard[0]?.data.keys)
        .map(({ key_id }) => nameOfId.get(key_id))
        .toSorted();
    expect(named(single.receiver)).toEqual(["of home"]);
    expect(named(some)).toEqual(["narrow", "of home"]);
    expect(named(whole)).toEqual(["all", "narrow", "of home", "of other", "wide"]);
  });

  test("comes also if more things of others or of another type were noted since", async () => {
    await world.workspace("acme");
    const uuid = await company("one", { workspace_id: "acme", approval_delay_days: 3 });
    const other = await company("two", { workspace_id: "acme" });
    const { receiver, stored } = await endpoint(uuid, ["learning.pending"]);
    await world.learning(github("one"), "Wait.");
    const tenant = workspaceTenant("acme");
    const noteMany = (count: number) =>
      store().table.writeMany(
        Array.from({ length: count }, (_, index) =>
          newsPut({ tenant, organization: other, nowMs: clock.now }, "security.scan_completed", `r${index}`),
        ),
      );
    clock.advance(1);
    await noteMany(1_100);
    clock.advance(1_000);
    await run(6);
    expect(receiver.heard.map(({ data }) => data.learnings)).toEqual([
      [{ organization_id: "one", learning_id: expect.any(String) }],
    ]);
    // What was read is not read again each minute.
    const meter = new StoreMeter();
    await ringWebhooks(deps(store().table.metered(meter)));
    expect(meter.readUnits).toBeLessThan(20);
    await noteMany(100);
    await run(4);
    expect((await stored()).rung["learning.pending"]).toContain("#r");
  });
});

/** A webhook of an instance, created by a key that is authorized for some of its organizations. */
async function endpointOfInstance(id: string, authorized: string[] | null, types: readonly WebhookType[]) {
  const receiver = await startReceiver();
  const tenant = instanceTenant(id);
  const manager = { ...world.deps, ...operatorOrigin, network: publicNetwork, admitted: Promise.resolve() };
  const fields = { url: receiver.url, types, description: null };
  await createWebhook(manager, { owner: tenant, tenant, organization: null, authorized }, fields);
  return receiver;
}

describe("a webhook that fails", () => {
  test("is tried again after 1, 5 and 30 minutes, 2, 5 and 10 hours, then every 10 hours, with the same id", async () => {
    const uuid = await company();
    const { receiver, stored } = await endpoint(uuid, ["metrics.reviews"], 500);
    const waits: number[] = [];
    for (let attempt = 0; attempt < 8; attempt++) {
      await run();
      expect(receiver.heard).toHaveLength(attempt + 1);
      const { due_ms = 0 } = (await stored()).retries["metrics.reviews"] ?? {};
      waits.push((due_ms - clock.now) / minuteMs);
      // One minute before it is due, nothing comes.
      clock.now = due_ms - 2 * minuteMs;
      await run();
      expect(receiver.heard).toHaveLength(attempt + 1);
    }
    expect(waits).toEqual([1, 5, 30, 120, 300, 600, 600, 600]);
    expect(new Set(receiver.heard.map(({ id }) => id)).size).toBe(1);
    const { records } = await listDeliveries({ table: store().table, nowMs: clock.now }, await stored(), {
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
    await world.learning(github("one"), "Say why.");
    await run(31);
    expect(new Set(receiver.heard.map(({ id }) => id)).size).toBe(2);
  });

  test("gets one ring about everything, with another id, when it answers again", async () => {
    const uuid = await company();
    const { receiver, stored } = await endpoint(uuid, ["metrics.reviews"], 503);
    await run();
    await world.pullRequest(github("one"), 1, {});
    await world.pullRequest(github("one"), 2, {});
    receiver.answer = (_, response) => void response.writeHead(200).end("ok");
    await run(3);
    expect(receiver.heard).toHaveLength(2);
    expect(new Set(receiver.heard.map(({ id }) => id)).size).toBe(2);
    const page = (after: string | null) =>
      listDeliveries({ table: store().table, nowMs: clock.now }, awaited, { after, limit: 1 });
    const awaited = await stored();
    const first = await page(null);
    const second = await page(first.next);
    expect([first, second].flatMap(({ records }) => records.map(({ state }) => state))).toEqual([
      "delivered",
      "replaced",
    ]);
    expect(second.next).toBeNull();
    expect(awaited).toMatchObject({ retries: {}, failing_since_ms: null });
  });

  test("with one type still gets the others", async () => {
    const uuid = await company();
    const { receiver } = await endpoint(uuid, ["metrics.mcp", "metrics.reviews"]);
    receiver.answer = ({ type }, response) =>
      void response.writeHead(type === "metrics.mcp" ? 500 : 204).end();
    await run();
    typesOf(receiver);
    await world.pullRequest(github("one"), 1, {});
    await run();
    expect(typesOf(receiver)).toContain("metrics.reviews");
  });

  test("is disabled at once by 410, with an audit entry, and the other webhooks are told", async () => {
    const uuid = await company();
    const gone = await endpoint(uuid, ["metrics.reviews"], 410);
    const other = await endpoint(uuid, ["webhook.disabled"]);
    await run(2);
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
      clock.advance(5 * hourMs - minuteMs);
      await run();
    }
    const disabled = await stored();
    expect(disabled).toMatchObject({ disabled_reason: "failing" });
    const days = ((disabled.disabled_at_ms ?? 0) - (disabled.failing_since_ms ?? 0)) / dayMs;
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
    const manager = { ...world.deps, ...operatorOrigin, network: publicNetwork, admitted: Promise.resolve() };
    await updateWebhook(manager, scope, id, { active: true });
    await run(2);
    expect(typesOf(receiver)).toEqual(["learning.pending", "metrics.reviews"]);
    expect(await stored()).toMatchObject({ disabled_reason: null, failing_since_ms: null });
  });

  test("is also disabled if it has a type with nothing to tell", async () => {
    const { stored } = await endpoint(await company(), ["metrics.reviews", "key.expiring"], 500);
    for (let hours = 0; hours < 6 * 24; hours += 3) {
      clock.advance(3 * hourMs - minuteMs);
      await run();
    }
    expect(await stored()).toMatchObject({ disabled_reason: "failing" });
  });

  test("or was deleted during the run does not end the run with an error", async () => {
    const uuid = await company();
    const deleted = await endpoint(uuid, ["metrics.reviews"]);
    const { receiver } = await endpoint(uuid, ["metrics.reviews"]);
    const secrets = webhookSecretsKey(deleted.id);
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

  test("by hanging delays no other", async () => {
    const uuid = await company();
    const hanging = await Promise.all(
      Array.from({ length: 5 }, () => endpoint(uuid, ["metrics.reviews", "learnings"])),
    );
    const held = Promise.withResolvers<void>();
    for (const { receiver } of hanging)
      receiver.answer = (_, response) => void held.promise.then(() => response.writeHead(500).end());
    const healthy = await endpoint(uuid, ["metrics.reviews"]);
    const recorded: string[] = [];
    const table: Table = {
      ...store().table,
      write: async (write, options) => {
        const result = await store().table.write(write, options);
        if ("update" in write) recorded.push(write.update.sk);
        return result;
      },
    };
    clock.advance(minuteMs);
    const running = ringWebhooks({ ...deps(table), network: { ...publicNetwork, attemptMsMax: 600_000 } });
    // The result of the healthy one is stored while the others still hang.
    await expect.poll(() => recorded).toHaveLength(1);
    expect((await healthy.stored()).last_success_at).not.toBeNull();
    expect((await hanging[0]?.stored())?.last_failure_at).toBeNull();
    held.resolve();
    expect(await running).toMatchObject({ delivered: 1, failed: 10 });
  });
});

test("a ring that is repeated after a crash has the same id, whatever its type", async () => {
  const uuid = await company("one", { approval_delay_days: 3 });
  const types = webhookTypes.filter((type) => type !== "webhook.disabled");
  const { receiver } = await endpoint(uuid, types);
  const request = { kind: "organization", organization: uuid, owner: "u-admin", role: "cr_admin" } as const;
  await world.key({ ...request, expiresInDays: 2 });
  await world.learning(github("one"), "Wait.");
  await world.scan(github("one"), { repository_id: "9001" });
  clock.advance(1.3 * dayMs);
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

describe("many webhooks", () => {
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
    const endpoints: Awaited<ReturnType<typeof endpoint>>[] = [];
    for (let count = 0; count < 25; count++)
      endpoints.push(await endpoint(await world.organization(`owner-${count}`), ["metrics.reviews"]));
    const slow: Table = {
      ...store().table,
      get: async (key, options) => {
        if (key.pk.startsWith("ORG#")) clock.advance(1_800);
        return await store().table.get(key, options);
      },
    };
    const rung = () => endpoints.filter(({ receiver }) => receiver.heard.length > 0).length;
    clock.advance(minuteMs);
    expect(await ringWebhooks(deps(slow))).toMatchObject({ delivered: 9, unread: 16 });
    for (let runs = 0; runs < 6; runs++) {
      clock.advance(minuteMs);
      await ringWebhooks(deps(slow));
    }
    expect(rung()).toBe(25);
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
    clock.advance(minuteMs);
    expect(await ringWebhooks(deps())).toMatchObject({ failed: 1, postponed: 1 });
    receiver.answer = (_, response) => void response.writeHead(204).end();
    await run(2);
    expect(typesOf(receiver)).toEqual(["metrics.mcp", "metrics.reviews", "metrics.reviews"]);
  });
});

async function disablings(uuid: string) {
  const pk = auditPartition(organizationTenant(uuid), new Date(clock.now).toISOString().slice(0, 7));
  const entries = (await Array.fromAsync(queryAll(store().table, { pk }))).map(parseAudit);
  expect(JSON.stringify(entries)).not.toContain("hidden");
  return entries
    .filter(({ action }) => action === "webhook.disabled")
    .map(({ resource_id, actor, metadata }) => ({
      id: resource_id,
      actor: actor.name,
      reason: metadata.reason,
    }));
}

describe("the cost", () => {
  const idle = async (): Promise<StoreMeter> => {
    const meter = new StoreMeter();
    clock.advance(minuteMs);
    await ringWebhooks(deps(store().table.metered(meter)));
    return meter;
  };

  test("of a run without webhooks is one empty query for each shard, whatever the tenants have", async () => {
    await company();
    await world.pullRequest(github("one"), 1, {});
    const { calls, writeUnits } = await idle();
    expect([calls.length, writeUnits]).toEqual([webhookLimits.shards, 0]);
    expect(new Set(calls.map(({ operation }) => operation))).toEqual(new Set(["Query"]));
  });

  test("of a webhook without news is at most 2 read units a minute and type, and nothing is written", async () => {
    const empty = (await idle()).readUnits;
    const uuid = await company();
    await world.pullRequest(github("one"), 1, {});
    await endpoint(uuid, webhookTypes);
    await run(4);
    const { readUnits, writeUnits } = await idle();
    expect(writeUnits).toBe(0);
    expect(readUnits - empty).toBeGreaterThan(0);
    expect(readUnits - empty).toBeLessThanOrEqual(2 * webhookTypes.length);
  });

  test("of an attempt is at most 3 write units, delivered or not", async () => {
    const uuid = await company();
    const { receiver } = await endpoint(uuid, ["metrics.reviews"], 500);
    receiver.answer = (_, response) => void response.writeHead(500).end("x".repeat(1_000));
    const failed = await idle();
    expect([failed.writeUnits > 0, failed.writeUnits <= 3]).toEqual([true, true]);
    receiver.answer = (_, response) => void response.writeHead(200).end("x".repeat(1_000));
    clock.advance(minuteMs);
    const delivered = await idle();
    expect([delivered.writeUnits > 0, delivered.writeUnits <= 3]).toEqual([true, true]);
  });
});
