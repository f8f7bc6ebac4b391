import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { authenticate } from "../../lib/access/authenticate.ts";
import type { IssuedKey } from "../../lib/access/key-registry.ts";
import { keysOfOrganization } from "../../lib/access/key-rows.ts";
import { makeKey } from "../../lib/access/make-key.ts";
import { revokeKey } from "../../lib/access/revoke-key.ts";
import { operator, operatorOrigin } from "../../lib/audit/entry.ts";
import * as kinds from "../../lib/contract/items.ts";
import { keyLimits, newsLimits } from "../../lib/contract/limits.ts";
import { organizationTenant } from "../../lib/contract/tenants.ts";
import { parseKeyLine } from "../../lib/store/items/key.ts";
import { parsePeopleGuard } from "../../lib/store/items/people.ts";
import { queryAll } from "../../lib/store/table.ts";
import { useApi } from "../support/api.ts";
import { tableWith } from "../support/partial-table.ts";
import { everyKindOfKey, github, World } from "../support/world.ts";
import { issued, keyCallsOf, keyPage, type Setup } from "./key-calls.ts";

const api = useApi();
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
const entries = async (action: string) =>
  log.parse((await call(`/v1/audit-logs?actions=${action}`, { key: setup.keys.organization.text })).json)
    .data;

