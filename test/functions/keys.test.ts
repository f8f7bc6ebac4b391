import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import * as kinds from "../../lib/contract/items.ts";
import { walkLimits } from "../../lib/contract/limits.ts";
import { organizationTenant, workspaceTenant } from "../../lib/contract/tenants.ts";
import { useApi } from "../support/api.ts";
import { everyKindOfKey, gitlab, keysOf, World } from "../support/world.ts";

import { idOf, issued, keyCallsOf, keyPage, type Setup } from "./key-calls.ts";

const api = useApi();
const world = new World(() => api.store().table);
const { call, rotate, end, works, idsSeenBy } = keyCallsOf(api);

describe("GET /v1/keys", () => {
  let setup: Setup;
  beforeAll(async () => {
    setup = await everyKindOfKey(world, "listing");
  });
  const ofOrganization = () =>
    (["organization", "user", "legacy", "agentic"] as const).map((kind) => idOf(setup, kind));

  test("GET /v1/keys shows an organization its keys, with all fields and without their values", async () => {
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
      rotated_at: null,
      old_until: null,
      old_last_used_at: null,
      state: "active",
      refused_because: null,
      only: null,
      made_by: null,
      owner_email: null,
    });
    for (const { text, key } of Object.values(setup.keys)) {
      expect(answer.body.toString()).not.toContain(text);
      expect(answer.body.toString()).not.toContain(key.hash);
    }
  });

  test("POST /v1/keys and rotate answer with the record of the list, also the e-mail of a token's owner", async () => {
    const { keys } = await everyKindOfKey(world, "answering");
    for (const kind of ["organization", "workspace"] as const) {
      const own = keys[kind];
      const recordOf = async (id: string, key: string) =>
        keyPage.parse((await call("/v1/keys?limit=100", { key })).json).keys.find((each) => each.id === id);
      const made = issued.parse((await call("/v1/keys", { key: own.text, body: { name: "made" } })).json);
      const rotated = issued.parse((await rotate(made.id, made.key)).json);
      expect(made.owner_email).toBe(kind === "workspace" ? "admin@example.com" : null);
      const { last_used_at, old_last_used_at, ...listed } = { ...(await recordOf(made.id, own.text)) };
      const { key: _, ...answered } = rotated;
      expect(answered).toEqual({ ...listed, last_used_at: null, old_last_used_at: null });
    }
  });

  test("GET /v1/keys shows tokens to workspace tokens only, and instance keys to instance keys only", async () => {
    const token = setup.keys.workspace.text;
    expect(await idsSeenBy(token)).toEqual([...ofOrganization(), idOf(setup, "workspace")].toSorted());
    expect(await idsSeenBy(token, "?org_id=listing-org")).toEqual(ofOrganization().toSorted());
    expect(await idsSeenBy(setup.keys.instance.text)).toEqual([idOf(setup, "instance")]);
  });

  test("GET /v1/keys shows each key once, with pages of any size", async () => {
    const token = setup.keys.workspace.text;
    const all = await idsSeenBy(token);
    for (const limit of [1, 2, 3, 100]) expect(await idsSeenBy(token, `?limit=${limit}`)).toEqual(all);
  });

  test("GET /v1/keys shows a key without the Admin role itself and what it made", async () => {
    for (const own of [
      setup.keys.user,
      await world.key({
        kind: "instance",
        instanceId: "listing-instance",
        home: setup.home,
        owner: "u-admin",
        role: "cr_member",
      }),
    ]) {
      expect(await idsSeenBy(own.text)).toEqual([own.key.id]);
      const { json } = await call("/v1/keys", { key: own.text, body: { name: "mine" } });
      const made = issued.parse(json);
      expect(await idsSeenBy(own.text)).toEqual([own.key.id, made.id].toSorted());
      expect(await idsSeenBy(made.key)).toEqual([made.id]);
      await end(made.id, own.text);
    }
  });

  test("GET /v1/keys shows whether a key is active, revoked or expired", async () => {
    const state = async (id: string) => {
      const { keys } = keyPage.parse(
        (await call("/v1/keys?limit=100", { key: setup.keys.organization.text })).json,
      );
      return keys.find((key) => key.id === id)?.state;
    };
    const owned = { kind: "user", organization: setup.organization, owner: "u-member" } as const;
    const { text, key } = await world.key(owned);
    await rotate(key.id, text, { grace_seconds: 0 });
    expect(await state(key.id)).toBe("active");
    await world.revoke({ text, key });
    expect(await state(key.id)).toBe("revoked");
    const { key: expired } = await world.key({ ...owned, expiresInDays: 1 });
    const change = { set: [["expires_at_ms", 1]] } as const;
    await world.deps.table.write({ update: { pk: expired.pk, sk: expired.sk }, change });
    expect(await state(expired.id)).toBe("expired");
    // One that the last release rotated.
    const last = { set: [["rotated_to", "kaaaaaaaaaaaaaaaa"] as const] };
    await world.deps.table.write({ update: { pk: expired.pk, sk: expired.sk }, change: last });
    expect(await state(expired.id)).toBe("expired");
  });

  test("GET /v1/keys says why an active key is refused, and the 401 does not", async () => {
    const { keys, cloud, hosted, home } = await everyKindOfKey(world, "refused");
    const gone = await world.key({
      kind: "instance",
      instanceId: "refused-instance",
      home,
      owner: "u-admin",
      role: "cr_admin",
    });
    await world.member(hosted, "u-second", { role: "cr_admin" });
    const asking = await world.key({
      kind: "instance",
      instanceId: "refused-instance",
      home,
      owner: "u-second",
      role: "cr_admin",
    });
    await world.member(hosted, "u-admin", { active: false });
    await world.member(cloud, "u-member", { active: false });
    await world.workspace("refused-workspace", { admins: [{ user_id: "new", email: null }] });
    const token = await world.token("refused-workspace", "new");
    const refusals = async (key: string) => {
      const listed = keyPage.parse((await call("/v1/keys", { key })).json).keys;
      return new Map(listed.map(({ id, state, refused_because }) => [id, [state, refused_because]]));
    };
    const ofWorkspace = await refusals(token.text);
    expect(
      [keys.organization, keys.user, keys.agentic, keys.workspace, token].map(({ key }) =>
        ofWorkspace.get(key.id),
      ),
    ).toEqual([
      ["active", null],
      ["active", "owner_left"],
      ["active", "owner_left"],
      ["active", "owner_not_admin"],
      ["active", null],
    ]);
    expect((await refusals(asking.text)).get(gone.key.id)).toEqual(["active", "owner_left"]);
    const { status, body } = await call("/v1/whoami", { key: keys.user.text });
    expect(status).toBe(401);
    expect(body.toString()).not.toContain("owner");
  });

  test("GET /v1/keys finds the keys of more organizations than one page reads, page by page", async () => {
    const name = "many-organizations";
    const { organization, keys } = await everyKindOfKey(world, name);
    const { table } = world.deps;
    const tenant = workspaceTenant(`${name}-workspace`);
    const row = await table.get(kinds.tenantOrganization.key({ tenant, organization }));
    if (!row) throw new Error("There is no such organization.");
    const uuids = Array.from(
      { length: walkLimits.partitionsPerPageMax + 1 },
      (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    );
    await table.writeMany(
      uuids.map((uuid) => ({
        put: {
          ...row,
          ...kinds.tenantOrganization.key({ tenant, organization: uuid }),
          uuid,
          provider_organization_id: uuid,
        },
      })),
    );
    const { text: key } = keys.workspace;
    const first = keyPage.parse((await call("/v1/keys", { key })).json);
    expect(first.next_cursor).not.toBeNull();
    const rest = keyPage.parse((await call(`/v1/keys?cursor=${first.next_cursor}`, { key })).json);
    const seen = [...first.keys, ...rest.keys].map(({ kind }) => kind);
    expect(seen.toSorted()).toEqual(["agentic", "legacy", "organization", "user", "workspace"]);
    expect(rest.next_cursor).toBeNull();
  });

  test("GET /v1/keys ends a page with a cursor after too many skipped rows, and a walk finds every key", async () => {
    const { organization, keys } = await everyKindOfKey(world, "passed-over");
    const { table } = world.deps;
    // An organization's rows include the instance keys whose home it is; those are listed with the instance.
    const rows = Array.from({ length: walkLimits.passedOverMax + 150 }, (_, index) => ({
      put: {
        ...kinds.keyRow.key({
          tenant: organizationTenant(organization),
          keyId: `k0${String(index).padStart(15, "0")}`,
        }),
        kind: "instance",
      },
    }));
    await table.writeMany(rows);
    const { text: key } = keys.organization;
    const first = keyPage.parse((await call("/v1/keys?limit=1", { key })).json);
    expect(first).toEqual({ keys: [], next_cursor: expect.any(String) });
    const rest = await call(`/v1/keys?cursor=${first.next_cursor}`, { key });
    expect(keyPage.parse(rest.json)).toMatchObject({ keys: [{}, {}, {}, {}], next_cursor: null });
  });
});

