import { describe, expect, test } from "vitest";
import { AcceptedKeys } from "../../lib/access/accepted-keys.ts";
import {
  AuthenticationError,
  type AuthenticationRequest,
  authenticate,
  withCurrentOrganizations,
} from "../../lib/access/authenticate.ts";
import type { IssuedKey } from "../../lib/access/key-registry.ts";
import { madeUpKeyText, parseKeyText, textOf } from "../../lib/access/key-text.ts";
import * as itemKinds from "../../lib/contract/items.ts";
import { keyLimits } from "../../lib/contract/limits.ts";
import { workspaceTenant } from "../../lib/contract/tenants.ts";
import { type Clock, systemClock } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { required } from "../../lib/runtime/required.ts";
import { StoreMeter } from "../../lib/store/meter.ts";
import type { Key } from "../../lib/store/table.ts";
import { TestClock } from "../support/clock.ts";
import { useStore } from "../support/engine.ts";
import { everyKindOfKey, github, gitlab, keysOf, World } from "../support/world.ts";

const store = useStore();
const world = new World(() => store().table);
const authenticated = (text: string | undefined, prefetch?: AuthenticationRequest["prefetch"]) =>
  authenticate({ table: store().table, clock: systemClock }, { text, ...(prefetch && { prefetch }) });
const principalOf = async ({ text }: IssuedKey) => (await authenticated(text)).principal;
const change = (key: Key, name: string, value: string | number | null) =>
  store().table.write({ update: key, change: { set: [[name, value]] } });

/** The organizations that the key reaches, or the reason why it is refused. */
const principalOrReason = async (issued: IssuedKey) => {
  try {
    const { organizations } = await principalOf(issued);
    return { organizations: organizations.map(({ uuid }) => uuid) };
  } catch (error) {
    if (error instanceof AuthenticationError) return { reason: error.reason };
    throw error;
  }
};

/** Every refusal looks the same to the caller; internally it has the reason and the key's id. */
const refusal = (reason: string, id?: string) => ({
  code: "UNAUTHORIZED",
  message: "The API key is missing or not valid. Send a valid key in the x-service-api-key header.",
  reason,
  key: id === undefined ? undefined : expect.objectContaining({ id }),
});

