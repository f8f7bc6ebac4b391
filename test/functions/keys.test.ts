import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { listOldKeys } from "../../lib/access/key-rows.ts";
import { keyLimits, walkLimits } from "../../lib/contract/limits.ts";
import { deleteKey, listKeys, rotateKey } from "../../lib/contract/operations/keys.ts";
import {
  keyDirectoryKey,
  organizationKeyRow,
  tenantKeyRow,
  tenantOrganizationKey,
  workspaceTenant,
} from "../../lib/store/layout.ts";
import { useApi } from "../support/api.ts";
import { commonSuite } from "../support/common-suite.ts";
import { everyKindOfKey, gitlab, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);

commonSuite(api, { operation: listKeys, request: () => ({ target: "/v1/keys" }) });
commonSuite(api, {
  operation: rotateKey,
  request: () => ({ target: "/v1/keys/kaaaaaaaaaaaaaaaa/rotate", body: {} }),
  good: [404],
});
commonSuite(api, {
  operation: deleteKey,
  request: () => ({ target: "/v1/keys/kaaaaaaaaaaaaaaaa" }),
  good: [404],
});

const keyPage = z.object({
  keys: z.array(z.looseObject({ id: z.string(), kind: z.string() })),
  next_cursor: z.string().nullable(),
});
const issued = z.looseObject({ key: z.string(), id: z.string(), kind: z.string() });

/** Below the smallest limit, 10 calls a minute. */
const callsBetweenWindows = 6;
let calls = 0;

/** A call that no rate limit refuses. */
async function call(target: string, options: Parameters<typeof api.call>[1]) {
  if (calls++ % callsBetweenWindows === 0) await emptyWindows();
  return await api.call(target, options);
}

