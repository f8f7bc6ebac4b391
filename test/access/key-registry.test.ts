import { describe, expect, test } from "vitest";
import { createKey, type KeyRequest } from "../../lib/access/create-key.ts";
import { expiryOf, listKeysOfOrganization, storeKey } from "../../lib/access/key-registry.ts";
import { KeyRegistryError } from "../../lib/access/key-requirements.ts";
import { revokeKey } from "../../lib/access/revoke-key.ts";
import { listWorkspaceTokens } from "../../lib/access/workspace-tokens.ts";
import { operator } from "../../lib/audit/entry.ts";
import { msPerDay } from "../../lib/contract/days.ts";
import * as kinds from "../../lib/contract/items.ts";
import { keyLimits } from "../../lib/contract/limits.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { DecisionsExhausted, type Table } from "../../lib/store/table.ts";
import { everyKindOfKey, github, keysOf, type World } from "../support/world.ts";
import { refusal, useKeyRegistry } from "./key-registry-fixture.ts";
import { keyItem } from "./principals.ts";

const { store, clock, world, now, stored, auditEntriesOf } = useKeyRegistry();
const nobody = "00000000-0000-4000-8000-000000000000";

describe("a new key", () => {
  test("a new key is stored with all fields, is listed, and has an audit entry", async () => {
    const { organization } = await keysOf(world, "new");
    const { key } = await world.key({
      kind: "user",
      organization,
      owner: "u-member",
      name: "laptop",
      expiresInDays: 2,
    });
    const expected = {
      ...kinds.apiKey.key({ keyId: key.id }),
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
      expires_at_ms: clock.nowMs() + 2 * msPerDay,
      revoked_at: null,
      rotated_to: null,
    };
    expect(key).toEqual(expected);
    expect(await stored(key.id)).toEqual(expected);
    expect(await store().table.get(kinds.keyDirectory.key({ keyId: key.id }))).toMatchObject({
      kind: "user",
    });
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
      expires_at_ms: clock.nowMs() + 30 * msPerDay,
    });
  });

  test("a new key is listed for as long as its record exists", async () => {
    const { keys } = await keysOf(world, "listed", "user");
    const listed = async () => (await listKeysOfOrganization(store())).map(({ id }) => id);
    expect(await listed()).toContain(keys.user.key.id);
    await store().table.write({ delete: kinds.apiKey.key({ keyId: keys.user.key.id }) });
    expect(await listed()).not.toContain(keys.user.key.id);
  });

  test("the list of a workspace's tokens reads a bounded number of rows at once", async () => {
    const { keys } = await keysOf(world, "streamed", "workspace");
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
    const { id } = keys.workspace.key;
    const tokens = async () =>
      (await listWorkspaceTokens({ ...world.deps, table }, "streamed-workspace", "u-admin")).map(
        (key) => key.id,
      );
    expect(await tokens()).toEqual([id]);
    expect(Math.max(...sizes)).toBe(keyLimits.rowsReadTogether);
  });

  test("a new key is listed with its organization without reading keys of other organizations", async () => {
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
    const listed = await listKeysOfOrganization({ table }, own.organization);
    const wanted = Object.values(own.keys).filter(({ key }) => key.organization === own.organization);
    expect(listed.map((key) => key.id).toSorted()).toEqual(wanted.map(({ key }) => key.id).toSorted());
    expect(read).toHaveLength(wanted.length);
  });

  test("a new key may have a custom role of the organization", async () => {
    const { organization } = await keysOf(world, "custom");
    await store().table.write({
      update: kinds.people.key({ organization }),
      change: {
        set: [
          [["counts", "r1"], 0],
          [["roles", "r1"], 1],
        ],
      },
    });
    const request = { kind: "organization", organization, owner: "u-member" } as const;
    expect((await world.key({ ...request, role: "r1" })).key.role).toBe("r1");
    await expect(world.key({ ...request, role: "r2" })).rejects.toThrow(
      refusal("The organization has no role r2."),
    );
    await store().table.write({ delete: kinds.people.key({ organization }) });
    await expect(world.key({ ...request, role: "r1" })).rejects.toThrow(
      refusal("The organization has no role r1."),
    );
    await expect(world.key({ ...request, role: "constructor" })).rejects.toThrow(KeyRegistryError);
  });

  test("a key for a missing or inactive owner, role or organization is refused, and the operator learns why", async () => {
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
    await expect(asInstance({ authorized: [organization] })).rejects.toThrow(
      refusal(
        "The authorized organizations of an instance key must contain its home organization refused-home.",
      ),
    );
    const tooMany = new Array(keyLimits.authorizedOrganizationsMax + 1).fill(home);
    await expect(asInstance({ authorized: tooMany })).rejects.toThrow(
      refusal("A key names at most 1000 organizations; without a list it sees the whole instance."),
    );
    expect((await asInstance({ authorized: tooMany.slice(1) })).key.authorized).toEqual([home]);
    await world.instance("refused-instance", { active: false });
    await expect(asInstance({})).rejects.toThrow(refusal("There is no active instance refused-instance."));
    await store().table.write({ delete: kinds.tenant.key({ tenant: "i#refused-instance" }) });
    await expect(asInstance({})).rejects.toThrow(refusal("There is no active instance refused-instance."));
    const before = (await listKeysOfOrganization(store())).length;
    await world.organization("refused-org", { workspace_id: "refused-workspace", active: false });
    await expect(asUser({})).rejects.toThrow(refusal(`There is no active organization ${organization}.`));
    expect((await listKeysOfOrganization(store())).length).toBe(before);
  });

  test.each([0, -1, 1.5, Number.NaN, keyLimits.expiryDaysMax + 1])(
    "a new key cannot have an expiry in %d days",
    (days) => {
      expect(() => expiryOf({ ...world.deps, clock }, days)).toThrow(
        refusal(`A key expires a whole number of days ahead, 1 to ${keyLimits.expiryDaysMax}.`),
      );
    },
  );

  test("a new key expires within the limits, or never", () => {
    const deps = { ...world.deps, clock };
    expect(expiryOf(deps, undefined)).toBeNull();
    expect(expiryOf(deps, 1)).toBe(clock.nowMs() + msPerDay);
    expect(expiryOf(deps, keyLimits.expiryDaysMax)).toBe(clock.nowMs() + keyLimits.expiryDaysMax * msPerDay);
  });

  test("a new key never replaces one that is there, and an error of the store is passed on", async () => {
    const organization = await world.organization("twice");
    await world.member(github("twice"), "u1");
    const request: KeyRequest = { kind: "user", organization, owner: "u1", actor: operator };
    // The random source returns the same bytes for both keys; the audit entries still get their own ids.
    const loaded = { ...systemRandom, bytes: (count: number) => new Uint8Array(count) };
    const { key } = await createKey({ ...world.deps, random: loaded }, request);
    await expect(createKey({ ...world.deps, random: loaded }, request)).rejects.toThrow(DecisionsExhausted);
    expect(await stored(key.id)).toMatchObject({ hash: key.hash });
    const error = new TypeError("planted");
    const table: Table = { ...store().table, transact: () => Promise.reject(error) };
    const issued = { text: "", key: keyItem("user") };
    await expect(
      storeKey({ ...world.deps, table }, issued, {
        by: { actor: operator },
        organization: null,
        action: "key.created",
      }),
    ).rejects.toBe(error);
  });
});