describe("DELETE /v1/keys/{key_id}", () => {
  const notFound = async (answer: ReturnType<typeof end>) => {
    const { status, body, codes } = await answer;
    expect([status, ...codes]).toEqual([404, "KEY_NOT_FOUND"]);
    return body.toString();
  };

  test("an Admin key ends organization, user, agentic and legacy keys of its scope, also repeatedly", async () => {
    const setup = await everyKindOfKey(world, "ending");
    const admin = setup.keys.organization.text;
    const other = await everyKindOfKey(world, "elsewhere");
    for (const key of [admin, setup.keys.workspace.text]) {
      for (const kind of ["user", "agentic", "legacy"] as const) {
        expect((await end(idOf(setup, kind), key)).status).toBe(204);
        expect(await works(setup.keys[kind].text)).toBe(false);
        await notFound(end(idOf(other, kind), key));
      }
    }
    for (const kind of ["workspace", "instance"] as const) await notFound(end(idOf(setup, kind), admin));
    expect((await end(idOf(setup, "organization"), setup.keys.workspace.text)).status).toBe(204);
    expect(await works(admin)).toBe(false);
  });

  test("unknown or out of reach is the same 404, whatever the caller's role, and an invalid id a 400", async () => {
    const setup = await everyKindOfKey(world, "reach");
    const other = await everyKindOfKey(world, "beyond");
    const answers = new Set<string>();
    for (const key of [setup.keys.organization.text, setup.keys.user.text])
      for (const id of [idOf(other, "organization"), idOf(setup, "instance"), "kaaaaaaaaaaaaaaaa"])
        answers.add(await notFound(end(id, key)));
    answers.add(await notFound(end(idOf(setup, "organization"), setup.keys.user.text)));
    expect(answers.size).toBe(1);
    expect((await end("not-an-id", setup.keys.organization.text)).codes).toEqual(["INVALID_REQUEST"]);
  });

  test("workspace tokens are ended by tokens of their workspace only, also those of other admins", async () => {
    const admins = ["ann", "bob"].map((user_id) => ({ user_id, email: null }));
    for (const name of ["admins", "others"]) {
      await world.workspace(name, { admins });
      await world.organization(`${name}-org`, { workspace_id: name });
    }
    const [ann, bob] = [await world.token("admins", "ann"), await world.token("admins", "bob")];
    await notFound(end(bob.key.id, (await world.token("others", "ann")).text));
    expect((await end(bob.key.id, ann.text)).status).toBe(204);
    expect(await works(bob.text)).toBe(false);
  });

  test("an Admin instance key lists and ends keys of its instance whose list lies within its own", async () => {
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
    const ids = (keys: ReadonlyArray<{ key: { id: string } }>) => keys.map(({ key }) => key.id).toSorted();
    expect(await idsSeenBy(all.text)).toEqual(ids([all, wide, narrow, beside]));
    expect(await idsSeenBy(wide.text)).toEqual(ids([wide, narrow]));
    // No list lies only within no list.
    for (const { key } of [all, beside]) await notFound(end(key.id, wide.text));
    expect((await end(narrow.key.id, wide.text)).status).toBe(204);
    // The key of one organization reaches no key of the instance.
    const ofHome = await world.adminKey(home, "boss");
    await notFound(end(all.key.id, ofHome));
    expect(await idsSeenBy(ofHome)).toHaveLength(1);
    expect((await end(wide.key.id, all.text)).status).toBe(204);
    // What it makes has its list, in an item of its own.
    const made = issued.parse((await call("/v1/keys", { key: beside.text, body: { name: "made" } })).json);
    expect(made.organizations).toEqual(["f1", "f3"]);
    const list = await world.deps.table.get(kinds.keyList.key({ keyId: made.id }));
    expect(list?.authorized).toEqual([home, third]);
    const { json } = await call("/v1/whoami", { key: made.key });
    expect(json).toMatchObject({
      scope: { organizations: [{ provider_organization_id: "f1" }, { provider_organization_id: "f3" }] },
    });
  });
});