let setup: Setup;
beforeAll(async () => {
  setup = await everyKindOfKey(world, "making");
});
const member = { owner: "u-member", role: "cr_member" } as const;
const admin = { owner: "u-admin", role: "cr_admin" } as const;
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
    const boss = setup.keys.organization.text;
    const { keys } = keyPage.parse((await call("/v1/keys?limit=100", { key: boss })).json);
    expect(keys.find(({ id }) => id === key.id)).toMatchObject({
      only: ["learnings:read"],
      made_by: own.key.id,
    });
    expect(keys.find(({ id }) => id === own.key.id)).toMatchObject({ only: null, made_by: null });
    expect((await entries("key.created")).find(({ resource_id }) => resource_id === key.id)).toMatchObject({
      actor: { key_id: own.key.id },
      metadata: { only: ["learnings:read"], made_by: own.key.id, role: "cr_member" },
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
    const boss = setup.keys.organization.text;
    const hook = (types: string[]) => ({ url: "http://127.0.0.1:9/", types });
    const { text: narrow } = await maker({ ...admin, only: ["webhooks:write", "metrics:read"] });
    const create = (types: string[]) => call("/v1/webhooks", { key: narrow, body: hook(types) });
    expect(await refusal(create(["metrics.reviews", "audit_logs"]))).toEqual([403, "KEY_LIMITED"]);
    const own = z.object({ id: z.string() }).parse((await create(["metrics.reviews"])).json);
    const patch = (id: string, body: object) =>
      call(`/v1/webhooks/${id}`, { key: narrow, method: "PATCH", body });
    expect(await refusal(patch(own.id, { types: ["learnings"] }))).toEqual([403, "KEY_LIMITED"]);
    expect((await patch(own.id, { description: "mine" })).status).toBe(200);
    const { json } = await call("/v1/webhooks", { key: boss, body: hook(["learnings"]) });
    const { id } = z.object({ id: z.string() }).parse(json);
    // Of the resulting types one is still out of reach.
    expect(await refusal(patch(id, { url: "http://127.0.0.1:9/stolen" }))).toEqual([403, "KEY_LIMITED"]);
    for (const what of ["rotate", "test"])
      expect(await refusal(call(`/v1/webhooks/${id}/${what}`, { key: narrow, body: {} }))).toEqual([
        403,
        "KEY_LIMITED",
      ]);
  });

  test("a narrow key rotates no other key, whether that key exists or not, and still rotates and ends itself", async () => {
    const { text, key } = await maker({ ...admin, only: ["keys:write"] });
    const wide = await maker();
    const answers = [await rotate(wide.key.id, text), await rotate("kaaaaaaaaaaaaaaaa", text)];
    expect(answers.map(({ codes }) => codes)).toEqual([["KEY_LIMITED"], ["KEY_LIMITED"]]);
    expect(answers[0]?.body.toString()).toBe(answers[1]?.body.toString());
    const reader = await maker({ only: ["metrics:read"] });
    const next = made.parse((await rotate(reader.key.id, reader.text)).json);
    expect(next.only).toEqual(["metrics:read"]);
    expect((await end(next.id, next.key)).status).toBe(204);
    expect((await rotate(key.id, text)).status).toBe(201);
  });

  test("rotation keeps only and made_by, by the key itself, by an Admin and by the operator", async () => {
    const own = await maker();
    const rotations: Array<(id: string, key: string) => Promise<string>> = [
      async (id, key) => issued.parse((await rotate(id, key)).json).key,
      async (id) => issued.parse((await rotate(id, setup.keys.organization.text)).json).key,
    ];
    for (const turn of rotations) {
      const key = await makeOne(own.text, { only: ["metrics:read"] });
      const { json } = await call("/v1/whoami", { key: await turn(key.id, key.key) });
      expect(json).toMatchObject({ key: { only: ["metrics:read"], made_by: own.key.id } });
    }
    const narrow = await maker({ only: ["metrics:read"] });
    const { text } = await world.rotate(narrow, 0);
    expect((await call("/v1/whoami", { key: text })).json).toMatchObject({ key: { only: ["metrics:read"] } });
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
      ...{ resource_id, access_type: "read" },
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

describe("a made key is a branch of its maker's line", () => {
  test("ending a key ends what it and its rotations made, and the rotations of these; one entry names all", async () => {
    const own = await maker();
    const first = await makeOne(own.text);
    const next = issued.parse((await rotate(own.key.id, own.text)).json);
    const second = await makeOne(next.key);
    expect(second.made_by).toBe(own.key.id);
    const rotated = issued.parse((await rotate(second.id, second.key)).json);
    expect((await end(own.key.id, setup.keys.organization.text)).status).toBe(204);
    const line = [own.text, next.key, first.key, second.key, rotated.key];
    expect(await Promise.all(line.map(works))).toEqual(line.map(() => false));
    const ids = [own.key.id, next.id, first.id, second.id, rotated.id].toSorted();
    const ended = (await entries("key.revoked")).filter(({ resource_id }) => resource_id === own.key.id);
    expect(ended.map(({ metadata }) => metadata.revoked_key_ids?.toSorted())).toEqual([ids]);
  });

  test("rotating the maker leaves what it made alive; only the successor may end it, and not rotate it", async () => {
    const own = await maker();
    const key = await makeOne(own.text);
    const next = issued.parse((await rotate(own.key.id, own.text)).json);
    expect(await works(key.key)).toBe(true);
    expect(await refusal(end(key.id, own.text))).toEqual([403, "NOT_ADMIN"]);
    expect(await refusal(rotate(key.id, next.key))).toEqual([403, "NOT_ADMIN"]);
    expect((await end(key.id, next.key)).status).toBe(204);
    expect(await Promise.all([key.key, next.key].map(works))).toEqual([false, true]);
  });

  test("a made key that deletes itself leaves its maker and its siblings alive", async () => {
    const own = await maker();
    const [key, sibling] = [await makeOne(own.text), await makeOne(own.text)];
    expect(await refusal(end(sibling.id, key.key))).toEqual([403, "NOT_ADMIN"]);
    expect((await end(key.id, key.key)).status).toBe(204);
    expect(await Promise.all([key.key, own.text, sibling.key].map(works))).toEqual([false, true, true]);
  });

  test("a key in its grace makes none, so it leaves no new key behind", async () => {
    const own = await maker();
    await rotate(own.key.id, own.text);
    expect(await refusal(make(own.text))).toEqual([409, "KEY_ROTATED"]);
  });

  test("a key that is made while its line is ended is ended too or was never made", async () => {
    const key = setup.keys.organization.text;
    for (let round = 0; round < 8; round++) {
      const own = await maker();
      const [before] = [await makeOne(own.text)];
      const [answer, ended] = await Promise.all([
        api.call("/v1/keys", { key: own.text, body: { name: "late" } }),
        call(`/v1/keys/${own.key.id}`, { key, method: "DELETE" }),
      ]);
      expect([ended.status, await works(before.key)]).toEqual([204, false]);
      expect([201, 401]).toContain(answer.status);
      if (answer.status === 201) expect(await works(issued.parse(answer.json).key)).toBe(false);
    }
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
      const context = { ...world.deps, ...operatorOrigin, principal, signal };
      await expect(makeKey(context, { name: "late" })).rejects.toMatchObject({
        code: expect.stringMatching(/^(?:UNAUTHORIZED|KEY_ROTATED)$/),
      });
      const made = (await keysOfOrganization(table, setup.organization)).filter(
        ({ made_by }) => made_by === own.key.id,
      );
      expect(made).toEqual([]);
    }
  });

  test("a first key that is made between the reads and the write of an ending is ended too", async () => {
    const own = await maker();
    const { table } = world.deps;
    let late: string | undefined;
    const slow = tableWith({
      get: (...call) => table.get(...call),
      getMany: (...call) => table.getMany(...call),
      transact: async (...call) => {
        late ??= (await makeOne(own.text)).key;
        return await table.transact(...call);
      },
    });
    await revokeKey({ ...world.deps, table: slow }, own.key.id, operator);
    expect([await works(own.text), await works(late ?? "")]).toEqual([false, false]);
  });

  test("a made key that rotates while its line is ended leaves no live key", async () => {
    for (let round = 0; round < 8; round++) {
      const own = await maker();
      const key = await makeOne(own.text);
      const [answer] = await Promise.all([
        rotate(key.id, key.key),
        call(`/v1/keys/${own.key.id}`, { key: setup.keys.organization.text, method: "DELETE" }),
      ]);
      const next = issued.safeParse(answer.json);
      expect(await Promise.all([key.key, ...(next.success ? [next.data.key] : [])].map(works))).not.toContain(
        true,
      );
    }
  });
});

test("an ending that stops after its first transaction has ended the maker; repeated, it ends the rest", async () => {
  const own = await maker();
  const keys: string[] = [];
  while (keys.length < 10) keys.push((await makeOne(own.text)).key);
  const { table } = world.deps;
  let transactions = 0;
  const cut = tableWith({
    get: (...call) => table.get(...call),
    getMany: (...call) => table.getMany(...call),
    transact: async (...call) => {
      if (transactions++ > 0) throw new Error("cut off");
      return await table.transact(...call);
    },
  });
  await expect(revokeKey({ ...world.deps, table: cut }, own.key.id, operator)).rejects.toThrow("cut off");
  expect(await works(own.text)).toBe(false);
  const alive = await Promise.all(keys.map(works));
  expect([alive.includes(true), alive.includes(false)]).toEqual([true, true]);
  await end(own.key.id, setup.keys.organization.text);
  expect(await Promise.all(keys.map(works))).toEqual(keys.map(() => false));
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

test("ending a key once more ends what it made, if a release that knows no lines had ended the key alone", async () => {
  const own = await maker();
  const key = await makeOne(own.text);
  const change = { set: [["revoked_at", new Date().toISOString()]] } as const;
  await world.deps.table.write({ update: kinds.apiKey.key({ keyId: own.key.id }), change });
  expect(await works(key.key)).toBe(true);
  expect((await end(own.key.id, setup.keys.organization.text)).status).toBe(204);
  expect(await works(key.key)).toBe(false);
});

test("a made key whose line has ended is not rotated, also before it is ended itself", async () => {
  const own = await maker();
  const key = await makeOne(own.text);
  // As between the transactions of an ending that needs several.
  const line = kinds.keyLine.key({ keyId: own.key.id });
  await world.deps.table.write({ update: line, change: { set: [["ended", true]] } });
  expect(await refusal(rotate(key.id, key.key))).toEqual([404, "KEY_NOT_FOUND"]);
});

describe("at most 50 live made keys a line", () => {
  const { madeKeysMax } = keyLimits;
  /** Its line has made `count` keys: entries without items, as fast as one write. */
  async function fullMaker(count: number) {
    const own = await maker();
    await makeOne(own.text);
    const { table } = world.deps;
    const key = kinds.keyLine.key({ keyId: own.key.id });
    const item = parseKeyLine((await table.get(key)) ?? key);
    const entry = { at_ms: 1, ends_at_ms: Date.now() + 86_400_000, once: "o", request: "r" };
    const others = Array.from({ length: count - 1 }, (_, index) => ({ ...entry, id: `k${index}` }));
    await table.write({ put: { ...item, made: [...item.made, ...others] } });
    return own;
  }

  test("two at once at the limit: one is made, the other gets 409", async () => {
    const own = await fullMaker(madeKeysMax - 1);
    const answers = await Promise.all([make(own.text), make(own.text)]);
    expect(answers.map(({ status, codes }) => [status, ...codes]).toSorted()).toEqual([
      [201],
      [409, "KEY_LIMIT_REACHED"],
    ]);
  });

  test("at the limit a repeat replaces, a rotation counts once, and an ended key makes room", async () => {
    const own = await fullMaker(madeKeysMax - 1);
    const idempotency_key = "6f1c2b7e-1111-4000-8000-000000000001";
    const key = await makeOne(own.text, { idempotency_key });
    expect(await refusal(make(own.text))).toEqual([409, "KEY_LIMIT_REACHED"]);
    const again = await makeOne(own.text, { idempotency_key });
    expect(await works(key.key)).toBe(false);
    const next = issued.parse((await rotate(again.id, again.key)).json);
    expect(await refusal(make(own.text))).toEqual([409, "KEY_LIMIT_REACHED"]);
    await end(next.id, next.key);
    expect((await make(own.text)).status).toBe(201);
  });
});

describe("a repeated request", () => {
  const idempotency_key = "6f1c2b7e-2222-4000-8000-000000000002";

  test("after a lost answer leaves one live key, with a new value", async () => {
    const own = await maker();
    const first = await makeOne(own.text, { idempotency_key });
    const second = await makeOne(own.text, { idempotency_key });
    expect([second.id === first.id, await works(first.key), await works(second.key)]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test("of a key that was used, or with another body, is 409 KEY_EXISTS; another maker's is a new one", async () => {
    const own = await maker();
    const key = await makeOne(own.text, { idempotency_key });
    expect(await refusal(make(own.text, { idempotency_key, name: "other" }))).toEqual([409, "KEY_EXISTS"]);
    expect(await works(key.key)).toBe(true);
    expect(await refusal(make(own.text, { idempotency_key }))).toEqual([409, "KEY_EXISTS"]);
    expect((await make((await maker()).text, { idempotency_key })).status).toBe(201);
    expect(await works(key.key)).toBe(true);
  });
});

describe("buckets", () => {
  test("a leaked key cannot keep an Admin from ending it: its own calls count for itself", async () => {
    const own = await maker();
    const key = await makeOne(own.text);
    await call("/v1/whoami", { key: own.text });
    const flood = async (target: string, options: object) => {
      for (let count = 0; count < 11; count++) await api.call(target, { key: own.text, ...options });
      return (await api.call(target, { key: own.text, ...options })).status;
    };
    expect(await flood("/v1/keys", { body: { name: "flood" } })).toBe(429);
    expect(await flood(`/v1/keys/${key.id}`, { method: "DELETE" })).toBe(429);
    expect(await flood(`/v1/keys/${own.key.id}/rotate`, { body: {} })).toBe(429);
    const admins = await api.call(`/v1/keys/${own.key.id}`, {
      ...{ key: setup.keys.organization.text, method: "DELETE" },
    });
    expect(admins.status).toBe(204);
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

test("rotations of a leaked Admin key, however many, leave DELETE free", async () => {
  await call("/v1/whoami", { key: setup.keys.user.text });
  const leaked = await maker(admin);
  const flood = () => api.call("/v1/keys/kaaaaaaaaaaaaaaaa/rotate", { key: leaked.text, body: {} });
  const answers = await Promise.all(Array.from({ length: 14 }, flood));
  expect(answers.map(({ status }) => status)).toContain(429);
  const key = setup.keys.organization.text;
  expect((await api.call(`/v1/keys/${leaked.key.id}`, { key, method: "DELETE" })).status).toBe(204);
});

test("a key whose organization's owner leaves is refused, with what it made", async () => {
  await world.member(github("making-org"), "u-leaver", {});
  const own = await maker({ owner: "u-leaver" });
  const key = await makeOne(own.text);
  await world.member(github("making-org"), "u-leaver", { active: false });
  expect(await Promise.all([own.text, key.key].map(works))).toEqual([false, false]);
});
