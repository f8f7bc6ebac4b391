import { describe, expect, test } from "vitest";
import { authenticate } from "../../lib/access/authenticate.ts";
import { createKey, type KeyRequest } from "../../lib/access/create-key.ts";
import { expiryOf, listKeysOfOrganization, revokeKey, storeKey } from "../../lib/access/key-registry.ts";
import { KeyRegistryError } from "../../lib/access/key-requirements.ts";
import { listOldKeys } from "../../lib/access/key-rows.ts";
import { rotateKey } from "../../lib/access/rotate-key.ts";
import { listWorkspaceTokens } from "../../lib/access/workspace-tokens.ts";
import { operator, operatorOrigin } from "../../lib/audit/entry.ts";
import { keyLimits } from "../../lib/contract/limits.ts";
import { createRole, deleteRole } from "../../lib/people/custom-roles.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { TimeUp } from "../../lib/runtime/time-up.ts";
import { boundedTable } from "../../lib/store/bounded.ts";
import { parseKey } from "../../lib/store/items/key.ts";
import { parseOrganization } from "../../lib/store/items/organization.ts";
import {
  apiKeyKey,
  keyDirectoryKey,
  organizationKey,
  organizationKeyRow,
  peopleKey,
  tenantKey,
  tenantKeyRow,
} from "../../lib/store/layout.ts";
import { StoreUnavailable, type Table, TransactionRefused } from "../../lib/store/table.ts";
import { everything } from "../events/support.ts";
import { TestClock } from "../support/clock.ts";
import { useStore } from "../support/engine.ts";
import { everyKindOfKey, github, World } from "../support/world.ts";
import { keyItem } from "./principals.ts";

const store = useStore();
const clock = new TestClock();
const world = new World(() => store().table, clock);
const now = () => new Date(clock.nowMs()).toISOString();
const stored = async (id: string) => parseKey((await store().table.get(apiKeyKey(id))) ?? { pk: "", sk: "" });
const refusal = (message: string) => expect.objectContaining({ name: "KeyRegistryError", message });
const nobody = "00000000-0000-4000-8000-000000000000";
const dayMs = 86_400_000;

/** The audit entries of a key, without random values and times. */
async function auditEntriesOf(id: string) {
  const entries = (await everything(store().table)).filter(
    (item) => item.pk.startsWith("AUDIT#o#") && item.resource_id === id,
  );
  return entries.map(
    ({ action, resource_type, summary, metadata, actor, organization, organization_id }) => ({
      action,
      resource_type,
      summary,
      metadata,
      actor,
      organization,
      organization_id,
    }),
  );
}

