import { createHash, randomUUID } from "node:crypto";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { authenticate } from "../../lib/access/authenticate.ts";
import { toBase32 } from "../../lib/access/base32.ts";
import type { IssuedKey } from "../../lib/access/key-registry.ts";
import { keysOfOrganization } from "../../lib/access/key-rows.ts";
import { makeKey } from "../../lib/access/make-key.ts";
import { revokeKey } from "../../lib/access/revoke-key.ts";
import { operator, operatorOrigin } from "../../lib/audit/entry.ts";
import * as kinds from "../../lib/contract/items.ts";
import { keyLimits, newsLimits, requestLimits } from "../../lib/contract/limits.ts";
import { organizationTenant } from "../../lib/contract/tenants.ts";
import { parsePeopleGuard } from "../../lib/store/items/people.ts";
import { queryAll } from "../../lib/store/table.ts";
import { useApi } from "../support/api.ts";
import { useFaultyEngine } from "../support/faulty-engine.ts";
import { tableWith } from "../support/partial-table.ts";
import { everyKindOfKey, github, World } from "../support/world.ts";
import { issued, keyCallsOf, keyPage, type Setup } from "./key-calls.ts";

const api = useApi();
const engine = useFaultyEngine(() => api.store().endpoint);
const world = new World(() => api.store().table);
const { call, rotate, end, works } = keyCallsOf(api);

const made = issued.extend({
  only: z.array(z.string()).nullable(),
  made_by: z.string().nullable(),
  expires_at: z.string().nullable(),
});
const timeOf = ({ expires_at }: z.output<typeof made>) => Date.parse(expires_at ?? "");
const make = (key: string, body: object = {}) => call("/v1/keys", { key, body: { name: "vendor", ...body } });
const makeOne = async (key: string, body: object = {}) => {
  const answer = await make(key, body);
  expect([answer.status, answer.message]).toEqual([201, ""]);
  return made.parse(answer.json);
};
const refusal = async (answer: ReturnType<typeof call>) => {
  const { status, codes } = await answer;
  return [status, ...codes];
};

const log = z.object({
  data: z.array(
    z.looseObject({
      resource_id: z.string(),
      metadata: z.looseObject({ revoked_key_ids: z.array(z.string()).optional() }),
    }),
  ),
});
const entries = async (action: string, key = setup.keys.organization.text) =>
  log.parse((await call(`/v1/audit-logs?actions=${action}`, { key })).json).data;

let setup: Setup;
beforeAll(async () => {
  process.env.DYNAMODB_ENDPOINT = engine.endpoint();
  setup = await everyKindOfKey(world, "making");
});
const member = { owner: "u-member", role: "cr_member" } as const;
const admin = { owner: "u-admin", role: "cr_admin" } as const;
const boss = () => setup.keys.organization.text;
const maker = (change: { only?: string[]; expiresInDays?: number; role?: string; owner?: string } = {}) =>
  world.key({ kind: "organization", organization: setup.organization, ...member, ...change });