describe("revoking", () => {
  test("revoking is audited once, even if two revoke at the same moment or a key is revoked again", async () => {
    const { keys } = await keysOf(world, "revoked", "user");
    const { id } = keys.user.key;
    const at = now();
    await Promise.all([world.revoke(keys.user), world.revoke(keys.user)]);
    const first = await stored(id);
    expect(first.revoked_at).toBe(at);
    clock.advance(1_000);
    await world.revoke(keys.user);
    expect(await stored(id)).toEqual(first);
    expect((await auditEntriesOf(id)).filter(({ action }) => action === "key.revoked")).toMatchObject([
      { summary: `key revoked: user key ${id}` },
    ]);
  });

  test("revoking works for a key of a deleted organization, and passes on an error of the store", async () => {
    const { keys, organization } = await keysOf(world, "orphan", "user");
    const error = new TypeError("planted");
    const table: Table = { ...store().table, transact: () => Promise.reject(error) };
    await expect(revokeKey({ ...world.deps, table }, keys.user.key.id, operator)).rejects.toBe(error);
    await store().table.write({ delete: kinds.organization.key({ organization }) });
    await world.revoke(keys.user);
    expect((await stored(keys.user.key.id)).revoked_at).toBe(now());
  });

  test("the operator can neither revoke nor rotate a workspace token, nor revoke an unknown key", async () => {
    const { keys } = await keysOf(world, "not-yours", "workspace");
    const { id } = keys.workspace.key;
    const sentence = `${id} is a workspace token: let a workspace admin create or delete it with tokens.`;
    await expect(world.revoke(keys.workspace)).rejects.toThrow(refusal(sentence));
    await expect(world.rotate(keys.workspace, 0)).rejects.toThrow(refusal(sentence));
    await expect(revokeKey(world.deps, "k-none", operator)).rejects.toThrow(
      refusal("There is no key k-none."),
    );
  });
});