describe("a new key", () => {
  test("a new key is stored with all fields, is listed, and has an audit entry", async () => {
    const { organization } = await everyKindOfKey(world, "new");
    const { key } = await world.key({
      kind: "user",
      organization,
      owner: "u-member",
      name: "laptop",
      expiresInDays: 2,
    });
    const expected = {
      ...apiKeyKey(key.id),
      id: key.id,
      kind: "user",
      name: "laptop",
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      organization,
      tenant: "w#new-workspace",
      workspace_id: null,
      instance_id: null,
      authorized: null,
      owner: "u-member",
      role: null,
      created_at: now(),
      expires_at_ms: clock.nowMs() + 2 * dayMs,
      revoked_at: null,
      rotated_to: null,
      last_used_at_ms: null,
    };
    expect(key).toEqual(expected);
    expect(await stored(key.id)).toEqual(expected);
    expect(await store().table.get(keyDirectoryKey(key.id))).toMatchObject({ kind: "user" });
    expect((await listKeysOfOrganization(store())).map(({ id }) => id)).toContain(key.id);
    expect(await auditEntriesOf(key.id)).toMatchObject([
      {
        action: "key.created",
        resource_type: "api_key",
        summary: `key created: user key ${key.id}`,
        metadata: { kind: "user", name: "laptop", owner: "u-member" },
        organization,
        organization_id: "new-org",
      },
    ]);
  });

  test("a new key is bound to the organization, member, workspace or instance of its kind", async () => {
    const { keys, organization, home } = await everyKindOfKey(world, "bound");
    const other = await world.organization("bound-other", { instance_id: "bound-instance" });
    const narrow = await world.key({
      kind: "instance",
      instanceId: "bound-instance",
      home,
      owner: "u-admin",
      role: "cr_member",
      authorized: [home, other],
    });
    const tenant = "w#bound-workspace";
    expect(keys.organization.text).toMatch(/^rk_organization_/);
    expect(keys.organization.key).toMatchObject({
      kind: "organization",
      organization,
      tenant,
      owner: "u-admin",
      role: "cr_admin",
      name: null,
    });
    expect(keys.agentic.key).toMatchObject({
      kind: "agentic",
      organization,
      tenant,
      owner: "u-member",
      role: null,
    });
    expect(keys.legacy.key).toMatchObject({ kind: "legacy", organization, tenant, owner: null, role: null });
    expect(keys.instance.key).toMatchObject({
      organization: home,
      tenant: "i#bound-instance",
      instance_id: "bound-instance",
      authorized: null,
    });
    expect(narrow.key).toMatchObject({ authorized: [home, other], role: "cr_member" });
    expect(keys.workspace.key).toMatchObject({
      kind: "workspace",
      organization: null,
      tenant,
      workspace_id: "bound-workspace",
      owner: "u-admin",
      name: "nightly export",
      expires_at_ms: clock.nowMs() + 30 * dayMs,
    });
  });

  test("a new key is listed for as long as its record exists", async () => {
    const { keys } = await everyKindOfKey(world, "listed");
    const listed = async () => (await listKeysOfOrganization(store())).map(({ id }) => id);
    expect(await listed()).toContain(keys.user.key.id);
    await store().table.write({ delete: apiKeyKey(keys.user.key.id) });
    expect(await listed()).not.toContain(keys.user.key.id);
  });

  test("a new key is found among many by the backfill and by the list of a workspace's tokens, which read a bounded number of rows at once", async () => {
    const { keys } = await everyKindOfKey(world, "streamed");
    const sizes: number[] = [];
    const table: Table = {
      ...store().table,
      // The directory has many pages.
      queryPage: async (range, resume) => {
        const page = await store().table.queryPage({ ...range, pageItems: 2 }, resume);
        sizes.push(range.pageItems ?? Number.POSITIVE_INFINITY);
        return page;
      },
    };
    const { id, tenant } = keys.workspace.key;
    await store().table.write({ delete: tenantKeyRow(tenant, id) });
    await store().table.write({ update: keyDirectoryKey(id), change: { remove: ["listed"] } });
    const tokens = async () =>
      (await listWorkspaceTokens({ ...world.deps, table }, "streamed-workspace", "u-admin")).map(
        (key) => key.id,
      );
    expect(await tokens()).toEqual([id]);
    expect(await listOldKeys({ table })).toBe(1);
    expect(await tokens()).toEqual([id]);
    expect(Math.max(...sizes)).toBe(keyLimits.rowsReadTogether);
  });

  test("a new key is listed with its organization without reading keys of other organizations, even if it is older than the list", async () => {
    const own = await everyKindOfKey(world, "listed-own");
    await everyKindOfKey(world, "listed-other");
    const read: string[] = [];
    const table: Table = {
      ...store().table,
      getMany: (keys) => {
        read.push(...keys.map(({ pk }) => pk));
        return store().table.getMany(keys);
      },
    };
    const { id } = own.keys.user.key;
    await store().table.write({ delete: organizationKeyRow(own.organization, id) });
    await store().table.write({ update: keyDirectoryKey(id), change: { remove: ["listed"] } });
    const listed = await listKeysOfOrganization({ table }, own.organization);
    const wanted = Object.values(own.keys).filter(({ key }) => key.organization === own.organization);
    expect(listed.map((key) => key.id).toSorted()).toEqual(wanted.map(({ key }) => key.id).toSorted());
    expect(read).toHaveLength(wanted.length);
  });

  test("a new key may have a custom role of the organization", async () => {
    const { organization } = await everyKindOfKey(world, "custom");
    await store().table.write({
      update: peopleKey(organization),
      change: { set: [[["roles", "r1"], 1]] },
    });
    const request = { kind: "organization", organization, owner: "u-member" } as const;
    expect((await world.key({ ...request, role: "r1" })).key.role).toBe("r1");
    await expect(world.key({ ...request, role: "r2" })).rejects.toThrow(
      refusal("The organization has no role r2."),
    );
    await store().table.write({ delete: peopleKey(organization) });
    await expect(world.key({ ...request, role: "r1" })).rejects.toThrow(
      refusal("The organization has no role r1."),
    );
    await expect(world.key({ ...request, role: "constructor" })).rejects.toThrow(KeyRegistryError);
  });

  test("a new key is refused for a missing or inactive owner, role or organization, with a message for the operator", async () => {
    const { organization, home, cloud } = await everyKindOfKey(world, "refused");
    const asUser = (change: object) =>
      world.key({ kind: "user", organization, owner: "u-member", ...change } as Parameters<World["key"]>[0]);
    const asInstance = (change: object) =>
      world.key({
        kind: "instance",
        instanceId: "refused-instance",
        home,
        owner: "u-admin",
        role: "cr_admin",
        ...change,
      });
    await expect(asUser({ organization: nobody })).rejects.toThrow(
      refusal(`There is no active organization ${nobody}.`),
    );
    await expect(asUser({ owner: "stranger" })).rejects.toThrow(
      refusal("User stranger is not an active member of the organization."),
    );
    await world.member(cloud, "u-gone", { active: false });
    await expect(asUser({ owner: "u-gone" })).rejects.toThrow(
      refusal("User u-gone is not an active member of the organization."),
    );
    await expect(asInstance({ instanceId: "elsewhere" })).rejects.toThrow(
      refusal("Organization refused-home is not of instance elsewhere."),
    );
    await expect(asInstance({ authorized: [home, organization] })).rejects.toThrow(
      refusal("Organization refused-org is not of instance refused-instance."),
    );
    const tooMany = new Array(keyLimits.authorizedOrganizationsMax + 1).fill(home);
    await expect(asInstance({ authorized: tooMany })).rejects.toThrow(
      refusal("A key names at most 1000 organizations; without a list it sees the whole instance."),
    );
    await world.instance("refused-instance", { active: false });
    await expect(asInstance({})).rejects.toThrow(refusal("There is no active instance refused-instance."));
    await store().table.write({ delete: tenantKey("i#refused-instance") });
    await expect(asInstance({})).rejects.toThrow(refusal("There is no active instance refused-instance."));
    const before = (await listKeysOfOrganization(store())).length;
    await world.organization("refused-org", { workspace_id: "refused-workspace", active: false });
    await expect(asUser({})).rejects.toThrow(refusal(`There is no active organization ${organization}.`));
    expect((await listKeysOfOrganization(store())).length).toBe(before);
  });

  test.each([0, -1, 1.5, Number.NaN, keyLimits.expiryDaysMax + 1])(
    "cannot be created with an expiry in %d days",
    (days) => {
      expect(() => expiryOf({ ...world.deps, clock }, days)).toThrow(
        refusal(`A key expires a whole number of days ahead, 1 to ${keyLimits.expiryDaysMax}.`),
      );
    },
  );

  test("a new key expires within the limits, or never", () => {
    const deps = { ...world.deps, clock };
    expect(expiryOf(deps, undefined)).toBeNull();
    expect(expiryOf(deps, 1)).toBe(clock.nowMs() + dayMs);
    expect(expiryOf(deps, keyLimits.expiryDaysMax)).toBe(clock.nowMs() + keyLimits.expiryDaysMax * dayMs);
  });

  test("a new key is refused if its text already exists, and an error of the store is passed on", async () => {
    const organization = await world.organization("twice");
    await world.member(github("twice"), "u1");
    const request: KeyRequest = { kind: "user", organization, owner: "u1", actor: operator };
    // The random source returns the same bytes for both keys; the audit entries still get their own ids.
    const loaded = { ...systemRandom, bytes: (count: number) => new Uint8Array(count) };
    await createKey({ ...world.deps, random: loaded }, request);
    await expect(createKey({ ...world.deps, random: loaded }, request)).rejects.toThrow(
      refusal("The key changed meanwhile; try again."),
    );
    const error = new TypeError("planted");
    const table: Table = { ...store().table, transact: () => Promise.reject(error) };
    const issued = { text: "", key: keyItem("user") };
    await expect(
      storeKey({ ...world.deps, table }, issued, {
        ...{ by: { actor: operator }, organization: null, action: "key.created" },
      }),
    ).rejects.toBe(error);
  });
});