describe("POST /v1/keys makes a key like its maker", () => {
  test.each(["organization", "user", "workspace", "instance"] as const)(
    "%s keys: the same kind, owner, role and organizations, only as sent, and a value that works",
    async (kind) => {
      const own = setup.keys[kind];
      const key = await makeOne(own.text, { only: ["metrics:read", "metrics:read"], expires_in_days: 9 });
      const { owner, role } = own.key;
      expect(key).toMatchObject({
        kind,
        name: "vendor",
        owner,
        role,
        only: ["metrics:read"],
        state: "active",
      });
      expect(key.made_by).toBe(own.key.id);
      expect(timeOf(key) - Date.now()).toBeLessThanOrEqual(9 * 86_400_000);
      const [mine, its] = [
        await call("/v1/whoami", { key: own.text }),
        await call("/v1/whoami", { key: key.key }),
      ];
      const scope = z.object({ scope: z.unknown(), role: z.unknown(), user_id: z.unknown() });
      expect(scope.parse(its.json)).toEqual(scope.parse(mine.json));
      expect(its.json).toMatchObject({ key: { id: key.id, only: ["metrics:read"], made_by: own.key.id } });
      expect(
        (await call("/v1/metrics/reviews?start_date=2026-01-01&end_date=2026-01-02", { key: key.key }))
          .status,
      ).toBe(200);
      expect(await refusal(call("/v1/learnings", { key: key.key }))).toEqual([403, "KEY_LIMITED"]);
    },
  );

  test.each(["\u001b", "\r", "\n", "\u202e", "\u200b"])("no name with %j", async (character) => {
    const answer = await make(boss(), { name: `night${character}ly` });
    expect([answer.status, answer.message]).toEqual([
      400,
      "name: must not contain control characters or invisible formatting characters.",
    ]);
  });

  test("legacy and agentic keys make none", async () => {
    expect(await refusal(make(setup.keys.legacy.text))).toEqual([410, "LEGACY_API_KEY"]);
    expect(await refusal(make(setup.keys.agentic.text))).toEqual([403, "KEY_TYPE_FORBIDDEN"]);
  });

  test("without only it may do what its maker may; without days it ends after 90 days, or with its maker", async () => {
    const wide = await makeOne((await maker()).text);
    expect(wide.only).toBeNull();
    expect(Math.round((timeOf(wide) - Date.now()) / 86_400_000)).toBe(90);
    const short = await maker({ expiresInDays: 3 });
    expect(timeOf(await makeOne(short.text))).toBe(short.key.expires_at_ms);
  });

  test("the list of keys and the audit entry tell only and made_by", async () => {
    const own = await maker();
    const key = await makeOne(own.text, { only: ["learnings:read"] });
    const { keys } = keyPage.parse((await call("/v1/keys?limit=100", { key: boss() })).json);
    expect(keys.find(({ id }) => id === key.id)).toMatchObject({
      only: ["learnings:read"],
      made_by: own.key.id,
    });
    expect(keys.find(({ id }) => id === own.key.id)).toMatchObject({ only: null, made_by: null });
    expect((await entries("key.created")).find(({ resource_id }) => resource_id === key.id)).toMatchObject({
      actor: { key_id: own.key.id },
      metadata: { only: ["learnings:read"], made_by: own.key.id, role: "cr_member" },
    });
    const token = setup.keys.workspace;
    const { id } = await makeOne(token.text, { only: ["metrics:read"] });
    const created = await entries("token.created", token.text);
    expect(created.find(({ resource_id }) => resource_id === id)).toMatchObject({
      metadata: { only: ["metrics:read"], made_by: token.key.id },
    });
  });

  test.each([
    [[], "only: must have at least one value; leave it out for everything"],
    [["metrics:write"], "only[0]: must be one of: metrics:read, "],
    ["metrics:read", 'only: must be an array such as ["metrics:read"].'],
    [null, 'only: must be an array such as ["metrics:read"].'],
  ])("only of %j is a 400: an empty list never means everything", async (only, message) => {
    const answer = await make(setup.keys.user.text, { only });
    expect([answer.status, answer.message]).toEqual([400, expect.stringContaining(message)]);
  });

  test.each([0, 366, 1.5, "9"])("expires_in_days of %j is a 400", async (expires_in_days) => {
    expect(await refusal(make(setup.keys.user.text, { expires_in_days }))).toEqual([400, "INVALID_REQUEST"]);
  });
});

