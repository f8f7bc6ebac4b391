import { afterEach, describe, expect, test, vi } from "vitest";
import { listKeysOfOrganization } from "../../lib/access/key-registry.ts";
import { KeyRegistryError } from "../../lib/access/key-requirements.ts";
import { lastUseMs, withUse } from "../../lib/access/last-used.ts";
import {
  createWorkspaceToken,
  deleteWorkspaceToken,
  listWorkspaceTokens,
} from "../../lib/access/workspace-tokens.ts";
import { operator } from "../../lib/audit/entry.ts";
import * as kinds from "../../lib/contract/items.ts";
import { useApi } from "../support/api.ts";
import { everyKindOfKey, github, keysOf, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);
const status = async (text: string) => (await api.call("/v1/whoami", { key: text })).status;
const atTime = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: ms });
afterEach(() => {
  vi.useRealTimers();
});
let organizations = 0;
async function member() {
  const id = `life-${organizations++}`;
  const organization = await world.organization(id);
  await world.member(github(id), "u1", { role: "cr_admin" });
  return organization;
}

describe("a key", () => {
  test("a key is not stored in the table, in whole or in part", async () => {
    const { keys } = await everyKindOfKey(world, "nowhere");
    const { items } = await api.store().table.scanPage({});
    const dump = JSON.stringify(items);
    for (const { text } of Object.values(keys)) {
      expect(dump).not.toContain(text);
      expect(dump).not.toContain(text.slice(-24));
    }
  });

  test("a key works until the millisecond it expires", async () => {
    const now = Date.now();
    atTime(now);
    const { text } = await world.key({
      kind: "user",
      organization: await member(),
      owner: "u1",
      expiresInDays: 1,
    });
    atTime(now + 86_400_000 - 1);
    expect(await status(text)).toBe(200);
    atTime(now + 86_400_000);
    expect(await status(text)).toBe(401);
  });

  test("a key that is revoked is refused at the next use, and revoking it again succeeds", async () => {
    const issued = await world.key({ kind: "user", organization: await member(), owner: "u1" });
    expect(await status(issued.text)).toBe(200);
    await world.revoke(issued);
    await world.revoke(issued);
    expect(await status(issued.text)).toBe(401);
  });

  test.each(["organization", "user", "instance", "agentic"] as const)(
    "a key of kind %s is rotated: both values work during the grace, only the new one after it",
    async (kind) => {
      const { keys } = await everyKindOfKey(world, `rotate-${kind}`);
      const now = Date.now();
      atTime(now);
      const rotated = await world.rotate(keys[kind], 60);
      expect(rotated.key).toMatchObject({ kind, role: keys[kind].key.role, owner: keys[kind].key.owner });
      atTime(now + 59_999);
      expect([await status(keys[kind].text), await status(rotated.text)]).toEqual([200, 200]);
      atTime(now + 60_000);
      expect([await status(keys[kind].text), await status(rotated.text)]).toEqual([401, 200]);
    },
  );

  test("a key that is rotated without grace stops working at once", async () => {
    const issued = await world.key({ kind: "user", organization: await member(), owner: "u1" });
    const rotated = await world.rotate(issued, 0);
    expect([await status(issued.text), await status(rotated.text)]).toEqual([401, 200]);
  });

  test("a key has a grace that never outlives its own expiry", async () => {
    const now = Date.now();
    atTime(now);
    const issued = await world.key({
      kind: "user",
      organization: await member(),
      owner: "u1",
      expiresInDays: 1,
    });
    await world.rotate(issued, 10 * 86_400);
    atTime(now + 86_400_000);
    expect(await status(issued.text)).toBe(401);
  });

  test("a key of every kind with an owner stops when the owner leaves, and works again when they return", async () => {
    const { keys, cloud, hosted } = await everyKindOfKey(world, "leavers");
    const sendActive = async (active: boolean) => {
      await world.member(cloud, "u-admin", { role: "cr_admin", active });
      await world.member(cloud, "u-member", { active });
      await world.member(hosted, "u-admin", { role: "cr_admin", active });
    };
    const owned = ["organization", "user", "instance", "agentic"] as const;
    const statuses = () => Promise.all(owned.map((kind) => status(keys[kind].text)));
    await sendActive(false);
    expect(await statuses()).toEqual([401, 401, 401, 401]);
    expect([await status(keys.legacy.text), await status(keys.workspace.text)]).toEqual([200, 200]);
    await sendActive(true);
    expect(await statuses()).toEqual([200, 200, 200, 200]);
  });

  test("a key of the legacy kind is not rotated: the operator makes another one", async () => {
    const { keys } = await keysOf(world, "modern", "legacy");
    await expect(world.rotate(keys.legacy, 0)).rejects.toThrow("is a legacy key");
    expect(await status(keys.legacy.text)).toBe(200);
  });

  test("a key of the workspace kind is managed only by the workspace's admins", async () => {
    const { keys } = await keysOf(world, "admins-only", "workspace");
    await expect(world.rotate(keys.workspace, 0)).rejects.toThrow("is a workspace token");
    await expect(world.revoke(keys.workspace)).rejects.toThrow("is a workspace token");
    expect(await status(keys.workspace.text)).toBe(200);
  });

  test("a key with an invalid expiry or grace is refused before anything is written", async () => {
    const organization = await member();
    const days = Number.MAX_SAFE_INTEGER;
    await expect(world.key({ kind: "user", organization, owner: "u1", expiresInDays: days })).rejects.toThrow(
      "1 to 36500",
    );
    const issued = await world.key({ kind: "user", organization, owner: "u1" });
    await expect(world.rotate(issued, days)).rejects.toThrow("whole number of seconds");
    expect(await status(issued.text)).toBe(200);
  });

  test("a key stores its last use, at most once a minute", async () => {
    const now = Date.now();
    const issued = await world.key({ kind: "user", organization: await member(), owner: "u1" });
    const lastUsed = async () =>
      lastUseMs(withUse(issued.key, await api.store().table.get(kinds.keyUse.key({ keyId: issued.key.id }))));
    for (const [offset, expected] of [
      [0, 0],
      [30_000, 0],
      [60_000, 60_000],
      [119_999, 60_000],
    ] as const) {
      atTime(now + offset);
      await status(issued.text);
      expect(await lastUsed()).toBe(now + expected);
    }
  });

  test("a key continues to work when its organization moves to a workspace", async () => {
    const organization = await world.organization("moving");
    await world.member(github("moving"), "u1");
    const issued = await world.key({ kind: "user", organization, owner: "u1" });
    await world.workspace("new-home");
    await world.organization("moving", { workspace_id: "new-home" });
    expect(await status(issued.text)).toBe(200);
    const token = await world.token("new-home");
    const answer = await api.call("/v1/organizations", { key: token.text });
    expect(answer.json).toMatchObject({ organizations: [{ id: organization }] });
  });

  test("a key is created only for an active organization, member, role and instance", async () => {
    const organization = await member();
    const refused = [
      world.key({ kind: "user", organization: "00000000-0000-4000-8000-000000000000", owner: "u1" }),
      world.key({ kind: "user", organization, owner: "nobody" }),
      world.key({ kind: "organization", organization, owner: "u1", role: "cr_king" }),
      world.key({
        kind: "instance",
        instanceId: "nowhere",
        home: organization,
        owner: "u1",
        role: "cr_admin",
      }),
      world.key({ kind: "user", organization, owner: "u1", expiresInDays: 0 }),
    ];
    for (const outcome of await Promise.allSettled(refused)) {
      expect(outcome).toMatchObject({ status: "rejected", reason: expect.any(KeyRegistryError) });
    }
  });
});

