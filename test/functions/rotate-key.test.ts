import { createHmac, randomUUID } from "node:crypto";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { authenticate } from "../../lib/access/authenticate.ts";
import type { IssuedKey } from "../../lib/access/key-registry.ts";
import { hashOf, idOfText, madeUpKeyText, parseKeyText, textOf } from "../../lib/access/key-text.ts";
import { rotateOwnKey } from "../../lib/access/rotate-key.ts";
import { operatorOrigin } from "../../lib/audit/entry.ts";
import * as kinds from "../../lib/contract/items.ts";
import { requestLimits } from "../../lib/contract/limits.ts";
import { organizationTenant } from "../../lib/contract/tenants.ts";
import { required } from "../../lib/runtime/required.ts";
import { parseKey } from "../../lib/store/items/key.ts";
import { queryAll } from "../../lib/store/table.ts";
import { lastReleaseText } from "../access/last-release-keys.ts";
import { useApi } from "../support/api.ts";
import { useFaultyEngine } from "../support/faulty-engine.ts";
import { everyKindOfKey, World } from "../support/world.ts";
import { idOf, issued, keyCallsOf, keyPage, type Setup } from "./key-calls.ts";

/** "Keys, one record" in docs/use/keys.md: a rotation changes the value of a key and nothing else. */
const api = useApi();
const engine = useFaultyEngine(() => api.store().endpoint);
const world = new World(() => api.store().table);
const { call, rotate, end, works } = keyCallsOf(api);
let setup: Setup;
beforeAll(async () => {
  process.env.DYNAMODB_ENDPOINT = engine.endpoint();
  setup = await everyKindOfKey(world, "rotating");
});
afterEach(() => {
  vi.useRealTimers();
  engine.inject();
});

const fresh = (change: { role?: string; only?: string[]; expiresInDays?: number } = {}) =>
  world.key({
    kind: "organization",
    organization: setup.organization,
    owner: "u-admin",
    role: "cr_member",
    name: "fresh",
    ...change,
  });
const admin = () => fresh({ role: "cr_admin" });
const stored = async (id: string) =>
  parseKey((await world.deps.table.get(kinds.apiKey.key({ keyId: id }))) ?? { pk: "", sk: "" });
const madeBy = async (maker: () => Promise<IssuedKey>): Promise<IssuedKey> => {
  const { json } = await call("/v1/keys", { key: (await maker()).text, body: { name: "made" } });
  const { id, key: text } = issued.parse(json);
  return { text, key: await stored(id) };
};
const refusal = async (answer: ReturnType<typeof call>) => {
  const { status, codes } = await answer;
  return [status, ...codes];
};
const rotated = async ({ key, text }: IssuedKey, body: object = {}) => {
  const answer = await rotate(key.id, text, body);
  expect([answer.status, answer.message]).toEqual([201, ""]);
  return issued.parse(answer.json);
};
const atTime = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: ms });
const later = (ms: number) => atTime(Date.now() + ms);
const hour = 3_600_000;
const log = z.object({
  data: z.array(z.looseObject({ resource_id: z.string().nullable(), metadata: z.looseObject({}) })),
});
const entriesOf = async (id: string, action = "key.rotated") =>
  log
    .parse(
      (await call(`/v1/audit-logs?search=${id}&actions=${action}`, { key: setup.keys.organization.text }))
        .json,
    )
    .data.filter(({ resource_id }) => resource_id === id);