describe("a made key is at most as strong as its maker", () => {
  test("a narrow maker must send only, and within its own; :write includes :read", async () => {
    const { text } = await maker({ only: ["keys:write", "learnings:write"] });
    expect(await refusal(make(text))).toEqual([403, "KEY_LIMITED"]);
    for (const only of [["metrics:read"], ["learnings:read", "roles:read"]])
      expect(await refusal(make(text, { only }))).toEqual([403, "KEY_LIMITED"]);
    expect((await makeOne(text, { only: ["learnings:read", "keys:read"] })).only).toEqual([
      "learnings:read",
      "keys:read",
    ]);
    const reader = await maker({ only: ["keys:write", "learnings:read"] });
    expect(await refusal(make(reader.text, { only: ["learnings:write"] }))).toEqual([403, "KEY_LIMITED"]);
  });

  test("a key without keys:write makes none, and the answer says what it needs and has", async () => {
    const { text } = await maker({ only: ["keys:read", "metrics:read"] });
    const answer = await make(text, { only: ["metrics:read"] });
    expect([answer.codes, answer.message]).toEqual([
      ["KEY_LIMITED"],
      "This operation needs keys:write; this key may do only: metrics:read, keys:read. Use a key that may do more.",
    ]);
  });

  test("no key outlives its maker", async () => {
    const { text } = await maker({ expiresInDays: 5 });
    expect(await refusal(make(text, { expires_in_days: 6 }))).toEqual([403, "KEY_LIMITED"]);
    expect((await make(text, { expires_in_days: 4 })).status).toBe(201);
  });

  test("a made key makes none, also after its rotation", async () => {
    const key = await makeOne((await maker()).text);
    expect(await refusal(make(key.key))).toEqual([403, "KEY_LIMITED"]);
    const next = issued.parse((await rotate(key.id, key.key)).json);
    expect(await refusal(make(next.key))).toEqual([403, "KEY_LIMITED"]);
  });

  test("a narrow key makes, changes, rotates and tests no webhook of a type that it may not read", async () => {
    const hook = (types: string[]) => ({ url: "http://127.0.0.1:9/", types });
    const { text: narrow } = await maker({ ...admin, only: ["webhooks:write", "metrics:read"] });
    const create = (types: string[]) => call("/v1/webhooks", { key: narrow, body: hook(types) });
    expect(await refusal(create(["metrics.reviews", "audit_logs"]))).toEqual([403, "KEY_LIMITED"]);
    const own = z.object({ id: z.string() }).parse((await create(["metrics.reviews"])).json);
    const patch = (id: string, body: object) =>
      call(`/v1/webhooks/${id}`, { key: narrow, method: "PATCH", body });
    expect(await refusal(patch(own.id, { types: ["learnings"] }))).toEqual([403, "KEY_LIMITED"]);
    expect((await patch(own.id, { description: "mine" })).status).toBe(200);
    const { json } = await call("/v1/webhooks", { key: boss(), body: hook(["learnings"]) });
    const { id } = z.object({ id: z.string() }).parse(json);
    // Of the resulting types one is still out of reach.
    expect(await refusal(patch(id, { url: "http://127.0.0.1:9/stolen" }))).toEqual([403, "KEY_LIMITED"]);
    const isCounted = async (body: object) => "ratelimit" in (await patch(id, body)).headers;
    expect([await isCounted({ types: ["learnings"] }), await isCounted({ description: "" })]).toEqual([
      false,
      true,
    ]);
    // Rights and existence are checked before the new address.
    const refused = { url: "https://169.254.169.254/" };
    expect(await refusal(patch(id, refused))).toEqual([403, "KEY_LIMITED"]);
    expect(await refusal(patch(randomUUID(), refused))).toEqual([404, "WEBHOOK_NOT_FOUND"]);
    expect(await refusal(patch(own.id, refused))).toEqual([400, "INVALID_REQUEST"]);
    for (const what of ["rotate", "test"])
      expect(await refusal(call(`/v1/webhooks/${id}/${what}`, { key: narrow, body: {} }))).toEqual([
        403,
        "KEY_LIMITED",
      ]);
  });

  test("rotation changes neither only nor made_by, by the key itself and by the operator", async () => {
    const key = await makeOne((await maker()).text, { only: ["metrics:read"] });
    const shown = async (text: string) => (await call("/v1/whoami", { key: text })).json;
    const before = await shown(key.key);
    const next = issued.parse((await rotate(key.id, key.key)).json);
    expect(await shown(next.key)).toEqual(before);
    const narrow = await maker({ only: ["metrics:read"] });
    const { text } = await world.rotate(narrow, 0);
    expect(await shown(text)).toMatchObject({ key: { only: ["metrics:read"] } });
    expect(await refusal(call("/v1/learnings", { key: text }))).toEqual([403, "KEY_LIMITED"]);
  });

  test("a role that gains permissions later: the made key follows the role, within only", async () => {
    const role = await world.role(setup.organization, "Grows", { permissions: ["learning:read"] });
    const own = await maker({ role });
    const key = await makeOne(own.text, { only: ["learnings:read", "organizations:read"] });
    const roles = () => call("/v1/roles", { key: key.key });
    const organizations = () => call("/v1/organizations", { key: key.key });
    expect(await refusal(organizations())).toEqual([403, "PERMISSION_DENIED"]);
    const permissions = ["organization_management", "role_management"].map((resource_id) => ({
      resource_id,
      access_type: "read",
    }));
    const change = { key: setup.keys.organization.text, method: "PATCH", body: { permissions } };
    expect((await call(`/v1/roles/${role}`, change)).status).toBe(200);
    expect((await organizations()).status).toBe(200);
    expect(await refusal(roles())).toEqual([403, "KEY_LIMITED"]);
    // The made key counts as one that has the role: nobody can delete the role meanwhile.
    const guard = await world.deps.table.get(kinds.people.key({ organization: setup.organization }));
    expect(parsePeopleGuard(guard ?? { pk: "", sk: "" }).keys_given[role]).toBe(2);
  });
});