describe("rotation", () => {
  test("makes a successor with the same rights, points to it, and ends the old key after the grace", async () => {
    const { home } = await everyKindOfKey(world, "rotation");
    const old = await world.key({
      kind: "instance",
      instanceId: "rotation-instance",
      home,
      owner: "u-admin",
      role: "cr_admin",
      authorized: [home],
      name: "export",
      expiresInDays: 10,
    });
    clock.advance(1_000);
    const { key, text } = await world.rotate(old, 60);
    expect(text).toMatch(/^rk_instance_/);
    const { pk: _pk, sk: _sk, id: _id, hash: _hash, created_at: _created, ...same } = old.key;
    expect(key).toMatchObject(same);
    expect(key.created_at).toBe(now());
    expect(await stored(old.key.id)).toMatchObject({
      rotated_to: key.id,
      expires_at_ms: clock.nowMs() + 60_000,
    });
    expect(await auditEntriesOf(old.key.id)).toMatchObject([
      { action: "key.created" },
      {
        action: "key.rotated",
        summary: `key rotated: instance key ${old.key.id}`,
        metadata: { successor_id: key.id, organizations: ["rotation-home"] },
      },
    ]);
  });

  test("follows an organization that has moved", async () => {
    const organization = await world.organization("mover");
    await world.member(github("mover"), "u1");
    const old = await world.key({ kind: "user", organization, owner: "u1" });
    await world.workspace("mover-home");
    await world.organization("mover", { workspace_id: "mover-home" });
    expect((await world.rotate(old, 0)).key.tenant).toBe("w#mover-home");
  });

  test("rotation is refused for a revoked, rotated, expired or unknown key, and for a key of a deleted organization", async () => {
    const { keys, organization } = await everyKindOfKey(world, "stale");
    const { id } = keys.user.key;
    await expect(
      rotateKey({ ...world.deps, clock }, { id: "k-none", graceSeconds: 0, actor: operator }),
    ).rejects.toThrow(refusal("There is no key k-none."));
    const successor = await world.rotate(keys.user, 60);
    await expect(world.rotate(keys.user, 60)).rejects.toThrow(
      refusal(`Key ${id} was rotated already; rotate ${successor.key.id}.`),
    );
    await world.revoke(keys.organization);
    await expect(world.rotate(keys.organization, 0)).rejects.toThrow(
      refusal(`Key ${keys.organization.key.id} is revoked; create a new one.`),
    );
    const brief = await world.key({ kind: "user", organization, owner: "u-member", expiresInDays: 1 });
    clock.advance(dayMs);
    await expect(world.rotate(brief, 0)).rejects.toThrow(
      refusal(`Key ${brief.key.id} has expired; create a new one.`),
    );
    await store().table.write({ delete: organizationKey(organization) });
    await expect(world.rotate(keys.agentic, 0)).rejects.toThrow(
      refusal(`There is no active organization ${organization}.`),
    );
  });

  test("rotation has a grace in whole seconds, from zero up to the longest life of a key", async () => {
    const { keys } = await everyKindOfKey(world, "grace");
    for (const graceSeconds of [-1, 0.5, Number.NaN, keyLimits.expiryDaysMax * 86_400 + 1])
      await expect(world.rotate(keys.user, graceSeconds)).rejects.toThrow(
        refusal(`The grace is a whole number of seconds, 0 to ${keyLimits.expiryDaysMax * 86_400}.`),
      );
  });

  test("accepts the longest grace, but the old key never outlives its own expiry", async () => {
    const { keys, organization } = await everyKindOfKey(world, "longest");
    const longest = keyLimits.expiryDaysMax * 86_400;
    await world.rotate(keys.user, longest);
    expect(await stored(keys.user.key.id)).toMatchObject({ expires_at_ms: clock.nowMs() + longest * 1000 });
    const brief = await world.key({ kind: "user", organization, owner: "u-member", expiresInDays: 1 });
    await world.rotate(brief, 2 * 86_400);
    expect(await stored(brief.key.id)).toMatchObject({ expires_at_ms: clock.nowMs() + dayMs });
  });

  test("rotation of a legacy key needs an active member as its owner", async () => {
    const { keys } = await everyKindOfKey(world, "heir");
    await expect(world.rotate(keys.legacy, 0)).rejects.toThrow(
      refusal("A legacy key has no owner: name the member who owns the new organization key."),
    );
    await expect(world.rotate(keys.legacy, 0, "stranger")).rejects.toThrow(
      refusal("User stranger is not an active member of the organization."),
    );
    // Other kinds keep their owner, even if another one is named.
    expect((await world.rotate(keys.user, 0, "stranger")).key.owner).toBe("u-member");
  });

  test("rotation of a legacy key makes an organization key with the member role", async () => {
    const { keys, organization } = await everyKindOfKey(world, "successor");
    const { text, key } = await world.rotate(keys.legacy, 0, "u-admin");
    expect(text).toMatch(/^rk_organization_/);
    expect(key).toMatchObject({ kind: "organization", organization, owner: "u-admin", role: "cr_member" });
  });

  test("rotation of a record that lacks a field of its kind fails with the name of the field, and issues nothing", async () => {
    const { keys } = await everyKindOfKey(world, "lacking");
    const before = (await listKeysOfOrganization(store())).length;
    for (const [field, what] of [
      ["instance_id", "instance of the key"],
      ["owner", "owner of the key"],
      ["organization", "organization of the key"],
    ] as const) {
      await store().table.write({
        update: apiKeyKey(keys.instance.key.id),
        change: { set: [[field, null]] },
      });
      await expect(world.rotate(keys.instance, 0)).rejects.toThrow(
        new TypeError(`Missing ${what}; this is a bug.`),
      );
    }
    expect(await listKeysOfOrganization(store())).toHaveLength(before);
  });
});