describe("the principal of a request", () => {
  test("an organization key stands for its organization, with the role on the key", async () => {
    const { keys, organization } = await keysOf(world, "who-1", "organization");
    expect(await principalOf(keys.organization)).toMatchObject({
      key: { id: keys.organization.key.id },
      tenant: "w#who-1-workspace",
      quotaOwner: organization,
      organizations: [{ uuid: organization }],
      home: { uuid: organization },
      forbiddenOrganizations: [],
      role: { id: "cr_admin", isAdmin: true },
      userId: "u-admin",
      userName: null,
      ownerStillAdmin: true,
    });
  });

  test.each(["user", "agentic"] as const)(
    "a key of kind %s stands for its member, with the member's role and name",
    async (kind) => {
      const { keys, organization } = await keysOf(world, `who-2-${kind}`, kind);
      expect(await principalOf(keys[kind])).toMatchObject({
        quotaOwner: organization,
        role: { id: "cr_member", isAdmin: false },
        userId: "u-member",
        userName: "u-member",
        ownerStillAdmin: true,
      });
    },
  );

  test("a legacy key stands for its organization, without any role", async () => {
    const { keys, organization } = await keysOf(world, "who-3", "legacy");
    expect(await principalOf(keys.legacy)).toMatchObject({
      home: { uuid: organization },
      role: null,
      userId: null,
      userName: null,
    });
  });

  test("a workspace token stands for its workspace's active organizations, as admin while its owner is one", async () => {
    const { keys, organization } = await keysOf(world, "who-4", "workspace");
    await world.organization("who-4-gone", { workspace_id: "who-4-workspace", active: false });
    expect(await principalOf(keys.workspace)).toMatchObject({
      tenant: "w#who-4-workspace",
      quotaOwner: "w#who-4-workspace",
      organizations: [{ uuid: organization }],
      home: null,
      forbiddenOrganizations: [],
      role: { id: "cr_admin", isAdmin: true },
      userId: "u-admin",
      userName: null,
      ownerStillAdmin: true,
    });
    await world.workspace("who-4-workspace", { admins: [{ user_id: "u-other", email: null }] });
    expect(await principalOf(keys.workspace)).toMatchObject({ ownerStillAdmin: false });
  });

  test("an instance key knows which organizations it is authorized for, with the role on the key", async () => {
    const { keys, home } = await everyKindOfKey(world, "who-5");
    const other = await world.organization("who-5-other", { instance_id: "who-5-instance" });
    const narrow = await world.key({
      kind: "instance",
      instanceId: "who-5-instance",
      home,
      owner: "u-admin",
      role: "cr_member",
      authorized: [home],
    });
    const wide = await principalOf(keys.instance);
    expect(wide.organizations.map(({ uuid }) => uuid).toSorted()).toEqual([home, other].toSorted());
    expect(wide).toMatchObject({
      tenant: "i#who-5-instance",
      quotaOwner: "i#who-5-instance",
      home: { uuid: home },
      forbiddenOrganizations: [],
      role: { id: "cr_admin" },
      userId: "u-admin",
      userName: null,
      ownerStillAdmin: true,
    });
    expect(await principalOf(narrow)).toMatchObject({
      organizations: [{ uuid: home }],
      forbiddenOrganizations: [{ uuid: other }],
      role: { id: "cr_member" },
    });
  });

  test("an instance key whose organizations are read again has the authorized ones of now; its epochs stay", async () => {
    await world.instance("again");
    const home = await world.organization("again-home", { instance_id: "again" });
    await world.member(gitlab("again", "again-home"), "u1", { role: "cr_admin" });
    const key = await world.key({
      kind: "instance",
      instanceId: "again",
      home,
      owner: "u1",
      role: "cr_admin",
    });
    const before = await principalOf(key);
    const later = await world.organization("again-later", { instance_id: "again" });
    const after = await withCurrentOrganizations(store().table, before);
    expect(after).toEqual({ ...before, organizations: after.organizations });
    expect(after.organizations.map(({ uuid }) => uuid).toSorted()).toEqual([home, later].toSorted());
    expect((await principalOf(key)).scopeEpochs).not.toEqual(before.scopeEpochs);
    const narrow = { ...before, key: { ...before.key, authorized: [home] } };
    expect(await withCurrentOrganizations(store().table, narrow)).toMatchObject({
      organizations: [{ uuid: home }],
      forbiddenOrganizations: [{ uuid: later }],
    });
  });
});

test("one admin role among several roles is enough, and a custom role grants what its definition says", async () => {
  const { keys, organization, home } = await everyKindOfKey(world, "made");
  const admins = ["u-other", "u-admin"].map((user_id) => ({ user_id, email: null }));
  await world.workspace("made-workspace", { admins });
  expect(await principalOf(keys.workspace)).toMatchObject({ ownerStillAdmin: true });
  for (const [uuid, kind] of [
    [organization, "organization"],
    [home, "instance"],
  ] as const) {
    await store().table.write({
      update: itemKinds.people.key({ organization: uuid }),
      change: { set: [[["roles", "r1"], 1]] },
    });
    await change(itemKinds.apiKey.key({ keyId: keys[kind].key.id }), "role", "r1");
    expect(await principalOf(keys[kind])).toMatchObject({
      role: { id: "r1", isAdmin: false, permissions: new Set(["learning:read"]) },
    });
    await store().table.write({ delete: itemKinds.people.key({ organization: uuid }) });
    expect(await principalOf(keys[kind])).toMatchObject({ role: { permissions: new Set() } });
  }
});