describe("ending a key ends what it made", () => {
  test("ending a maker is one transaction over all that it made, and one entry names all", async () => {
    const own = await maker();
    const made = [await makeOne(own.text), await makeOne(own.text, { expires_in_days: 20 })];
    const rotated = issued.parse((await rotate(made[1]?.id ?? "", made[1]?.key ?? "")).json);
    expect((await end(own.key.id, setup.keys.organization.text)).status).toBe(204);
    const values = [own.text, rotated.key, ...made.map(({ key }) => key)];
    expect(await Promise.all(values.map(works))).toEqual(values.map(() => false));
    const ended = (await entries("key.revoked")).filter(({ resource_id }) => resource_id === own.key.id);
    expect(ended.map(({ metadata }) => metadata.revoked_key_ids)).toEqual([
      [own.key.id, ...made.map(({ id }) => id)],
    ]);
    // Ended before: 204 and nothing more.
    expect((await end(own.key.id, setup.keys.organization.text)).status).toBe(204);
    expect(
      (await entries("key.revoked")).filter(({ resource_id }) => resource_id === own.key.id),
    ).toHaveLength(1);
  });

  /** A maker of 50 keys: copies of one, as fast as one write. */
  async function makerOfFifty(own: IssuedKey): Promise<readonly string[]> {
    const { table } = world.deps;
    const first = await makeOne(own.text, { expires_in_days: 40 });
    const item = await table.get(kinds.apiKey.key({ keyId: first.id }));
    const ids = Array.from({ length: keyLimits.madeKeysMax }, (_, index) => `${first.id}${index}`);
    await table.writeMany(ids.map((id) => ({ put: { ...item, ...kinds.apiKey.key({ keyId: id }), id } })));
    const made = ids.map((id) => ({ id, expires_at_ms: Date.now() + 86_400_000 }));
    const update = kinds.madeKeys.key({ keyId: own.key.id });
    await table.write({ update, change: { set: [["made", made]] } });
    return ids;
  }

  test("fifty made keys end with their maker in one transaction, also while the organization leaves", async () => {
    const own = await maker({ expiresInDays: 60 });
    const { table } = world.deps;
    const ids = await makerOfFifty(own);
    await table.write({
      update: kinds.organization.key({ organization: setup.organization }),
      change: { set: [["leaving", "w#making-left"]] },
    });
    const actions: number[] = [];
    const counting = tableWith({
      get: (...call) => table.get(...call),
      getMany: (...call) => table.getMany(...call),
      writeMany: (...call) => table.writeMany(...call),
      transact: async (writes, ...call) => {
        actions.push(writes.length);
        return await table.transact(writes, ...call);
      },
    });
    const ended = await revokeKey({ ...world.deps, table: counting }, own.key.id, operator);
    await table.write({
      update: kinds.organization.key({ organization: setup.organization }),
      change: { remove: ["leaving"] },
    });
    expect(ended).toEqual([own.key.id, ...ids]);
    expect(actions).toEqual([expect.toSatisfy((count: number) => count <= 100)]);
    const copies = await table.getMany(ids.map((keyId) => kinds.apiKey.key({ keyId })));
    expect(copies.filter((copy) => copy?.revoked_at === null)).toEqual([]);
  });

  test("notes of made keys that cannot be deleted fail no DELETE", async () => {
    const own = await maker();
    const key = await makeOne(own.text, { expires_in_days: 40 });
    let failed = 0;
    engine.inject(({ operation }) => {
      if (operation !== "BatchWriteItem") return undefined;
      failed++;
      return "server_error";
    });
    const { status } = await end(own.key.id, boss());
    engine.inject();
    expect([status, failed > 0, await works(key.key)]).toEqual([204, true, false]);
  });

  test("rotating the maker leaves what it made alive, and only its new value ends it", async () => {
    const own = await maker();
    const key = await makeOne(own.text);
    const next = issued.parse((await rotate(own.key.id, own.text)).json);
    expect(await works(key.key)).toBe(true);
    expect(await refusal(end(key.id, own.text))).toEqual([409, "KEY_ROTATED"]);
    expect(await refusal(rotate(key.id, next.key))).toEqual([404, "KEY_NOT_FOUND"]);
    expect((await end(key.id, next.key)).status).toBe(204);
    expect(await Promise.all([key.key, next.key].map(works))).toEqual([false, true]);
  });

  test("ending a made key ends neither its maker nor its siblings, and a made key ends only itself", async () => {
    const own = await maker();
    const [key, sibling] = [await makeOne(own.text), await makeOne(own.text)];
    for (const id of [sibling.id, own.key.id])
      expect(await refusal(end(id, key.key))).toEqual([404, "KEY_NOT_FOUND"]);
    expect((await end(key.id, key.key)).status).toBe(204);
    expect(await Promise.all([key.key, own.text, sibling.key].map(works))).toEqual([false, true, true]);
  });

  test("rotating or ending a made key does not write its maker's list", async () => {
    const own = await maker();
    const [one, other] = [await makeOne(own.text), await makeOne(own.text)];
    const list = () => world.deps.table.get(kinds.madeKeys.key({ keyId: own.key.id }));
    const before = await list();
    expect(before).toMatchObject({ version: 2, made: [{ id: one.id }, { id: other.id }] });
    expect((await rotate(one.id, one.key)).status).toBe(201);
    expect((await end(other.id, other.key)).status).toBe(204);
    expect(await list()).toEqual(before);
  });

  test("a maker ends what it made, whatever its role, with keys:write", async () => {
    const key = await makeOne((await maker()).text);
    const own = await maker({ only: ["keys:write", "metrics:read"] });
    const mine = await makeOne(own.text, { only: ["metrics:read"] });
    expect(await refusal(end(key.id, own.text))).toEqual([404, "KEY_NOT_FOUND"]);
    expect((await end(mine.id, own.text)).status).toBe(204);
    const reader = await maker({ only: ["keys:read"] });
    expect(await refusal(end(key.id, reader.text))).toEqual([403, "KEY_LIMITED"]);
  });

  test("an Admin key that was made lists the keys of its scope and ends only itself", async () => {
    const boss = await maker(admin);
    const key = await makeOne(boss.text);
    const other = await maker();
    const { keys } = keyPage.parse((await call("/v1/keys?limit=100", { key: key.key })).json);
    expect(keys.map(({ id }) => id)).toEqual(expect.arrayContaining([other.key.id, boss.key.id]));
    for (const id of [other.key.id, boss.key.id])
      expect(await refusal(end(id, key.key))).toEqual([404, "KEY_NOT_FOUND"]);
  });

  test("a maker that was ended or rotated after it was read makes nothing, also if it never made a key", async () => {
    const { table, clock } = world.deps;
    for (const change of [
      async (own: IssuedKey) => void (await world.revoke(own)),
      async (own: IssuedKey) => void (await world.rotate(own, 60)),
    ]) {
      const own = await maker();
      const { principal } = await authenticate({ table, clock }, { text: own.text });
      await change(own);
      const { signal } = new AbortController();
      const context = { ...world.deps, ...operatorOrigin, principal, keyText: own.text, signal };
      await expect(makeKey(context, { name: "late" })).rejects.toMatchObject({
        code: expect.stringMatching(/^(?:UNAUTHORIZED|KEY_ROTATED)$/),
      });
      const made = (await keysOfOrganization(table, setup.organization)).filter(
        ({ made_by }) => made_by === own.key.id,
      );
      expect(made).toEqual([]);
    }
  });
});