describe("revoking", () => {
  test("revoking is audited once, even if two revoke at the same moment or a key is revoked again", async () => {
    const { keys } = await everyKindOfKey(world, "revoked");
    const { id } = keys.user.key;
    await Promise.all([world.revoke(keys.user), world.revoke(keys.user)]);
    const first = await stored(id);
    expect(first.revoked_at).toBe(now());
    clock.advance(1_000);
    await world.revoke(keys.user);
    expect(await stored(id)).toEqual(first);
    expect((await auditEntriesOf(id)).filter(({ action }) => action === "key.revoked")).toMatchObject([
      { summary: `key revoked: user key ${id}` },
    ]);
  });

  test("revoking works for a key of a deleted organization, and passes on an error of the store", async () => {
    const { keys, organization } = await everyKindOfKey(world, "orphan");
    const error = new TypeError("planted");
    const table: Table = { ...store().table, transact: () => Promise.reject(error) };
    await expect(revokeKey({ ...world.deps, table }, keys.user.key.id, operator)).rejects.toBe(error);
    await store().table.write({ delete: organizationKey(organization) });
    await world.revoke(keys.user);
    expect((await stored(keys.user.key.id)).revoked_at).toBe(now());
  });

  test("refuses a workspace token, which only workspace admins may delete, and an unknown key", async () => {
    const { keys } = await everyKindOfKey(world, "not-yours");
    const { id } = keys.workspace.key;
    const sentence = `${id} is a workspace token: let a workspace admin create or delete it with tokens.`;
    await expect(world.revoke(keys.workspace)).rejects.toThrow(refusal(sentence));
    await expect(world.rotate(keys.workspace, 0)).rejects.toThrow(refusal(sentence));
    await expect(revokeKey(world.deps, "k-none", operator)).rejects.toThrow(
      refusal("There is no key k-none."),
    );
  });
});