describe("authentication", () => {
  test("authentication refuses a key from the millisecond it expires, and a key of a deleted instance", async () => {
    const { keys } = await everyKindOfKey(world, "no-0");
    const clock = new TestClock();
    const { id } = keys.user.key;
    await change(itemKinds.apiKey.key({ keyId: id }), "expires_at_ms", clock.nowMs() + 1);
    const deps = { table: store().table, clock };
    expect((await authenticate(deps, { text: keys.user.text })).principal.key.id).toBe(id);
    clock.advance(1);
    await expect(authenticate(deps, { text: keys.user.text })).rejects.toMatchObject(refusal("expired", id));
    await store().table.write({ delete: itemKinds.tenant.key({ tenant: "i#no-0-instance" }) });
    await expect(authenticated(keys.instance.text)).rejects.toMatchObject(
      refusal("instance inactive", keys.instance.key.id),
    );
  });

  test("authentication refuses a missing or malformed key, without a read", async () => {
    const meter = new StoreMeter();
    const deps = { table: store().table.metered(meter), clock: systemClock };
    for (const text of [undefined, "", "rk_user_x"])
      await expect(authenticate(deps, { text })).rejects.toMatchObject(refusal("malformed"));
    expect(meter.calls).toEqual([]);
  });

  test("authentication refuses a key without a record, and a key whose text does not match the stored hash", async () => {
    const { keys } = await keysOf(world, "no-1", "user", "legacy");
    for (const kind of ["user", "legacy"] as const) {
      const { text, key } = keys[kind];
      await change(itemKinds.apiKey.key({ keyId: key.id }), "hash", "0".repeat(64));
      await expect(authenticated(text)).rejects.toMatchObject(refusal("unknown"));
      await store().table.write({ delete: itemKinds.apiKey.key({ keyId: key.id }) });
      await expect(authenticated(text)).rejects.toMatchObject(refusal("unknown"));
    }
  });

  test("authentication refuses a key whose text names another kind than its record", async () => {
    const { keys } = await keysOf(world, "no-2", "user");
    await change(itemKinds.apiKey.key({ keyId: keys.user.key.id }), "kind", "agentic");
    await expect(authenticated(keys.user.text)).rejects.toMatchObject(refusal("unknown"));
  });

  test("authentication refuses a legacy key that is bound to no organization", async () => {
    const { keys } = await keysOf(world, "no-3", "legacy");
    await change(itemKinds.apiKey.key({ keyId: keys.legacy.key.id }), "organization", null);
    await expect(authenticated(keys.legacy.text)).rejects.toMatchObject(refusal("unknown"));
  });

  test("authentication refuses a revoked, an expired and a rotated key, each with its reason", async () => {
    const { keys } = await keysOf(world, "no-4", "organization", "user", "agentic");
    const { id } = keys.user.key;
    await world.revoke(keys.organization);
    await expect(authenticated(keys.organization.text)).rejects.toMatchObject(
      refusal("revoked", keys.organization.key.id),
    );
    await change(itemKinds.apiKey.key({ keyId: id }), "expires_at_ms", Date.now());
    await expect(authenticated(keys.user.text)).rejects.toMatchObject(refusal("expired", id));
    await world.rotate(keys.agentic, 0);
    await expect(authenticated(keys.agentic.text)).rejects.toMatchObject(
      refusal("rotated", keys.agentic.key.id),
    );
  });

  test("authentication refuses a key whose organization, member, workspace or instance is inactive or gone", async () => {
    const { keys, cloud, hosted, organization, home } = await everyKindOfKey(world, "no-5");
    const id = (kind: keyof typeof keys) => keys[kind].key.id;
    await world.member(cloud, "u-member", { active: false });
    for (const kind of ["user", "agentic"] as const)
      await expect(authenticated(keys[kind].text)).rejects.toMatchObject(
        refusal("member inactive", id(kind)),
      );
    await store().table.write({ delete: itemKinds.member.key({ organization, userId: "u-member" }) });
    await expect(authenticated(keys.user.text)).rejects.toMatchObject(refusal("member inactive", id("user")));
    await world.workspace("no-5-workspace", { active: false });
    await expect(authenticated(keys.workspace.text)).rejects.toMatchObject(
      refusal("workspace inactive", id("workspace")),
    );
    await store().table.write({
      delete: itemKinds.tenant.key({ tenant: workspaceTenant("no-5-workspace") }),
    });
    await expect(authenticated(keys.workspace.text)).rejects.toMatchObject(
      refusal("workspace inactive", id("workspace")),
    );
    await world.organization(cloud.provider_organization_id, { workspace_id: null, active: false });
    await world.organization(hosted.provider_organization_id, {
      instance_id: hosted.instance_id,
      active: false,
    });
    for (const kind of ["organization", "legacy", "instance"] as const)
      await expect(authenticated(keys[kind].text)).rejects.toMatchObject(
        refusal("organization inactive", id(kind)),
      );
    await store().table.write({ delete: itemKinds.organization.key({ organization: home }) });
    await expect(authenticated(keys.instance.text)).rejects.toMatchObject(
      refusal("organization inactive", id("instance")),
    );
    await world.instance("no-5-instance", { active: false });
    await expect(authenticated(keys.instance.text)).rejects.toMatchObject(
      refusal("instance inactive", id("instance")),
    );
  });

  test("an inactive workspace or instance refuses every kind of key in it, until it is active again", async () => {
    const { keys, organization, hosted, home } = await everyKindOfKey(world, "no-8");
    await world.member(hosted, "u-member");
    const [ofHome, userOfHome, legacyOfHome, agenticOfHome] = await Promise.all([
      world.key({ kind: "organization", organization: home, owner: "u-admin", role: "cr_admin" }),
      world.key({ kind: "user", organization: home, owner: "u-member" }),
      world.key({ kind: "legacy", organization: home }),
      world.key({ kind: "agentic", organization: home, owner: "u-member" }),
    ]);
    const { instance, ...ofWorkspace } = keys;
    const ofInstance = [instance, ofHome, userOfHome, legacyOfHome, agenticOfHome];
    const isAccepted = ({ text }: IssuedKey) => authenticated(text).then(() => true);
    for (const [save, issued, reason] of [
      [world.workspace.bind(world, "no-8-workspace"), Object.values(ofWorkspace), "workspace inactive"],
      [world.instance.bind(world, "no-8-instance"), ofInstance, "instance inactive"],
    ] as const) {
      expect(issued).toHaveLength(5);
      await save({ active: false });
      for (const each of issued)
        await expect(authenticated(each.text)).rejects.toMatchObject(refusal(reason, each.key.id));
      await save({ active: true });
      for (const each of issued) expect(await isAccepted(each)).toBe(true);
    }
    // The keys name the workspace that they were made in. The organization's present workspace decides.
    await world.workspace("no-8-next", { active: false });
    await world.organization("no-8-org", { workspace_id: "no-8-next" });
    expect((await principalOrReason(keys.user)).reason).toBe("workspace inactive");
    await world.organization("no-8-org", { workspace_id: "no-8-workspace" });
    await world.workspace("no-8-workspace", { active: false });
    await world.workspace("no-8-next");
    await world.organization("no-8-org", { workspace_id: "no-8-next" });
    expect((await principalOrReason(keys.user)).organizations).toEqual([organization]);
  });

  test("authentication refuses an organization or instance key whose owner left, and accepts a legacy key", async () => {
    const { keys, cloud, hosted } = await everyKindOfKey(world, "no-7");
    await world.member(cloud, "u-second", { role: "cr_admin" });
    await world.member(hosted, "u-second", { role: "cr_admin" });
    for (const organization of [cloud, hosted])
      await world.member(organization, "u-admin", { active: false });
    for (const kind of ["organization", "instance"] as const)
      await expect(authenticated(keys[kind].text)).rejects.toMatchObject(
        refusal("member inactive", keys[kind].key.id),
      );
    expect(await principalOf(keys.legacy)).toMatchObject({ role: null });
  });

  test("authentication refuses a key whose text names another organization than its record", async () => {
    const { keys } = await keysOf(world, "no-6", "organization");
    const other = await world.organization("no-6-other");
    await change(itemKinds.apiKey.key({ keyId: keys.organization.key.id }), "organization", other);
    await expect(authenticated(keys.organization.text)).rejects.toMatchObject(
      refusal("organization inactive", keys.organization.key.id),
    );
  });
});