test("a made key has notes of its expiry, which go when its maker is ended", async () => {
  const own = await maker();
  const { id } = await makeOne(own.text, { expires_in_days: 30 });
  const notes = async () => {
    const range = kinds.news.range({ tenant: organizationTenant(setup.organization) });
    const items = await Array.fromAsync(queryAll(world.deps.table, range));
    return items.filter((note) => note.id === id).length;
  };
  expect(await notes()).toBe(newsLimits.keyExpiryDays.length);
  await end(own.key.id, setup.keys.organization.text);
  expect(await notes()).toBe(0);
});

describe("at most 50 live made keys a maker", () => {
  const { madeKeysMax } = keyLimits;
  /** Its list has `count` keys, of which the first is ended: entries of one live key, as fast as one write. */
  async function fullMaker(count: number) {
    const own = await maker();
    const [ended, live] = [await makeOne(own.text), await makeOne(own.text)];
    const expires_at_ms = Date.now() + 86_400_000;
    const made = [ended, ...Array.from({ length: count - 1 }, () => live)];
    const put = { ...kinds.madeKeys.key({ keyId: own.key.id }), version: 2 };
    await world.deps.table.write({ put: { ...put, made: made.map(({ id }) => ({ id, expires_at_ms })) } });
    return { own, ended };
  }

  test("two at once at the limit: one is made, the other gets 409", async () => {
    const { own } = await fullMaker(madeKeysMax - 1);
    const answers = await Promise.all([make(own.text), make(own.text)]);
    expect(answers.map(({ status, codes }) => [status, ...codes]).toSorted()).toEqual([
      [201],
      [409, "KEY_LIMIT_REACHED"],
    ]);
  });

  test("a full list drops keys that have ended first", async () => {
    const { own, ended } = await fullMaker(madeKeysMax);
    expect(await refusal(make(own.text))).toEqual([409, "KEY_LIMIT_REACHED"]);
    expect((await end(ended.id, ended.key)).status).toBe(204);
    expect((await make(own.text)).status).toBe(201);
    expect(await refusal(make(own.text))).toEqual([409, "KEY_LIMIT_REACHED"]);
  });
});