describe("a change during the creation of a key", () => {
  /** A table that runs `meanwhile` immediately before the key's own transaction. */
  const overtaken = (meanwhile: () => Promise<unknown>): Table => {
    let isOver = false;
    return {
      ...store().table,
      transact: async (writes, ...rest) => {
        if (!isOver) {
          isOver = true;
          await meanwhile();
        }
        await store().table.transact(writes, ...rest);
      },
    };
  };

  async function office(name: string) {
    const uuid = await world.organization(name);
    await world.member(github(name), "u1");
    const organization = parseOrganization(
      (await store().table.get(organizationKey(uuid))) ?? { pk: "", sk: "" },
    );
    const context = { ...world.deps, ...operatorOrigin };
    const fields = { description: null, is_default: false, permissions: [], duplicateFrom: undefined };
    const makeRole = async (name: string) =>
      (await createRole(context, organization, { ...fields, name })).role;
    const role = await makeRole("Auditor");
    const request: KeyRequest = {
      kind: "organization",
      organization: uuid,
      owner: "u1",
      role: role.id,
      actor: operator,
    };
    const keysOf = async () => await listKeysOfOrganization({ table: store().table }, uuid);
    return { uuid, context, organization, role, makeRole, request, keysOf };
  }

  test("no key is created if its owner leaves meanwhile", async () => {
    const { request, keysOf } = await office("leaves");
    const table = overtaken(() => world.member(github("leaves"), "u1", { active: false }));
    await expect(createKey({ ...world.deps, table }, request)).rejects.toThrow(
      refusal("User u1 is not an active member of the organization."),
    );
    expect(await keysOf()).toEqual([]);
  });

  test("no key is created if its role is deleted meanwhile", async () => {
    const { context, organization, role, request, keysOf } = await office("deleted");
    const table = overtaken(() => deleteRole(context, organization, role.id));
    await expect(createKey({ ...world.deps, table }, request)).rejects.toThrow(
      refusal(`The organization has no role ${role.id}.`),
    );
    expect(await keysOf()).toEqual([]);
  });

  test("a key whose role is deleted gets no successor", async () => {
    const { uuid, role, request } = await office("gone-role");
    const { key } = await createKey(world.deps, request);
    await store().table.write({ update: peopleKey(uuid), change: { remove: [["roles", role.id]] } });
    await expect(rotateKey(world.deps, { id: key.id, graceSeconds: 0, actor: operator })).rejects.toThrow(
      refusal(`Key ${key.id} cannot be rotated: its role ${role.id} is gone. Create a new key.`),
    );
  });

  test("the guard counts the keys that hold a role, including a key that is older than the count", async () => {
    const { uuid, role, request } = await office("counted");
    await store().table.write({ update: peopleKey(uuid), change: { remove: ["keys_given"] } });
    const issued = [await createKey(world.deps, request), await createKey(world.deps, request)];
    for (const { key } of issued)
      await rotateKey(world.deps, { id: key.id, graceSeconds: 0, actor: operator });
    expect(await store().table.get(peopleKey(uuid))).toMatchObject({ keys_given: { [role.id]: 4 } });
  });

  test("a key that is older than the count keeps its role, even if another role has been counted since", async () => {
    const { uuid, context, organization, role, makeRole, request } = await office("uncounted");
    await createKey(world.deps, request);
    await store().table.write({ update: peopleKey(uuid), change: { remove: ["keys_given"] } });
    await createKey(world.deps, { ...request, role: (await makeRole("Other")).id });
    await expect(deleteRole(context, organization, role.id)).rejects.toMatchObject({ code: "ROLE_IN_USE" });
  });

  test("a key of the first release that is not listed yet keeps its role", async () => {
    const { uuid, context, organization, role, request } = await office("unlisted");
    const { key } = await createKey(world.deps, request);
    const { table } = store();
    await table.write({ update: peopleKey(uuid), change: { remove: ["keys_given"] } });
    await table.write({ delete: organizationKeyRow(uuid, key.id) });
    await table.write({ update: keyDirectoryKey(key.id), change: { remove: ["listed"] } });
    await expect(deleteRole(context, organization, role.id)).rejects.toMatchObject({ code: "ROLE_IN_USE" });
    await revokeKey(world.deps, key.id, operator);
    await deleteRole(context, organization, role.id);
    // The keys are counted now: the next deletion reads only the organization's own keys.
    expect((await table.get(peopleKey(uuid)))?.keys_given).toEqual({});
  });

  test("a key that gets the role during its deletion keeps the role", async () => {
    const { context, organization, role, request } = await office("given");
    const table = overtaken(() => createKey(world.deps, request));
    await expect(deleteRole({ ...context, table }, organization, role.id)).rejects.toMatchObject({
      code: "ROLE_IN_USE",
    });
  });
});