describe("the reads of an authentication", () => {
  /** The calls of one authentication, and whether it accepted the key. */
  const callsOf = async (text: string, accepted?: AcceptedKeys, clock: Clock = systemClock) => {
    const meter = new StoreMeter();
    const deps = { table: store().table.metered(meter), clock, ...(accepted && { accepted }) };
    const isAccepted = await authenticate(deps, { text }).then(
      () => true,
      () => false,
    );
    if (!isAccepted) expect(meter.readUnits).toBeLessThanOrEqual(2);
    return { isAccepted, operations: meter.calls.map(({ operation }) => operation) };
  };

  const kinds = ["organization", "user", "agentic", "workspace", "instance"] as const;
  const ofTenant = { workspace: ["Query"], instance: ["Query"], organization: [], user: [], agentic: [] };
  /** The row of a whole workspace or instance is read before everything that grows with it. */
  const before = { workspace: ["GetItem"], instance: ["GetItem"], organization: [], user: [], agentic: [] };

  test.each(kinds)(
    "a made-up %s key costs one small read; a key that was just accepted takes one round",
    async (kind) => {
      const { keys } = await everyKindOfKey(world, `made-up-${kind}`);
      // A row of hundreds of kilobytes.
      const admins = Array.from({ length: 3_000 }, (_, index) => ({
        user_id: `admin-${index}`,
        email: null,
      }));
      await world.workspace(`made-up-${kind}-workspace`, {
        admins: [{ user_id: "u-admin", email: null }, ...admins],
      });
      const { text } = keys[kind];
      const parsed = required(parseKeyText(text), "key");
      if (parsed.hints.kind === "legacy") throw new TypeError("not a legacy key");
      const accepted = new AcceptedKeys();
      const madeUp = madeUpKeyText(parsed.hints, systemRandom);
      const refused = { isAccepted: false, operations: ["GetItem"] };
      expect(await callsOf(madeUp, accepted)).toEqual(refused);
      const oneRound = { isAccepted: true, operations: ["BatchGetItem", ...ofTenant[kind]] };
      const inRounds = {
        isAccepted: true,
        operations: ["GetItem", ...before[kind], ...oneRound.operations],
      };
      const now = new TestClock();
      expect(await callsOf(text, accepted, now)).toEqual(inRounds);
      expect(await callsOf(text, accepted, now)).toEqual(oneRound);
      expect(await callsOf(madeUp, accepted, now)).toEqual(refused);
      now.advance(keyLimits.acceptedForMs);
      expect(await callsOf(text, accepted, now)).toEqual(inRounds);
    },
  );

  test("a made-up text with the id of an instance key whose list is full costs one small read, too", async () => {
    const { home } = await everyKindOfKey(world, "full-list");
    const { text, key } = await world.key({
      kind: "instance",
      instanceId: "full-list-instance",
      home,
      owner: "u-admin",
      role: "cr_admin",
      authorized: [home],
    });
    const others = Array.from({ length: keyLimits.authorizedOrganizationsMax - 1 }, () =>
      systemRandom.uuid(),
    );
    await store().table.write({
      update: itemKinds.keyList.key({ keyId: key.id }),
      change: { set: [["authorized", [home, ...others]]] },
    });
    const madeUp = textOf(key, new Uint8Array(keyLimits.secretBytes));
    expect(await callsOf(madeUp)).toEqual({ isAccepted: false, operations: ["GetItem"] });
    expect((await principalOf({ text, key })).organizations.map(({ uuid }) => uuid)).toEqual([home]);
  });

  test.each(["workspace", "instance"] as const)(
    "a key of an inactive %s costs two units, once it was refused also if it was just accepted",
    async (kind) => {
      const { keys } = await everyKindOfKey(world, `inactive-${kind}`);
      const { text, key } = keys[kind];
      const accepted = new AcceptedKeys();
      const now = new TestClock();
      expect(await callsOf(text, accepted, now)).toMatchObject({ isAccepted: true });
      await store().table.write({
        update: itemKinds.tenant.key({ tenant: key.tenant }),
        change: { set: [["active", false]] },
      });
      const refused = { isAccepted: false, operations: ["GetItem", "GetItem"] };
      expect(await callsOf(text)).toEqual(refused);
      // The first refusal in a function that accepted the key reads everything, the others do not.
      const meter = new StoreMeter();
      const deps = { table: store().table.metered(meter), clock: now, accepted };
      await expect(authenticate(deps, { text })).rejects.toMatchObject({ reason: `${kind} inactive` });
      expect(await callsOf(text, accepted, now)).toEqual(refused);
    },
  );

  test("a legacy key takes two rounds, also if it was just accepted: its text names nothing to read", async () => {
    const { keys } = await everyKindOfKey(world, "round");
    const accepted = new AcceptedKeys();
    const twoRounds = { isAccepted: true, operations: ["GetItem", "BatchGetItem"] };
    expect(await callsOf(keys.legacy.text, accepted)).toEqual(twoRounds);
    expect(await callsOf(keys.legacy.text, accepted)).toEqual(twoRounds);
  });

  test("authentication returns the tenant's prefetched items, and reads them again if the organization moved", async () => {
    const organization = await world.organization("along");
    await world.member(github("along"), "u1");
    const { text } = await world.key({ kind: "user", organization, owner: "u1" });
    const asked: string[] = [];
    const note = (tenant: string) => ({ pk: `NOTE#${tenant}`, sk: "NOTE" });
    const prefetch = (tenant: string) => {
      asked.push(tenant);
      return [note(tenant), itemKinds.organization.key({ organization })];
    };
    await store().table.write({ put: { ...note(`o#${organization}`), says: "alone" } });
    await store().table.write({ put: { ...note("w#along-home"), says: "together" } });
    const alone = (await authenticated(text, prefetch)).prefetched;
    expect(alone.get(note(`o#${organization}`))).toMatchObject({ says: "alone" });
    expect(alone.get(itemKinds.organization.key({ organization }))).toMatchObject({ uuid: organization });
    expect(asked).toEqual([`o#${organization}`]);
    expect((await authenticated(text)).prefetched.has(note(`o#${organization}`))).toBe(false);
    await world.workspace("along-home");
    await world.organization("along", { workspace_id: "along-home" });
    const together = (await authenticated(text, prefetch)).prefetched;
    expect(together.get(note("w#along-home"))).toMatchObject({ says: "together" });
    expect(together.get(itemKinds.organization.key({ organization }))).toMatchObject({ uuid: organization });
  });

  test("a key whose organization has moved takes one more round once, then one round again", async () => {
    const { keys, organization } = await everyKindOfKey(world, "moved");
    await world.workspace("moved-next");
    await world.organization("moved-org", { workspace_id: "moved-next" });
    const accepted = new AcceptedKeys();
    const asked: string[] = [];
    const prefetch = (tenant: string) => {
      asked.push(tenant);
      return [itemKinds.organization.key({ organization })];
    };
    const calls = async () => {
      asked.length = 0;
      const meter = new StoreMeter();
      const deps = { table: store().table.metered(meter), clock: systemClock, accepted };
      const { prefetched } = await authenticate(deps, { text: keys.user.text, prefetch });
      expect(prefetched.get(itemKinds.organization.key({ organization }))).toMatchObject({
        uuid: organization,
      });
      return { tenants: [...asked], calls: meter.calls.length };
    };
    expect(await calls()).toEqual({ tenants: ["w#moved-workspace", "w#moved-next"], calls: 3 });
    expect(await calls()).toEqual({ tenants: ["w#moved-next"], calls: 1 });
    await world.organization("moved-org", { workspace_id: "moved-workspace" });
    expect(await calls()).toEqual({ tenants: ["w#moved-next", "w#moved-workspace"], calls: 2 });
    expect(await calls()).toEqual({ tenants: ["w#moved-workspace"], calls: 1 });
  });

  test("the prefetch gets the tenant, the organization if the key has one, and the member of a user key", async () => {
    const { keys, organization } = await everyKindOfKey(world, "tenants");
    for (const [kind, tenant, named] of [
      ["workspace", "w#tenants-workspace", {}],
      ["instance", "i#tenants-instance", {}],
      ["legacy", "w#tenants-workspace", { organization }],
      ["organization", "w#tenants-workspace", { organization }],
      ["agentic", "w#tenants-workspace", { organization }],
      ["user", "w#tenants-workspace", { organization, user: "u-member" }],
    ] as const) {
      const asked: unknown[] = [];
      await authenticated(keys[kind].text, (...given) => {
        asked.push(given);
        return [];
      });
      expect(asked, kind).toEqual([[tenant, named]]);
    }
  });
});