describe("a repeated request with an idempotency_key", () => {
  const idempotency_key = "6f1c2b7e-2222-4000-8000-000000000002";
  afterEach(() => void vi.useRealTimers());

  test("gets the same key and value, once or more, and the key is used meanwhile", async () => {
    const own = await maker();
    const first = await makeOne(own.text, { idempotency_key });
    expect(await works(first.key)).toBe(true);
    const again = await makeOne(own.text, { idempotency_key });
    expect([again.id, again.key]).toEqual([first.id, first.key]);
    expect((await makeOne((await maker()).text, { idempotency_key })).id).not.toBe(first.id);
  });

  test("the id is of the maker's id and the idempotency key; without one it is random", async () => {
    const own = await maker();
    const { id } = await makeOne(own.text, { idempotency_key });
    const digest = createHash("sha256").update(`${own.key.id}\n${idempotency_key}`).digest();
    expect(id).toBe(`k${toBase32(digest.subarray(0, 10))}`);
    expect((await makeOne(own.text)).id).not.toBe((await makeOne(own.text)).id);
  });

  test("of four at the same moment makes one key with one value", async () => {
    const own = await maker();
    await call("/v1/whoami", { key: own.text });
    const answers = await Promise.all([1, 2, 3, 4].map(() => make(own.text, { idempotency_key })));
    expect(new Set(answers.map(({ json }) => made.parse(json).key)).size).toBe(1);
  });

  test("is recognised before expiry and count are judged", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const own = await maker({ expiresInDays: 5 });
    const first = await makeOne(own.text, { idempotency_key, expires_in_days: 5 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    expect((await makeOne(own.text, { idempotency_key, expires_in_days: 5 })).key).toBe(first.key);
    expect(await refusal(make(own.text, { expires_in_days: 5 }))).toEqual([403, "KEY_LIMITED"]);
    const list = Array.from({ length: keyLimits.madeKeysMax }, () => ({ id: first.id, expires_at_ms: 0 }));
    const update = kinds.madeKeys.key({ keyId: own.key.id });
    await world.deps.table.write({ update, change: { set: [["made", list]] } });
    expect((await makeOne(own.text, { idempotency_key, expires_in_days: 5 })).key).toBe(first.key);
    expect(await refusal(make(own.text))).toEqual([409, "KEY_LIMIT_REACHED"]);
  });

  test.each([
    ["with another body", async () => ({ name: "other" })],
    ["after the key was ended", async (_: string, id: string): Promise<void> => void (await end(id, boss()))],
    [
      "after the key was rotated",
      async (key: string, id: string): Promise<void> => void (await rotate(id, key)),
    ],
    [
      "after 15 minutes",
      async () => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + requestLimits.idempotencyMs }),
    ],
  ] as const)("%s is 409 KEY_EXISTS, which names the id", async (_, change) => {
    const own = await maker();
    const first = await makeOne(own.text, { idempotency_key });
    const body = await change(first.key, first.id);
    const answer = await make(own.text, { idempotency_key, ...body });
    expect([answer.status, answer.codes, answer.message]).toEqual([
      409,
      ["KEY_EXISTS"],
      `idempotency_key: it made key ${first.id}. To make another key, send another idempotency_key.`,
    ]);
  });

  test("with another value of the maker is 409 KEY_EXISTS", async () => {
    const own = await maker();
    await makeOne(own.text, { idempotency_key });
    const next = issued.parse((await rotate(own.key.id, own.text)).json);
    expect(await refusal(make(next.key, { idempotency_key }))).toEqual([409, "KEY_EXISTS"]);
  });
});