describe("workspace tokens", () => {
  const token = (change: object = {}) =>
    createWorkspaceToken(world.deps, {
      workspaceId: "tokens",
      as: "u-admin",
      name: "export",
      expiresInDays: 30,
      ...change,
    });

  test("workspace tokens are created, listed and deleted by workspace admins only, and told apart from keys", async () => {
    await world.workspace("tokens");
    const { text, key } = await token();
    expect(await status(text)).toBe(200);
    await expect(token({ as: "u-stranger" })).rejects.toThrow("is not an admin");
    await expect(listWorkspaceTokens(world.deps, "tokens", "u-stranger")).rejects.toThrow("is not an admin");
    const stranger = { workspaceId: "tokens", as: "u-stranger", id: key.id };
    await expect(deleteWorkspaceToken(world.deps, stranger)).rejects.toThrow("is not an admin");
    expect(await listWorkspaceTokens(world.deps, "tokens", "u-admin")).toMatchObject([
      { id: key.id, name: "export" },
    ]);
    await deleteWorkspaceToken(world.deps, { workspaceId: "tokens", as: "u-admin", id: key.id });
    expect(await status(text)).toBe(401);
  });

  test.each([
    [{ name: "" }, "1 to 100 characters"],
    [{ name: "x".repeat(101) }, "1 to 100 characters"],
    [{ expiresInDays: 0 }, "1 to 365 days"],
    [{ expiresInDays: 366 }, "1 to 365 days"],
    [{ expiresInDays: 1.5 }, "1 to 365 days"],
    [{ workspaceId: "nowhere" }, "no active workspace"],
  ])("a workspace token with %j is refused with the reason", async (change, sentence) => {
    await world.workspace("tokens");
    await expect(token(change)).rejects.toThrow(sentence);
  });
});