describe("the audit log of keys", () => {
  const entries = z.object({
    data: z.array(
      z.looseObject({ action: z.string(), resource_id: z.string().nullable(), metadata: z.looseObject({}) }),
    ),
  });
  test("the audit log has the actor, a new key's role, expiry and organizations, and the end of an old value", async () => {
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
    const rotated = issued.parse((await rotate(old.key.id, old.text, { grace_seconds: 60 })).json);
    await end(rotated.id, key);
    const { json, body } = await call("/v1/audit-logs?actions=key.created,key.rotated,key.revoked", { key });
    const { data } = entries.parse(json);
    const of = (action: string) =>
      data.find((entry) => entry.action === action && entry.resource_id === old.key.id);
    const rights = {
      role: "cr_member",
      expires_at: new Date(old.key.expires_at_ms ?? 0).toISOString(),
      organizations: ["logged-org"],
      only: null,
      made_by: null,
    };
    const about = { kind: "organization", name: "ci", owner: "u-member" };
    expect(of("key.created")?.metadata).toEqual({ ...about, ...rights });
    expect(of("key.rotated")).toMatchObject({
      actor: { type: "key", id: "u-member", key_id: old.key.id },
      ip_address: "203.0.113.7",
    });
    expect(of("key.rotated")?.metadata).toEqual({ ...about, old_until: rotated.old_until });
    expect(of("key.revoked")?.metadata).toEqual({
      ...about,
      before: { state: "active" },
      after: { state: "revoked" },
      revoked_key_ids: [old.key.id],
    });
    for (const secret of [old.text, old.key.hash, rotated.key]) expect(body.toString()).not.toContain(secret);
  });
});