describe("buckets", () => {
  const callNow = (target: string, options: object) => api.call(target, options);

  test("the buckets of /v1/keys belong to the calling key: floods of a leaked Admin key block nobody else", async () => {
    const own = await maker(admin);
    const other = await maker(admin);
    const key = await makeOne(own.text);
    await call("/v1/whoami", { key: own.text });
    const flood = async (target: string, options: object) => {
      for (let count = 0; count < 10; count++) await callNow(target, { key: own.text, ...options });
      return (await callNow(target, { key: own.text, ...options })).status;
    };
    expect(await flood("/v1/keys", {})).toBe(429);
    expect(await flood("/v1/keys", { body: { name: "flood" } })).toBe(429);
    expect(await flood("/v1/keys/kaaaaaaaaaaaaaaaa", { method: "DELETE" })).toBe(429);
    expect((await callNow(`/v1/keys/${key.id}`, { key: own.text, method: "DELETE" })).status).toBe(429);
    // Its successive values share one bucket.
    let text = own.text;
    const statuses: number[] = [];
    for (let count = 0; count < 11; count++) {
      const body = { idempotency_key: randomUUID(), grace_seconds: 0 };
      const answer = await callNow(`/v1/keys/${own.key.id}/rotate`, { key: text, body });
      statuses.push(answer.status);
      text = issued.safeParse(answer.json).data?.key ?? text;
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 201), 429]);
    const deleted = await callNow(`/v1/keys/${own.key.id}`, { key: other.text, method: "DELETE" });
    expect([deleted.status, await works(text), await works(key.key)]).toEqual([204, false, false]);
  });
});

test("what a narrow key may not ask for is refused before it counts", async () => {
  const { text } = await maker({ ...admin, only: ["keys:write", "webhooks:write"] });
  const hook = { url: "http://127.0.0.1:9/", types: ["learnings"] };
  await call("/v1/whoami", { key: text });
  for (const refused of [
    () => api.call("/v1/keys", { key: text, body: { name: "v", only: ["metrics:read"] } }),
    () => api.call("/v1/keys", { key: text, body: { name: "v" } }),
    () => api.call("/v1/webhooks", { key: text, body: hook }),
  ])
    for (let count = 0; count < 11; count++) expect(await refusal(refused())).toEqual([403, "KEY_LIMITED"]);
  expect((await api.call("/v1/keys", { key: text, body: { name: "v", only: ["keys:read"] } })).status).toBe(
    201,
  );
});

test("a key whose organization's owner leaves is refused, with what it made", async () => {
  await world.member(github("making-org"), "u-leaver", {});
  const own = await maker({ owner: "u-leaver" });
  const key = await makeOne(own.text);
  await world.member(github("making-org"), "u-leaver", { active: false });
  expect(await Promise.all([own.text, key.key].map(works))).toEqual([false, false]);
});