describe("a rotation without grace whose answer is lost", () => {
  async function rotated(transact: Table["transact"]) {
    const { keys } = await everyKindOfKey(world, systemRandom.uuid());
    const table: Table = { ...store().table, transact };
    const rotating = rotateKey(
      { ...world.deps, table },
      { id: keys.user.key.id, graceSeconds: 0, actor: operator },
    );
    return { old: keys.user, rotating };
  }
  const lost = new StoreUnavailable("lost", false);

  test("returns the new key if the rotation happened", async () => {
    const { rotating } = await rotated(async (...given) => {
      await store().table.transact(...given);
      throw lost;
    });
    const { text } = await rotating;
    await expect(authenticate(world.deps, { text })).resolves.toBeDefined();
  });

  test("keeps the old key if the rotation did not happen, even if the transaction arrives late", async () => {
    let late: () => Promise<void> = () => Promise.resolve();
    const { old, rotating } = await rotated(async (...given) => {
      late = () => store().table.transact(...given);
      throw lost;
    });
    await expect(rotating).rejects.toBe(lost);
    await expect(late()).rejects.toBeInstanceOf(TransactionRefused);
    await expect(authenticate(world.deps, { text: old.text })).resolves.toBeDefined();
  });

  test("keeps the old key working if the outcome cannot be read, and the key can be rotated again", async () => {
    const { keys } = await everyKindOfKey(world, systemRandom.uuid());
    const { id } = keys.user.key;
    const request = { id, graceSeconds: 0, actor: operator };
    const silent: Table = {
      ...store().table,
      transact: async (...given) => {
        await store().table.transact(...given);
        throw lost;
      },
      write: () => Promise.reject(lost),
    };
    await expect(rotateKey({ ...world.deps, table: silent }, request)).rejects.toBe(lost);
    await expect(authenticate(world.deps, { text: keys.user.text })).resolves.toBeDefined();
    const { rotated_to: unreceived } = await stored(id);
    await expect(rotateKey(world.deps, request)).rejects.toThrow("rotated");
    clock.advance(keyLimits.unreceivedAfterMs);
    const { text, key } = await rotateKey(world.deps, request);
    await expect(authenticate(world.deps, { text })).resolves.toBeDefined();
    await expect(authenticate(world.deps, { text: keys.user.text })).rejects.toThrow();
    expect(await stored(id)).toMatchObject({ rotated_to: key.id });
    expect((await stored(unreceived ?? "")).revoked_at).not.toBeNull();
    // The expiry of the original key.
    expect(key.expires_at_ms).toBe(keys.user.key.expires_at_ms);
    await expect(rotateKey(world.deps, request)).rejects.toThrow("rotated");
  });

  test("returns the new key if only the end of the grace got no answer, and the old key still ends soon", async () => {
    const { keys } = await everyKindOfKey(world, systemRandom.uuid());
    const table: Table = { ...store().table, write: () => Promise.reject(lost) };
    const request = { id: keys.user.key.id, graceSeconds: 0, actor: operator };
    const { text } = await rotateKey({ ...world.deps, table }, request);
    await expect(authenticate(world.deps, { text })).resolves.toBeDefined();
    const { expires_at_ms } = await stored(keys.user.key.id);
    expect((expires_at_ms ?? 0) - clock.nowMs()).toBe(keyLimits.unreceivedGraceMs);
  });

  describe("near the deadline of its request", () => {
    /** The table of a request, and the signal that fires before its deadline. */
    async function requested(transact: (soon: AbortController) => Table["transact"]) {
      const { keys } = await everyKindOfKey(world, systemRandom.uuid());
      const soon = new AbortController();
      const until = { signal: new AbortController().signal, isOver: () => false };
      const table = boundedTable({ ...store().table, transact: transact(soon) }, until);
      const deps = { ...world.deps, table, signal: soon.signal };
      const request = { id: keys.user.key.id, graceSeconds: 0, actor: operator };
      return { old: keys.user, rotate: () => rotateKey(deps, request), soon };
    }
    const silence = () => new Promise<never>(() => {});

    test("returns the new key if the rotation happened before the deadline", async () => {
      const { rotate } = await requested((soon) => async (...given) => {
        await store().table.transact(...given);
        soon.abort(new TimeUp());
        await silence();
      });
      const { text } = await rotate();
      await expect(authenticate(world.deps, { text })).resolves.toBeDefined();
    });

    test("keeps the old key if the rotation did not happen before the deadline, even if the transaction arrives late", async () => {
      let late: () => Promise<void> = () => Promise.resolve();
      const { old, rotate } = await requested((soon) => async (...given) => {
        late = () => store().table.transact(...given);
        soon.abort(new TimeUp());
        await silence();
      });
      await expect(rotate()).rejects.toBeInstanceOf(TimeUp);
      await expect(late()).rejects.toBeInstanceOf(TransactionRefused);
      await expect(authenticate(world.deps, { text: old.text })).resolves.toBeDefined();
    });

    test("does not begin when too little time is left", async () => {
      let begun = 0;
      const { old, rotate, soon } = await requested(() => async (...given) => {
        begun++;
        await store().table.transact(...given);
      });
      soon.abort(new TimeUp());
      await expect(rotate()).rejects.toBeInstanceOf(TimeUp);
      expect(begun).toBe(0);
      await expect(authenticate(world.deps, { text: old.text })).resolves.toBeDefined();
    });
  });
});