async function emptyWindows(): Promise<void> {
  const { table } = api.store();
  const limits = (await table.scanPage({})).items.filter(({ pk }) => pk.startsWith("LIMIT#"));
  await table.writeMany(limits.map(({ pk, sk }) => ({ delete: { pk, sk } })));
}
const rotate = (id: string, key: string, body: object = {}) => call(`/v1/keys/${id}/rotate`, { key, body });
const end = (id: string, key: string) => call(`/v1/keys/${id}`, { key, method: "DELETE" });
const works = async (key: string) => (await call("/v1/whoami", { key })).status === 200;
const idsSeenBy = async (key: string, query = "") => {
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? "" : `${query === "" ? "?" : "&"}cursor=${cursor}`;
    const page: z.output<typeof keyPage> = keyPage.parse(
      (await call(`/v1/keys${query}${next}`, { key })).json,
    );
    seen.push(...page.keys.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return seen.toSorted();
};

type Setup = Awaited<ReturnType<typeof everyKindOfKey>>;
const idOf = ({ keys }: Setup, kind: keyof Setup["keys"]) => keys[kind].key.id;

describe("GET /v1/keys", () => {
  let setup: Setup;
  beforeAll(async () => {
    setup = await everyKindOfKey(world, "listing");
  });
  const ofOrganization = () =>
    (["organization", "user", "legacy", "agentic"] as const).map((kind) => idOf(setup, kind));

  test("shows an organization its keys, with all fields and without their values", async () => {
    // The last use, which the listing itself causes too, is written at the same time as the listing runs.
    await call("/v1/whoami", { key: setup.keys.organization.text });
    const answer = await call("/v1/keys", { key: setup.keys.organization.text });
    const { keys } = keyPage.parse(answer.json);
    expect(keys.map(({ id }) => id).toSorted()).toEqual(ofOrganization().toSorted());
    expect(keys.find(({ kind }) => kind === "organization")).toEqual({
      id: idOf(setup, "organization"),
      kind: "organization",
      name: null,
      role: "cr_admin",
      owner: "u-admin",
      organizations: ["listing-org"],
      created_at: setup.keys.organization.key.created_at,
      last_used_at: expect.any(String),
      expires_at: null,
      state: "active",
      successor_id: null,
    });
    for (const { text, key } of Object.values(setup.keys)) {
      expect(answer.body.toString()).not.toContain(text);
      expect(answer.body.toString()).not.toContain(key.hash);
    }
  });

  test("shows tokens to workspace tokens only, and instance keys to instance keys only", async () => {
    const token = setup.keys.workspace.text;
    expect(await idsSeenBy(token)).toEqual([...ofOrganization(), idOf(setup, "workspace")].toSorted());
    expect(await idsSeenBy(token, "?org_id=listing-org")).toEqual(ofOrganization().toSorted());
    expect(await idsSeenBy(setup.keys.instance.text)).toEqual([idOf(setup, "instance")]);
  });

  test("walks in pages of any size and shows each key once", async () => {
    const token = setup.keys.workspace.text;
    const all = await idsSeenBy(token);
    for (const limit of [1, 2, 3, 100]) expect(await idsSeenBy(token, `?limit=${limit}`)).toEqual(all);
  });

  test("needs the Admin role", async () => {
    const answer = await call("/v1/keys", { key: setup.keys.user.text });
    expect([answer.status, answer.codes]).toEqual([403, ["NOT_ADMIN"]]);
  });

  test("shows the state of a key", async () => {
    const { text, key } = await world.key({
      kind: "user",
      organization: setup.organization,
      owner: "u-member",
      name: "old",
    });
    const rotated = issued.parse((await rotate(key.id, text, { grace_seconds: 0 })).json);
    const { keys } = keyPage.parse((await call("/v1/keys", { key: setup.keys.organization.text })).json);
    expect(keys.find(({ id }) => id === key.id)).toMatchObject({
      state: "rotated",
      successor_id: rotated.id,
    });
    expect(keys.find(({ id }) => id === rotated.id)).toMatchObject({
      state: "active",
      name: "old",
      successor_id: null,
    });
    await end(rotated.id, rotated.key);
    const later = keyPage.parse((await call("/v1/keys", { key: setup.keys.organization.text })).json);
    expect(later.keys.find(({ id }) => id === rotated.id)).toMatchObject({ state: "revoked" });
  });

  test("finds the keys of more organizations than one page reads, page by page", async () => {
    const name = "many-organizations";
    const { organization, keys } = await everyKindOfKey(world, name);
    const { table } = world.deps;
    const tenant = workspaceTenant(`${name}-workspace`);
    const row = await table.get(tenantOrganizationKey(tenant, organization));
    if (!row) throw new Error("There is no such organization.");
    const uuids = Array.from(
      { length: keyLimits.organizationsPerPageMax + 1 },
      (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    );
    await table.writeMany(
      uuids.map((uuid) => ({
        put: { ...row, ...tenantOrganizationKey(tenant, uuid), uuid, provider_organization_id: uuid },
      })),
    );
    const { text: key } = keys.workspace;
    const first = keyPage.parse((await api.call("/v1/keys", { key })).json);
    expect(first.next_cursor).not.toBeNull();
    const rest = keyPage.parse((await api.call(`/v1/keys?cursor=${first.next_cursor}`, { key })).json);
    const seen = [...first.keys, ...rest.keys].map(({ kind }) => kind);
    expect(seen.toSorted()).toEqual(["agentic", "legacy", "organization", "user", "workspace"]);
    expect(rest.next_cursor).toBeNull();
  });

  test("ends a page with a cursor after too many skipped rows: a walk continues and finds every key", async () => {
    const { organization, keys } = await everyKindOfKey(world, "passed-over");
    const { table } = world.deps;
    // An organization's rows include the instance keys whose home it is; those are listed with the instance.
    const rows = Array.from({ length: walkLimits.passedOverMax + 150 }, (_, index) => ({
      put: { ...organizationKeyRow(organization, `k0${String(index).padStart(15, "0")}`), kind: "instance" },
    }));
    await table.writeMany(rows);
    const { text: key } = keys.organization;
    const first = keyPage.parse((await api.call("/v1/keys?limit=1", { key })).json);
    expect(first).toEqual({ keys: [], next_cursor: expect.any(String) });
    const rest = await api.call(`/v1/keys?cursor=${first.next_cursor}`, { key });
    expect(keyPage.parse(rest.json)).toMatchObject({ keys: [{}, {}, {}, {}], next_cursor: null });
  });

  test("lists keys of the first release after the backfill, which is safe to repeat", async () => {
    const { organization, keys } = await everyKindOfKey(world, "release-1");
    const { table } = world.deps;
    for (const { key } of Object.values(keys)) {
      await table.write({ put: { ...keyDirectoryKey(key.id), kind: key.kind } });
      if (key.organization) await table.write({ delete: organizationKeyRow(key.organization, key.id) });
      await table.write({ delete: tenantKeyRow(key.tenant, key.id) });
    }
    expect(await idsSeenBy(keys.organization.text)).toEqual([]);
    expect(await listOldKeys(world.deps)).toBe(6);
    expect(await listOldKeys(world.deps)).toBe(0);
    expect(await idsSeenBy(keys.organization.text)).toHaveLength(4);
    expect(await idsSeenBy(keys.workspace.text)).toHaveLength(5);
    expect(await idsSeenBy(keys.instance.text)).toEqual([keys.instance.key.id]);
    expect(organization).toBeTruthy();
  });
});

describe("POST /v1/keys/{key_id}/rotate", () => {
  let setup: Setup;
  beforeAll(async () => {
    setup = await everyKindOfKey(world, "rotating");
  });
  const fresh = (kind: "organization" | "user" | "agentic", owner = "u-member") =>
    kind === "organization"
      ? world.key({
          kind,
          organization: setup.organization,
          owner,
          role: "cr_member",
          name: "fresh",
          expiresInDays: 9,
        })
      : world.key({ kind, organization: setup.organization, owner, name: "fresh", expiresInDays: 9 });

  test("needs no body: every field has a default", async () => {
    const old = await fresh("user");
    const answer = await call(`/v1/keys/${old.key.id}/rotate`, { key: old.text, method: "POST" });
    expect(answer.status).toBe(201);
    expect(await works(issued.parse(answer.json).key)).toBe(true);
    expect(await works(old.text)).toBe(true);
  });

  test("a key replaces itself: same name, rights and expiry, another value, and the old key has its grace", async () => {
    const old = await fresh("user");
    const answer = await rotate(old.key.id, old.text);
    const successor = issued.parse(answer.json);
    expect([answer.status, successor]).toMatchObject([
      201,
      { kind: "user", name: "fresh", owner: "u-member", organizations: ["rotating-org"], state: "active" },
    ]);
    expect(successor.expires_at).toBe(new Date(old.key.expires_at_ms ?? 0).toISOString());
    expect(successor.key).not.toBe(old.text);
    expect([await works(old.text), await works(successor.key)]).toEqual([true, true]);
    expect((await rotate(old.key.id, old.text)).codes).toEqual(["KEY_ROTATED"]);
  });

  test("a key recognises its own id even if the path has it percent-encoded", async () => {
    const { keys } = await everyKindOfKey(world, "encoded");
    const { id } = keys.organization.key;
    const encoded = [...id].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
    const rotated = await rotate(encoded, keys.organization.text);
    expect(rotated.status).toBe(201);
    const successor = issued.parse(rotated.json);
    const own = [...successor.id].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
    expect((await end(own, successor.key)).status).toBe(204);
  });

  test("with a grace of 0 the old key ends at once; without a grace in the request it ends after an hour", async () => {
    const old = await fresh("organization");
    await rotate(old.key.id, setup.keys.organization.text, { grace_seconds: 0 });
    expect(await works(old.text)).toBe(false);
    const other = await fresh("organization");
    await rotate(other.key.id, other.text);
    const { keys } = keyPage.parse((await call("/v1/keys", { key: setup.keys.organization.text })).json);
    const { expires_at } = z
      .object({ expires_at: z.string() })
      .parse(keys.find(({ id }) => id === other.key.id));
    const leftMs = Date.parse(expires_at) - Date.now();
    expect(leftMs).toBeGreaterThan(3_500_000);
    expect(leftMs).toBeLessThanOrEqual(3_600_000);
  });

  test.each([-1, 86_401, 1.5, "60", null])("a grace of %j is a 400", async (grace_seconds) => {
    const answer = await rotate(idOf(setup, "user"), setup.keys.user.text, { grace_seconds });
    expect([answer.status, answer.message]).toEqual([
      400,
      "grace_seconds: must be a whole number from 0 to 86400.",
    ]);
  });

  test("a workspace token and an instance key can replace themselves", async () => {
    const other = await everyKindOfKey(world, "themselves");
    for (const kind of ["workspace", "instance"] as const) {
      const answer = await rotate(idOf(other, kind), other.keys[kind].text, { grace_seconds: 0 });
      const successor = issued.parse(answer.json);
      expect([answer.status, successor.kind, successor.organizations]).toEqual([201, kind, null]);
      expect([await works(other.keys[kind].text), await works(successor.key)]).toEqual([false, true]);
    }
  });

  test("an admin can rotate the organization keys of the scope, and no other keys", async () => {
    const [organization, user, agentic] = [
      await fresh("organization"),
      await fresh("user"),
      await fresh("agentic"),
    ];
    const callers = [setup.keys.organization, setup.keys.workspace];
    for (const { text } of callers) {
      for (const { key } of [user, agentic, setup.keys.legacy, setup.keys.instance])
        expect((await rotate(key.id, text)).codes).toEqual(["KEY_NOT_FOUND"]);
    }
    expect((await rotate(idOf(setup, "workspace"), setup.keys.organization.text)).codes).toEqual([
      "KEY_NOT_FOUND",
    ]);
    expect((await rotate(organization.key.id, setup.keys.workspace.text)).status).toBe(201);
    expect((await rotate(organization.key.id, setup.keys.instance.text)).codes).toEqual(["KEY_NOT_FOUND"]);
  });

  test("a key without the Admin role can rotate only itself", async () => {
    const mine = await fresh("user");
    const answer = await rotate(idOf(setup, "organization"), mine.text);
    expect([answer.status, answer.codes]).toEqual([403, ["NOT_ADMIN"]]);
    expect((await rotate(mine.key.id, mine.text)).status).toBe(201);
  });

  test("a workspace token rotates the tokens of its own owner, and can only delete those of other admins", async () => {
    await world.workspace("admins", {
      admins: ["ann", "bob"].map((user_id) => ({ user_id, email: null })),
    });
    await world.organization("admins-org", { workspace_id: "admins" });
    const [ann, annToo, bob] = [
      await world.token("admins", "ann"),
      await world.token("admins", "ann"),
      await world.token("admins", "bob"),
    ];
    expect((await rotate(bob.key.id, ann.text)).codes).toEqual(["KEY_NOT_FOUND"]);
    expect((await rotate(annToo.key.id, ann.text)).status).toBe(201);
    expect((await end(bob.key.id, ann.text)).status).toBe(204);
    expect(await works(bob.text)).toBe(false);
  });

  test("instance keys can rotate keys whose organizations are a subset of theirs", async () => {
    await world.instance("fleet");
    const uuids: string[] = [];
    for (const name of ["f1", "f2", "f3"]) {
      uuids.push(await world.organization(name, { instance_id: "fleet" }));
      await world.member(gitlab("fleet", name), "boss", { role: "cr_admin" });
    }
    const [home = "", second = "", third = ""] = uuids;
    const make = (authorized?: string[]) =>
      world.key({ kind: "instance", instanceId: "fleet", home, owner: "boss", role: "cr_admin", authorized });
    const [all, wide, narrow, beside] = [
      await make(),
      await make([home, second]),
      await make([home]),
      await make([home, third]),
    ];
    const seen = (key: { text: string }) => idsSeenBy(key.text);
    expect(await seen(all)).toEqual([all, wide, narrow, beside].map(({ key }) => key.id).toSorted());
    expect(await seen(wide)).toEqual([wide, narrow].map(({ key }) => key.id).toSorted());
    expect((await rotate(all.key.id, wide.text)).codes).toEqual(["KEY_NOT_FOUND"]);
    expect((await rotate(beside.key.id, wide.text)).codes).toEqual(["KEY_NOT_FOUND"]);
    expect((await end(beside.key.id, wide.text)).codes).toEqual(["KEY_NOT_FOUND"]);
    const rotated = await rotate(narrow.key.id, wide.text);
    expect(rotated.json).toMatchObject({ organizations: ["f1"], role: "cr_admin" });
    const ofHome = await world.adminKey(home, "boss");
    expect((await rotate(all.key.id, ofHome)).codes).toEqual(["KEY_NOT_FOUND"]);
    expect(await idsSeenBy(ofHome)).toHaveLength(1);
  });

  test("of two rotations at the same moment one gets a successor", async () => {
    const old = await fresh("organization");
    const answers = await Promise.all(
      [1, 2].map(() =>
        api.call(`/v1/keys/${old.key.id}/rotate`, { key: setup.keys.organization.text, body: {} }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  });

  test("an invalid id is a 400, and an id of another tenant gets the same 404 as an unknown id", async () => {
    const other = await everyKindOfKey(world, "elsewhere");
    const key = setup.keys.organization.text;
    expect((await rotate("not-an-id", key)).codes).toEqual(["INVALID_REQUEST"]);
    const [foreign, unknown] = [
      await rotate(idOf(other, "organization"), key),
      await rotate("kaaaaaaaaaaaaaaaa", key),
    ];
    expect(foreign.body.toString()).toBe(unknown.body.toString());
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
  });
});

describe("DELETE /v1/keys/{key_id}", () => {
  test("ends user, agentic and organization keys of the scope, and may be repeated", async () => {
    const setup = await everyKindOfKey(world, "ending");
    const admin = setup.keys.organization.text;
    for (const kind of ["user", "agentic"] as const) {
      expect((await end(idOf(setup, kind), admin)).status).toBe(204);
      expect((await end(idOf(setup, kind), admin)).status).toBe(204);
      expect(await works(setup.keys[kind].text)).toBe(false);
    }
    for (const kind of ["legacy", "workspace", "instance"] as const)
      expect((await end(idOf(setup, kind), admin)).codes).toEqual(["KEY_NOT_FOUND"]);
    expect((await end(idOf(setup, "organization"), admin)).status).toBe(204);
    expect(await works(admin)).toBe(false);
  });
});

describe("the audit log of keys", () => {
  const entries = z.object({
    data: z.array(
      z.looseObject({ action: z.string(), resource_id: z.string().nullable(), metadata: z.looseObject({}) }),
    ),
  });
  test("names role, expiry and organizations of a new key, old and new key and grace of a rotation, and the actor", async () => {
    const setup = await everyKindOfKey(world, "logged");
    const key = setup.keys.organization.text;
    const old = await world.key({
      kind: "organization",
      organization: setup.organization,
      owner: "u-member",
      role: "cr_member",
      name: "ci",
      expiresInDays: 30,
    });
    const rotated = issued.parse((await rotate(old.key.id, key, { grace_seconds: 60 })).json);
    await end(rotated.id, key);
    const { json, body } = await call("/v1/audit-logs?actions=key.created,key.rotated,key.revoked", { key });
    const { data } = entries.parse(json);
    const of = (action: string, id: string) =>
      data.find((entry) => entry.action === action && entry.resource_id === id);
    const rights = {
      role: "cr_member",
      expires_at: new Date(old.key.expires_at_ms ?? 0).toISOString(),
      organizations: ["logged-org"],
    };
    const about = { kind: "organization", name: "ci", owner: "u-member" };
    expect(of("key.created", old.key.id)?.metadata).toEqual({ ...about, ...rights });
    expect(of("key.rotated", old.key.id)).toMatchObject({
      actor: { type: "key", id: "u-admin", key_id: idOf(setup, "organization") },
      ip_address: "203.0.113.7",
      metadata: {
        ...about,
        ...rights,
        successor_id: rotated.id,
        grace_ends_at: expect.stringMatching(/^20\d\d-/),
      },
    });
    expect(of("key.revoked", rotated.id)?.metadata).toEqual({
      ...about,
      before: { state: "active" },
      after: { state: "revoked" },
    });
    for (const secret of [old.text, old.key.hash, rotated.key]) expect(body.toString()).not.toContain(secret);
  });
});

describe("a role that a live key holds", () => {
  test("a role that a live key holds is in use until the last such key has ended or expired", async () => {
    const setup = await everyKindOfKey(world, "held");
    const admin = setup.keys.organization.text;
    const { id: role } = z
      .object({ id: z.string() })
      .parse((await call("/v1/roles", { key: admin, body: { name: "Robot" } })).json);
    const remove = () => call(`/v1/roles/${role}`, { key: admin, method: "DELETE" });
    const holder = await world.key({
      kind: "organization",
      organization: setup.organization,
      owner: "u-admin",
      role,
    });
    const refused = await remove();
    expect([refused.codes, refused.message]).toEqual([
      ["ROLE_IN_USE"],
      `The role is still held by 1 live key, ${holder.key.id} for one. End it first.`,
    ]);
    await end(holder.key.id, admin);
    expect((await remove()).status).toBe(204);
    await expect(
      world.key({ kind: "organization", organization: setup.organization, owner: "u-admin", role }),
    ).rejects.toThrow("has no role");
  });

  test("counts instance keys whose home is the organization, and no expired key", async () => {
    const { home, keys } = await everyKindOfKey(world, "held-by-instance");
    const admin = keys.instance.text;
    const role = z
      .object({ id: z.string() })
      .parse((await call("/v1/roles", { key: admin, body: { name: "Robot" } })).json).id;
    const remove = () => call(`/v1/roles/${role}`, { key: admin, method: "DELETE" });
    const { key: holder } = await world.key({
      kind: "instance",
      instanceId: "held-by-instance-instance",
      home,
      owner: "u-admin",
      role,
      expiresInDays: 1,
    });
    const refused = await remove();
    expect([refused.codes, refused.message]).toEqual([
      ["ROLE_IN_USE"],
      `The role is still held by 1 live key, ${holder.id} for one. End it first.`,
    ]);
    await world.deps.table.write({
      update: { pk: holder.pk, sk: holder.sk },
      change: { set: [["expires_at_ms", 1]] },
    });
    expect((await remove()).status).toBe(204);
  });

  test("a role that a live key holds is either given to a new key or deleted if both happen at once: no live key holds a deleted role", async () => {
    const setup = await everyKindOfKey(world, "race");
    const admin = setup.keys.organization.text;
    for (let round = 0; round < 5; round++) {
      const { id: role } = z
        .object({ id: z.string() })
        .parse((await call("/v1/roles", { key: admin, body: { name: `R${round}` } })).json);
      const [made, deleted] = await Promise.allSettled([
        world.key({ kind: "organization", organization: setup.organization, owner: "u-admin", role }),
        api.call(`/v1/roles/${role}`, { key: admin, method: "DELETE" }),
      ]);
      const isDeleted = deleted.status === "fulfilled" && deleted.value.status === 204;
      expect(isDeleted).toBe(made.status === "rejected");
    }
  });
});