describe("a role that a live key holds", () => {
  test("a role that a live key holds is in use until the last such key has ended or expired", async () => {
    const setup = await keysOf(world, "held", "organization");
    const admin = setup.keys.organization.text;
    const { id: role } = z
      .object({ id: z.string() })
      .parse((await call("/v1/roles", { key: admin, body: { name: "Robot" } })).json);
    const remove = () => call(`/v1/roles/${role}`, { key: admin, method: "DELETE" });
    const holding = {
      kind: "organization",
      organization: setup.organization,
      owner: "u-admin",
      role,
    } as const;
    const [first, second] = [await world.key(holding), await world.key(holding)];
    const refused = await remove();
    expect([refused.codes, refused.message]).toEqual([
      ["ROLE_IN_USE"],
      expect.stringMatching(/^The role is still held by 2 live keys, k\w+ for one\. Revoke them first\.$/),
    ]);
    await end(first.key.id, admin);
    expect((await remove()).message).toBe(
      `The role is still held by 1 live key, ${second.key.id} for one. Revoke it first.`,
    );
    await end(second.key.id, admin);
    expect((await remove()).status).toBe(204);
    await expect(
      world.key({ kind: "organization", organization: setup.organization, owner: "u-admin", role }),
    ).rejects.toThrow("has no role");
  });

  test("a role is in use while an instance key at home in the organization holds it, until the key expires", async () => {
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
      `The role is still held by 1 live key, ${holder.id} for one. Revoke it first.`,
    ]);
    await world.deps.table.write({
      update: { pk: holder.pk, sk: holder.sk },
      change: { set: [["expires_at_ms", 1]] },
    });
    expect((await remove()).status).toBe(204);
  });

  test("no live key holds a deleted role, even if the role is given to a key and deleted at once", async () => {
    const setup = await keysOf(world, "race", "organization");
    const admin = setup.keys.organization.text;
    for (let round = 0; round < 5; round++) {
      const { id: role } = z
        .object({ id: z.string() })
        .parse((await call("/v1/roles", { key: admin, body: { name: `R${round}` } })).json);
      const [made, deleted] = await Promise.allSettled([
        world.key({ kind: "organization", organization: setup.organization, owner: "u-admin", role }),
        call(`/v1/roles/${role}`, { key: admin, method: "DELETE" }),
      ]);
      const isDeleted = deleted.status === "fulfilled" && deleted.value.status === 204;
      expect(isDeleted).toBe(made.status === "rejected");
    }
  });
});