test("every created, rotated or revoked key has its audit entry, and no entry holds a secret", async () => {
  const { keys, organization } = await everyKindOfKey(world, "audited");
  await world.rotate(keys.user, 0);
  await world.revoke(keys.organization);
  const answer = await api.call("/v1/audit-logs?resource_types=api_key,workspace_token", {
    key: keys.workspace.text,
  });
  const { data } = answer.json as {
    data: Array<{ action: string; resource_id: string; organization_id: string }>;
  };
  const counted = Object.groupBy(data, ({ action }) => action);
  expect(
    Object.fromEntries(Object.entries(counted).map(([action, entries]) => [action, entries?.length])),
  ).toEqual({
    "key.created": 4,
    "key.rotated": 1,
    "key.revoked": 1,
    "token.created": 1,
  });
  for (const { text } of Object.values(keys)) expect(answer.body.toString()).not.toContain(text.slice(-20));
  const known = await listKeysOfOrganization(world.deps);
  expect(known.filter((key) => key.organization === organization)).toHaveLength(4);
  expect(operator.type).toBe("system");
});

test("refused uses of an existing key are audited once a minute for each reason", async () => {
  const { keys } = await everyKindOfKey(world, "refusals");
  const now = Date.now();
  const refusals = async () => {
    const answer = await api.call("/v1/audit-logs?actions=key.refused&order=asc", {
      key: keys.workspace.text,
    });
    const { data } = answer.json as { data: Array<{ metadata: { reason: string; operation: string } }> };
    return data.map(({ metadata }) => [metadata.operation, metadata.reason]);
  };
  atTime(now);
  for (let use = 0; use < 3; use++) await api.call("/v1/organizations", { key: keys.legacy.text });
  await api.call("/v1/audit-logs", { key: keys.user.text });
  await world.revoke(keys.agentic);
  await api.call("/v1/whoami", { key: keys.agentic.text });
  atTime(now + 60_000);
  await api.call("/v1/organizations", { key: keys.legacy.text });
  expect((await refusals()).toSorted()).toEqual([
    ["listAuditLogs", "NOT_ADMIN"],
    ["listOrganizations", "LEGACY_API_KEY"],
    ["listOrganizations", "LEGACY_API_KEY"],
    ["whoami", "revoked"],
  ]);
});

test("every kind of refusal is audited, with the actor of an accepted use", async () => {
  const { keys, cloud } = await keysOf(world, "turned-away", "workspace", "user", "organization");
  const entries = async (query: string) => {
    const answer = await api.call(`/v1/audit-logs?${query}`, { key: keys.workspace.text });
    return (answer.json as { data: Array<{ actor: object; metadata: { reason: string } }> }).data;
  };
  await world.member(cloud, "u-boss", { role: "cr_admin", username: "The Boss" });
  const boss = await world.key({
    kind: "user",
    organization: keys.user.key.organization ?? "",
    owner: "u-boss",
  });
  await api.call("/v1/users/roles", { key: boss.text, body: { role: "cr_admin", user_ids: ["u-member"] } });
  await world.member(cloud, "u-boss", { role: "cr_admin", username: "The Boss", active: true });
  const [accepted] = await entries("actions=roles.changed");
  expect(accepted?.actor).toMatchObject({ type: "user", id: "u-boss", name: "The Boss", key_kind: "user" });

  await api.call("/v1/security/scans/code?organization_ids=x", { key: boss.text });
  for (let use = 0; use < 11; use++) await api.call("/v1/organizations", { key: boss.text });
  await world.revoke(boss);
  await api.call("/v1/whoami", { key: boss.text });
  await api.call("/v1/users?org_id=nowhere", { key: keys.workspace.text });
  await api.call("/v1/organizations/00000000-0000-4000-8000-000000000000/repositories", {
    key: keys.organization.text,
  });
  const refusals = await entries("actions=key.refused");
  expect(refusals.map(({ metadata }) => metadata.reason).toSorted()).toEqual([
    "ORGANIZATION_NOT_FOUND",
    "ORGANIZATION_NOT_FOUND",
    "RATE_LIMIT_EXCEEDED",
    "revoked",
  ]);
  const ofBoss = await entries("actions=key.refused&user_ids=u-boss");
  expect(ofBoss.map(({ actor }) => actor)).toEqual([accepted?.actor, accepted?.actor]);
});