describe("a key is one record with one id for ever", () => {
  test.each(["organization", "user", "workspace", "instance"] as const)(
    "rotating a key of kind %s changes its value, never its id, rights, owner, expiry, rows or notes",
    async (kind) => {
      const own = (await everyKindOfKey(world, `same-${kind}`)).keys[kind];
      const rows = async () => {
        const { items } = await world.deps.table.scanPage({});
        const isOfKey = (text: string) => text.includes(own.key.id);
        return items
          .filter(({ pk, sk }) => isOfKey(`${pk} ${sk}`) && !/^(?:KEY|USED|LIMIT)#/.test(pk))
          .map(({ pk, sk }) => `${pk} ${sk}`)
          .toSorted();
      };
      const [before, rowsBefore] = [await stored(own.key.id), await rows()];
      const next = await rotated(own);
      const after = await stored(own.key.id);
      const { hash, old_hash, rotated_at, old_until, salt, ...kept } = after;
      expect(kept).toEqual({ ...before, hash: undefined });
      expect([hash !== before.hash, old_hash, salt?.length]).toEqual([true, before.hash, 64]);
      expect(await rows()).toEqual(rowsBefore);
      expect(next).toMatchObject({ id: own.key.id, rotated_at, old_until, made_by: null, state: "active" });
      expect([await works(own.text), await works(next.key)]).toEqual([true, true]);
    },
  );

  test("notes of the expiry stay, and the list has the key once", async () => {
    const own = await fresh({ expiresInDays: 20 });
    const notes = async () => {
      const range = kinds.news.range({ tenant: organizationTenant(setup.organization) });
      const items = await Array.fromAsync(queryAll(world.deps.table, range));
      return items.filter((note) => note.id === own.key.id);
    };
    const before = await notes();
    expect(before).toHaveLength(3);
    await rotated(own);
    expect(await notes()).toEqual(before);
    const { keys } = keyPage.parse(
      (await call("/v1/keys?limit=100", { key: setup.keys.organization.text })).json,
    );
    expect(keys.filter(({ name, id }) => name === "fresh" && id === own.key.id)).toHaveLength(1);
  });

  test("the text of a key contains its id, in the published pattern", async () => {
    const own = await fresh();
    const next = await rotated(own);
    for (const text of [own.text, next.key]) {
      expect(parseKeyText(text)?.id).toBe(own.key.id);
      expect(text).toMatch(/^rk_(organization|user|workspace|instance|agentic)_[a-z2-7]{47,}$/);
    }
  });

  test("the rotation is one transaction, and its audit entry has the key as resource and old_until", async () => {
    const own = await fresh();
    const { old_until } = await rotated(own, { grace_seconds: 60 });
    expect(await entriesOf(own.key.id)).toMatchObject([
      { metadata: { kind: "organization", name: "fresh", owner: "u-admin", old_until } },
    ]);
    // No other write of the key could fail behind it.
    const other = await fresh();
    engine.inject(({ operation, body }) =>
      operation !== "TransactWriteItems" &&
      /^(?:Update|Put|BatchWrite)/.test(operation) &&
      body.includes("KEY#")
        ? "server_error"
        : undefined,
    );
    const next = await rotated(other, { grace_seconds: 0 });
    engine.inject();
    expect([await works(other.text), await works(next.key)]).toEqual([false, true]);
  });

  test("a rotation whose write gets no answer is done once", async () => {
    const own = await fresh();
    let lost = 0;
    engine.inject(({ operation }) =>
      operation === "TransactWriteItems" && lost++ < 2 ? "lost_after" : undefined,
    );
    const next = await rotated(own, { grace_seconds: 0 });
    engine.inject();
    expect([await works(own.text), await works(next.key)]).toEqual([false, true]);
    expect(await entriesOf(own.key.id)).toHaveLength(1);
  });
});

test("a text that is not stored is 401, whatever id it names: no audit entry, no use, no bucket", async () => {
  const own = await fresh({ only: ["metrics:read"] });
  const { text } = own;
  const next = await rotated(own, { grace_seconds: 0 });
  await rotate(own.key.id, next.key, { grace_seconds: 0 });
  const before = await world.deps.table.scanPage({});
  const hints = required(parseKeyText(text), "text").hints;
  const forged = textOf(own.key, new Uint8Array(24));
  expect(parseKeyText(forged)?.id).toBe(own.key.id);
  const madeUp = hints.kind === "legacy" ? "" : madeUpKeyText(hints, world.deps.random);
  for (const key of [forged, madeUp, text])
    for (const [target, options] of [
      ["/v1/whoami", {}],
      [`/v1/keys/${own.key.id}/rotate`, { body: { idempotency_key: randomUUID() } }],
      [`/v1/keys/${own.key.id}`, { method: "DELETE" }],
    ] as const) {
      const answer = await api.call(target, { key, ...options });
      expect([answer.status, answer.codes]).toEqual([401, ["UNAUTHORIZED"]]);
    }
  expect(await world.deps.table.scanPage({})).toEqual(before);
});

test.each([
  ["only", () => fresh({ only: ["metrics:read"] })],
  ["made_by", () => madeBy(admin)],
] as const)(
  "the hash of an old value is bound to %s, too: an item that lost it refuses both values",
  async (attribute, make) => {
    const own = await make();
    const next = await rotated(own);
    expect([await works(own.text), await works(next.key)]).toEqual([true, true]);
    const lost = { update: kinds.apiKey.key({ keyId: own.key.id }), change: { remove: [attribute] } };
    await world.deps.table.write(lost);
    expect([await works(own.text), await works(next.key)]).toEqual([false, false]);
  },
);

describe("a key rotates only itself", () => {
  test("with its current value, whatever its role and only", async () => {
    for (const own of [
      await fresh(),
      await fresh({ only: ["metrics:read"] }),
      await world.key({ kind: "user", organization: setup.organization, owner: "u-member" }),
    ])
      expect((await rotated(own)).id).toBe(own.key.id);
  });

  test("every other id is 404 KEY_NOT_FOUND, whether it exists or not", async () => {
    const [boss, narrow, member] = [await admin(), await fresh({ only: ["metrics:read"] }), await fresh()];
    const made = issued.parse((await call("/v1/keys", { key: boss.text, body: { name: "made" } })).json);
    const others = [idOf(setup, "user"), idOf(setup, "workspace"), made.id, boss.key.id, "kaaaaaaaaaaaaaaaa"];
    for (const { text, key } of [boss, narrow, member, { text: made.key, key: made }])
      for (const id of others.filter((each) => each !== key.id))
        expect(await refusal(rotate(id, text))).toEqual([404, "KEY_NOT_FOUND"]);
  });

  test("agentic and legacy keys rotate nothing", async () => {
    expect(await refusal(rotate(idOf(setup, "agentic"), setup.keys.agentic.text))).toEqual([
      403,
      "KEY_TYPE_FORBIDDEN",
    ]);
    expect(await refusal(rotate(idOf(setup, "legacy"), setup.keys.legacy.text))).toEqual([
      410,
      "LEGACY_API_KEY",
    ]);
  });

  test.each([null, 1, "", "six", "6f1c2b7e"])(
    "an idempotency_key of %j is a 400: it is required, and a UUID",
    async (idempotency_key) => {
      const own = await fresh();
      const answer = await rotate(own.key.id, own.text, { idempotency_key });
      expect([answer.status, answer.message]).toEqual([
        400,
        "idempotency_key: must be a random UUID, which you keep to repeat the request.",
      ]);
    },
  );

  test.each([-1, 86_401, 1.5, "60", null])("a grace of %j is a 400", async (grace_seconds) => {
    const own = await fresh();
    const answer = await rotate(own.key.id, own.text, { grace_seconds });
    expect(answer.message).toBe("grace_seconds: must be a whole number from 0 to 86400.");
  });
});

describe("at most two values work", () => {
  test("the old value works until its grace ends, by default one hour", async () => {
    const own = await fresh();
    const now = Date.now();
    atTime(now);
    const next = await rotated(own);
    atTime(now + hour - 1);
    expect([await works(own.text), await works(next.key)]).toEqual([true, true]);
    atTime(now + hour);
    expect([await works(own.text), await works(next.key)]).toEqual([false, true]);
  });

  test("with grace 0 the old value ends at once, and no clock decides it", async () => {
    const own = await fresh();
    await rotated(own, { grace_seconds: 60 });
    const current = await rotated({ ...own, text: (await rotatedValue(own)).key }, { grace_seconds: 0 });
    expect((await stored(own.key.id)).old_until).toBeUndefined();
    later(-2 * hour);
    expect([await works(own.text), await works(current.key)]).toEqual([false, true]);
  });

  test("a rotation during a grace ends the value before the last at once", async () => {
    const own = await fresh();
    const second = await rotated(own, { grace_seconds: 86_400 });
    const third = await rotated({ ...own, text: second.key }, { grace_seconds: 60 });
    expect([await works(own.text), await works(second.key), await works(third.key)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  test("no end moves later: the grace never passes the expiry", async () => {
    const own = await fresh({ expiresInDays: 1 });
    later(20 * hour);
    const { old_until } = await rotated(own, { grace_seconds: 86_400 });
    expect(old_until).toBe(new Date(own.key.expires_at_ms ?? 0).toISOString());
  });

  test("of two rotations at the same moment one is done", async () => {
    const own = await fresh();
    await call("/v1/whoami", { key: own.text });
    const answers = await Promise.all([1, 2].map(() => rotate(own.key.id, own.text)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  });

  test("a key that ended after it was read is not rotated, and gets no entry", async () => {
    const own = await fresh();
    const { table, clock } = world.deps;
    const { principal } = await authenticate({ table, clock }, { text: own.text });
    await world.revoke(own);
    const context = { ...world.deps, ...operatorOrigin, principal, keyText: own.text };
    const body = { idempotency_key: randomUUID(), grace_seconds: 60 };
    await expect(
      rotateOwnKey({ ...context, signal: new AbortController().signal }, body),
    ).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    expect(await entriesOf(own.key.id)).toEqual([]);
    expect((await stored(own.key.id)).hash).toBe(own.key.hash);
  });

  /** Rotates once more with the value that a rotation just made. */
  async function rotatedValue(own: IssuedKey) {
    const { json } = await call("/v1/whoami", { key: own.text });
    expect(json).toMatchObject({ key: { value_until: expect.any(String) } });
    const text = await world.rotate(own, 60, true);
    return { key: text.text };
  }
});

describe("a lost answer", () => {
  const once = () => ({ idempotency_key: randomUUID(), grace_seconds: 60 });
  const uuid = "6f1c2b7e-3333-4000-8000-000000000003";

  test("the old value's same request gets the same value, as often as asked, and nothing is written", async () => {
    const own = await fresh();
    const body = once();
    const next = await rotated(own, body);
    const before = await stored(own.key.id);
    for (let repeat = 0; repeat < 12; repeat++) {
      const answer = await api.call(`/v1/keys/${own.key.id}/rotate`, { key: own.text, body });
      expect([answer.status, issued.parse(answer.json).key]).toEqual([201, next.key]);
      // Not counted in a bucket.
      expect(answer.headers).not.toHaveProperty("ratelimit");
    }
    expect(await stored(own.key.id)).toEqual(before);
    expect(await entriesOf(own.key.id)).toHaveLength(1);
  });

  test("also after the old value's end, for 15 minutes, and everything else that it sends is the one 401", async () => {
    const own = await admin();
    const body = once();
    const now = Date.now();
    atTime(now);
    const next = await rotated(own, body);
    atTime(now + requestLimits.idempotencyMs - 1);
    expect((await rotated(own, body)).key).toBe(next.key);
    const path = `/v1/keys/${own.key.id}`;
    const unknown = await call("/v1/whoami", { key: `${own.text.slice(0, -7)}aaaaaaa` });
    const others: ReadonlyArray<readonly [string, object]> = [
      ["/v1/whoami", {}],
      ["/v1/keys", {}],
      ["/v1/keys", { body: { name: "n" } }],
      [`${path}/rotate`, { body: once() }],
      [`${path}/rotate`, { body: { ...body, grace_seconds: 0 } }],
      [`${path}/rotate`, { body: { grace_seconds: "x" } }],
      [`${path}/rotate?unknown=1`, { body }],
      [`${path}/rotate`, { body: "no JSON" }],
      ["/v1/keys/not-an-id/rotate", { body }],
      ["/v1/keys/kaaaaaaaaaaaaaaaa/rotate", { body }],
      [path, { method: "DELETE" }],
    ];
    for (const [target, options] of others) {
      const answer = await api.call(target, { key: own.text, ...options });
      expect([target, answer.status, answer.body.toString()]).toEqual([target, 401, unknown.body.toString()]);
      expect(answer.headers).not.toHaveProperty("ratelimit");
    }
    atTime(now + requestLimits.idempotencyMs);
    expect((await rotate(own.key.id, own.text, body)).status).toBe(401);
    expect(await works(next.key)).toBe(true);
  });

  test("an ended value is the one 401 also where the key itself would be refused with 403", async () => {
    await world.workspace("ended-value");
    await world.organization("ended-value-org", { workspace_id: "ended-value" });
    const token = await world.token("ended-value");
    const body = { ...once(), grace_seconds: 0 };
    const next = await rotated(token, body);
    await world.workspace("ended-value", { admins: [{ user_id: "new", email: null }] });
    expect(await refusal(rotate(token.key.id, next.key))).toEqual([403, "WORKSPACE_ADMIN_REQUIRED"]);
    expect(await refusal(rotate(token.key.id, token.text, body))).toEqual([401, "UNAUTHORIZED"]);
  });

  test("another idempotency key, another body or another value derives nothing", async () => {
    const own = await fresh();
    const body = once();
    const next = await rotated(own, body);
    expect(await refusal(rotate(own.key.id, own.text, once()))).toEqual([409, "KEY_ROTATED"]);
    expect(await refusal(rotate(own.key.id, own.text, { ...body, grace_seconds: 61 }))).toEqual([
      409,
      "KEY_ROTATED",
    ]);
    const third = issued.parse((await rotate(own.key.id, next.key, body)).json);
    expect(third.key).not.toBe(next.key);
    expect((await rotate(own.key.id, own.text, body)).status).toBe(401);
  });

  test("a key that was revoked or has expired, or whose owner has left, repeats nothing", async () => {
    const organization = await world.organization("left");
    const leaver = { provider: "github", instance_id: null, provider_organization_id: "left" };
    await world.member(leaver, "u-left");
    const [revoked, left] = [await fresh(), await world.key({ kind: "user", organization, owner: "u-left" })];
    const body = once();
    for (const own of [revoked, left]) await rotated(own, body);
    await world.revoke(revoked);
    await world.member(leaver, "u-left", { active: false });
    for (const { key, text } of [revoked, left]) expect((await rotate(key.id, text, body)).status).toBe(401);
    const short = await fresh({ expiresInDays: 1 });
    atTime((short.key.expires_at_ms ?? 0) - 1_000);
    const next = await rotated(short, body);
    expect((await rotated(short, body)).key).toBe(next.key);
    atTime(short.key.expires_at_ms ?? 0);
    expect((await rotate(short.key.id, short.text, body)).status).toBe(401);
  });

  test("the secret is 24 bytes of the HMAC with the stored salt over value, idempotency key and body", async () => {
    const own = await fresh();
    const next = await rotated(own, { grace_seconds: 60, idempotency_key: uuid });
    const lines = [own.text, uuid, `{"grace_seconds":60,"idempotency_key":"${uuid}"}`];
    const salt = Buffer.from((await stored(own.key.id)).salt ?? "", "hex");
    const secret = createHmac("sha256", salt).update(lines.join("\n")).digest().subarray(0, 24);
    expect(salt).toHaveLength(32);
    expect(next.key).toBe(textOf(own.key, secret));
  });

  test("a rotation by the operator is not repeated; --lost replaces it and leaves the old value with its end", async () => {
    const own = await fresh();
    const lost = await world.rotate(own, 600);
    const { old_until, salt } = await stored(own.key.id);
    expect(salt).toBeUndefined();
    expect(await refusal(rotate(own.key.id, own.text, once()))).toEqual([409, "KEY_ROTATED"]);
    const next = await world.rotate(own, 0, true);
    expect((await stored(own.key.id)).old_until).toBe(old_until);
    expect([await works(own.text), await works(lost.text), await works(next.text)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test("the idempotency key is stored, logged and audited nowhere", async () => {
    const own = await fresh();
    const body = once();
    const logged: string[] = [];
    vi.stubEnv("LOG_LEVEL", "debug");
    for (const method of ["log", "info", "warn", "error", "debug"] as const)
      vi.spyOn(console, method).mockImplementation((...words) => void logged.push(words.join(" ")));
    vi.spyOn(process.stdout, "write").mockImplementation((text) => logged.push(String(text)) > 0);
    await rotated(own, body);
    await rotated(own, body);
    await rotate(own.key.id, own.text, { ...body, grace_seconds: 61 });
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    expect(logged.join("\n")).toContain('"operation":"rotateKey"');
    const { items } = await world.deps.table.scanPage({});
    expect(logged.join("\n") + JSON.stringify(items)).not.toContain(body.idempotency_key);
  });
});

describe("the old value in its grace", () => {
  async function graced() {
    const own = await admin();
    const spare = await fresh();
    const next = await rotated(own, { grace_seconds: 3_600 });
    return { own, spare, next };
  }

  test("does all that the key may do but POST and DELETE under /v1/keys, which are 409 and not counted", async () => {
    const { own, spare } = await graced();
    const key = own.text;
    expect((await call("/v1/keys", { key })).status).toBe(200);
    expect((await call("/v1/roles", { key, body: { name: `Old ${own.key.id}` } })).status).toBe(201);
    for (let count = 0; count < 11; count++) {
      expect(await refusal(api.call("/v1/keys", { key, body: { name: "n" } }))).toEqual([409, "KEY_ROTATED"]);
      for (const id of [spare.key.id, "kaaaaaaaaaaaaaaaa"])
        for (const [target, options] of [
          [`/v1/keys/${id}`, { method: "DELETE" }],
          [`/v1/keys/${id}/rotate`, { body: { idempotency_key: randomUUID() } }],
        ] as const)
          expect(await refusal(api.call(target, { key, ...options }))).toEqual([409, "KEY_ROTATED"]);
    }
    expect(await works(spare.text)).toBe(true);
  });

  test("whoami says when the value that was sent ends, and null for the current one", async () => {
    const { own, next } = await graced();
    const until = async (key: string) =>
      z
        .looseObject({ key: z.looseObject({ value_until: z.string().nullable() }) })
        .parse((await call("/v1/whoami", { key })).json).key.value_until;
    expect(await until(own.text)).toBe(next.old_until);
    expect(await until(next.key)).toBeNull();
  });

  test("audit entries of requests with it have metadata.value old, of accepted and of refused ones", async () => {
    const { own, next } = await graced();
    for (const key of [own.text, next.key]) {
      await call("/v1/roles", { key, body: { name: `Role ${key.slice(-9)}` } });
      await api.call("/v1/users/seats/assignment", { key: own.text });
    }
    const { json } = await call("/v1/audit-logs?actions=role.created,key.refused&limit=100", {
      key: setup.keys.organization.text,
    });
    const entry = z.looseObject({
      action: z.string(),
      actor: z.looseObject({ key_id: z.string().nullable() }),
    });
    const { data } = z
      .object({ data: z.array(entry.extend({ metadata: z.looseObject({ value: z.string().optional() }) })) })
      .parse(json);
    const mine = data.filter(({ actor }) => actor.key_id === own.key.id);
    const values = (action: string) =>
      mine.filter((each) => each.action === action).map(({ metadata }) => metadata.value);
    expect(values("role.created")).toEqual([undefined, "old"]);
    expect(values("key.refused")).toEqual(["old"]);
  });

  test("the record tells rotated_at, old_until and the last use of each value", async () => {
    const now = Date.now();
    atTime(now);
    const { own, next } = await graced();
    await call("/v1/whoami", { key: own.text });
    atTime(now + 90_000);
    await call("/v1/whoami", { key: next.key });
    const { keys } = keyPage.parse(
      (await call("/v1/keys?limit=100", { key: setup.keys.organization.text })).json,
    );
    const time = (ms: number) => new Date(ms).toISOString();
    expect(keys.find(({ id }) => id === own.key.id)).toMatchObject({
      rotated_at: time(now),
      old_until: time(now + hour),
      old_last_used_at: time(now),
      last_used_at: time(now + 90_000),
      state: "active",
    });
  });

  const oldUse = async ({ key }: IssuedKey): Promise<readonly [string, string]> => {
    const answer = await call("/v1/keys?limit=100", { key: setup.keys.organization.text });
    const mine = keyPage.parse(answer.json).keys.find(({ id }) => id === key.id);
    return [String(required(mine?.rotated_at, "rotation")), String(mine?.old_last_used_at ?? "")];
  };

  test("the rotation itself is no use after it", async () => {
    const own = await fresh();
    await rotated(own);
    const [rotatedAt, usedAt] = await oldUse(own);
    expect(Date.parse(usedAt)).toBeLessThanOrEqual(Date.parse(rotatedAt));
  });

  test("the first use after a rotation is seen, also within a minute of an earlier one", async () => {
    const now = Date.now();
    atTime(now);
    const { own } = await graced();
    atTime(now + 20_000);
    await call("/v1/whoami", { key: own.text });
    expect(await oldUse(own)).toEqual([now, now + 20_000].map((ms) => new Date(ms).toISOString()));
  });
});

describe("a key ends itself", () => {
  test("with either working value, and both values end", async () => {
    for (const which of ["old", "current"] as const) {
      const own = await fresh();
      const next = await rotated(own);
      expect((await end(own.key.id, which === "old" ? own.text : next.key)).status).toBe(204);
      expect([await works(own.text), await works(next.key)]).toEqual([false, false]);
    }
  });

  test("whatever only, plan, its owner's admin rights and the rest of the request say", async () => {
    const narrow = await fresh({ only: ["metrics:read"] });
    expect(
      (await call(`/v1/keys/${narrow.key.id}?unknown=1`, { key: narrow.text, method: "DELETE" })).status,
    ).toBe(204);
    const poor = await world.organization("poor", { plan: "free" });
    await world.member({ provider: "github", instance_id: null, provider_organization_id: "poor" }, "u1");
    const free = await world.key({ kind: "user", organization: poor, owner: "u1" });
    expect(await refusal(rotate(free.key.id, free.text))).toEqual([403, "ENTERPRISE_PLAN_REQUIRED"]);
    expect((await end(free.key.id, free.text)).status).toBe(204);
    await world.workspace("lost-admins");
    const token = await world.token("lost-admins");
    await world.workspace("lost-admins", { admins: [{ user_id: "new", email: null }] });
    expect(await refusal(rotate(token.key.id, token.text))).toEqual([403, "WORKSPACE_ADMIN_REQUIRED"]);
    expect((await end(token.key.id, token.text)).status).toBe(204);
  });

  test("never counted or blocked, also behind a flood and while the limiter is down", async () => {
    const own = await fresh();
    for (let count = 0; count < 11; count++)
      await api.call("/v1/keys/kaaaaaaaaaaaaaaaa", { key: own.text, method: "DELETE" });
    engine.inject(({ operation, body }) =>
      operation === "UpdateItem" && body.includes("LIMIT#") ? "server_error" : undefined,
    );
    const answer = await api.call(`/v1/keys/${own.key.id}`, { key: own.text, method: "DELETE" });
    expect([answer.status, Object.hasOwn(answer.headers, "ratelimit")]).toEqual([204, false]);
  });

  test("a key recognises its own id even if the path has it percent-encoded", async () => {
    const own = await fresh();
    const encoded = [...own.key.id].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
    const next = issued.parse((await rotate(encoded, own.text)).json);
    expect((await end(encoded, next.key)).status).toBe(204);
  });
});

test("a key of the last release works with its old text; its new text contains the id of the old one", async () => {
  const { key, text: ofNow } = await admin();
  const text = lastReleaseText(ofNow);
  const id = idOfText(text);
  const old = { ...(await stored(key.id)), ...kinds.apiKey.key({ keyId: id }), id, hash: hashOf(text) };
  await world.deps.table.write({ put: old });
  expect(await works(text)).toBe(true);
  const body = { idempotency_key: randomUUID(), grace_seconds: 0 };
  const next = await rotated({ key: old, text }, body);
  expect([next.id, parseKeyText(next.key)?.id]).toEqual([id, id]);
  expect([await works(text), await works(next.key)]).toEqual([false, true]);
  expect((await rotated({ key: old, text }, body)).key).toBe(next.key);
  expect((await end(id, next.key)).status).toBe(204);
});

describe("a record of the last release that was rotated", () => {
  test("counts as an old value, and each of the two is ended by its own id", async () => {
    const [old, successor] = [await admin(), await admin()];
    const expires_at_ms = Date.now() + hour;
    await world.deps.table.write({
      update: kinds.apiKey.key({ keyId: old.key.id }),
      change: {
        set: [
          ["rotated_to", successor.key.id],
          ["expires_at_ms", expires_at_ms],
        ],
      },
    });
    expect((await call("/v1/whoami", { key: old.text })).json).toMatchObject({
      key: { value_until: new Date(expires_at_ms).toISOString() },
    });
    expect(await refusal(call("/v1/keys", { key: old.text, body: { name: "n" } }))).toEqual([
      409,
      "KEY_ROTATED",
    ]);
    expect(await refusal(rotate(old.key.id, old.text))).toEqual([409, "KEY_ROTATED"]);
    expect(await refusal(end(successor.key.id, old.text))).toEqual([409, "KEY_ROTATED"]);
    expect((await end(old.key.id, old.text)).status).toBe(204);
    expect([await works(old.text), await works(successor.text)]).toEqual([false, true]);
    expect((await end(successor.key.id, successor.text)).status).toBe(204);
  });

  test("stops when its grace ends", async () => {
    const old = await fresh();
    const change = {
      set: [
        ["rotated_to", "kaaaaaaaaaaaaaaaa"],
        ["expires_at_ms", Date.now() + hour],
      ],
    } as const;
    await world.deps.table.write({ update: kinds.apiKey.key({ keyId: old.key.id }), change });
    expect(await works(old.text)).toBe(true);
    later(hour);
    expect(await works(old.text)).toBe(false);
  });
});
