import { describe, expect, test } from "vitest";
import {
  lastUseMs,
  oldValueUseMs,
  touchLastUsed,
  type UsedKey,
  withUse,
} from "../../lib/access/last-used.ts";
import {
  createWorkspaceToken,
  deleteWorkspaceToken,
  listWorkspaceTokens,
} from "../../lib/access/workspace-tokens.ts";
import { msPerDay } from "../../lib/contract/days.ts";
import * as kinds from "../../lib/contract/items.ts";
import { keyLimits } from "../../lib/contract/limits.ts";
import { parseKey } from "../../lib/store/items/key.ts";
import type { Table } from "../../lib/store/table.ts";
import { everything } from "../events/support.ts";
import { TestClock } from "../support/clock.ts";
import { useStore } from "../support/engine.ts";
import { keysOf, World } from "../support/world.ts";
import { keyItem } from "./principals.ts";

const store = useStore();
const clock = new TestClock();
const world = new World(() => store().table, clock);
const now = () => new Date(clock.nowMs()).toISOString();
const stored = async (id: string) =>
  parseKey((await store().table.get(kinds.apiKey.key({ keyId: id }))) ?? { pk: "", sk: "" });
const refusal = (message: string) => expect.objectContaining({ name: "KeyRegistryError", message });

describe("a workspace token", () => {
  const request = { workspaceId: "house", as: "u-admin", name: "export", expiresInDays: 30 };

  test("a workspace token has a name of 1 to 100 characters, trimmed, and an expiry within the limits", async () => {
    await world.workspace("house");
    const make = (change: object) => createWorkspaceToken(world.deps, { ...request, ...change });
    expect((await make({ name: `  ${"😀".repeat(100)} ` })).key.name).toBe("😀".repeat(100));
    expect((await make({ name: "x" })).key.name).toBe("x");
    for (const name of ["", "   ", "😀".repeat(101)])
      await expect(make({ name })).rejects.toThrow(
        refusal("The name of a key must have 1 to 100 characters."),
      );
    for (const name of ["night\u001b[2K", "a\u202eb", "a\u200bb", "a\nb"])
      await expect(make({ name })).rejects.toThrow(
        refusal("The name of a key must not contain control characters or invisible formatting characters."),
      );
    for (const expiresInDays of [1, 365])
      expect((await make({ expiresInDays })).key.expires_at_ms).toBe(
        clock.nowMs() + expiresInDays * msPerDay,
      );
    for (const expiresInDays of [0, 366, 1.5])
      await expect(make({ expiresInDays })).rejects.toThrow(refusal("A token expires 1 to 365 days ahead."));
  });

  test("a workspace token is created, listed and deleted by admins of its own workspace only", async () => {
    await world.workspace("house");
    await world.workspace("other-house");
    const { key } = await createWorkspaceToken(world.deps, request);
    await createWorkspaceToken(world.deps, { ...request, workspaceId: "other-house" });
    const listed = await listWorkspaceTokens(world.deps, "house", "u-admin");
    expect(listed.map(({ id }) => id)).toContain(key.id);
    expect(listed.every(({ workspace_id }) => workspace_id === "house")).toBe(true);
    await expect(listWorkspaceTokens(world.deps, "house", "u-x")).rejects.toThrow(
      refusal("User u-x is not an admin of workspace house."),
    );
    const unknown = refusal(`There is no key ${key.id}.`);
    await expect(
      deleteWorkspaceToken(world.deps, { workspaceId: "other-house", as: "u-admin", id: key.id }),
    ).rejects.toThrow(unknown);
    const { keys } = await keysOf(world, "no-token", "user");
    await expect(
      deleteWorkspaceToken(world.deps, { workspaceId: "house", as: "u-admin", id: keys.user.key.id }),
    ).rejects.toThrow(refusal(`There is no key ${keys.user.key.id}.`));
    await deleteWorkspaceToken(world.deps, { workspaceId: "house", as: "u-admin", id: key.id });
    expect((await stored(key.id)).revoked_at).toBe(now());
  });

  test("a workspace token has audit entries that name it as a token and the admin who created or deleted it", async () => {
    await world.workspace("house");
    const { key } = await createWorkspaceToken(world.deps, request);
    await deleteWorkspaceToken(world.deps, { workspaceId: "house", as: "u-admin", id: key.id });
    const entries = (await everything(store().table)).filter(
      (item) => item.pk.startsWith("AUDIT#w#house") && item.resource_id === key.id,
    );
    const admin = { type: "user", id: "u-admin", name: null, email: "admin@example.com" };
    const actor = { ...admin, key_id: null, key_kind: null };
    const common = { resource_type: "workspace_token", actor, organization: null };
    expect(entries).toHaveLength(2);
    for (const action of ["token.created", "token.deleted"])
      expect(entries).toContainEqual(expect.objectContaining({ ...common, action }));
  });

  test("a workspace token can be created by any of several admins", async () => {
    const admins = ["u-other", "u-admin"].map((user_id) => ({ user_id, email: null }));
    await world.workspace("shared-house", { admins });
    const { key } = await createWorkspaceToken(world.deps, { ...request, workspaceId: "shared-house" });
    expect(key).toMatchObject({ workspace_id: "shared-house", owner: "u-admin" });
  });

  test("a workspace token can be created only in an active workspace", async () => {
    await world.workspace("shut", { active: false });
    for (const workspaceId of ["shut", "nowhere"])
      await expect(createWorkspaceToken(world.deps, { ...request, workspaceId })).rejects.toThrow(
        refusal(`There is no active workspace ${workspaceId}.`),
      );
  });
});

describe("the last use", () => {
  const { lastUsedEveryMs } = keyLimits;

  test("the last use is written for a value that was never used, and again only after its interval", async () => {
    const { keys } = await keysOf(world, "used", "user");
    const { id, hash } = keys.user.key;
    const at = clock.nowMs();
    const used = async () =>
      withUse(await stored(id), await store().table.get(kinds.keyUse.key({ keyId: id })));
    const unused = withUse(keys.user.key, undefined);
    const touch = async (key: UsedKey, nowMs: number, table: Table = store().table) =>
      await touchLastUsed(table, key, { hash, nowMs });
    await touch(await used(), at);
    expect(lastUseMs(await used())).toBe(at);
    const refusing: Table = { ...store().table, write: () => Promise.reject(new TypeError("planted")) };
    await touch(await used(), at + lastUsedEveryMs - 1, refusing);
    await expect(touch(await used(), at + lastUsedEveryMs, refusing)).rejects.toThrow("planted");
    // Another writer was first: its time stays.
    await touch(unused, at + 1);
    expect(lastUseMs(await used())).toBe(at);
    await touch(unused, at + lastUsedEveryMs);
    expect(lastUseMs(await used())).toBe(at + lastUsedEveryMs);
  });

  test("last_used_at is kept per key and value, and its item does not grow with rotations", async () => {
    const { keys } = await keysOf(world, "used-values", "user");
    const { id } = keys.user.key;
    const item = async () => (await store().table.get(kinds.keyUse.key({ keyId: id }))) ?? { pk: "", sk: "" };
    const hashes: string[] = [];
    for (let rotation = 0; rotation < 4; rotation++) {
      const key = await stored(id);
      hashes.push(key.hash);
      await touchLastUsed(store().table, withUse(key, await item()), {
        hash: key.hash,
        nowMs: clock.nowMs(),
      });
      clock.advance(1_000);
      await world.rotate(keys.user, 60);
    }
    const key = withUse(await stored(id), await item());
    expect([lastUseMs(key), oldValueUseMs(key)]).toEqual([clock.nowMs() - 1_000, clock.nowMs() - 1_000]);
    expect(Object.keys(key.uses)).toHaveLength(2);
    expect(new Set(hashes).size).toBe(4);
  });

  test("the last use of a key that the last release wrote still counts", () => {
    const key = withUse(keyItem("user"), { pk: "", sk: "", at_ms: 7 });
    expect([lastUseMs(key), oldValueUseMs(key)]).toEqual([7, null]);
  });

  test("the last use does not create the record of a key that no longer exists", async () => {
    const used = { hash: "hash", nowMs: clock.nowMs() };
    await touchLastUsed(store().table, keyItem("user", { id: "k-gone" }), used);
    expect(await store().table.get(kinds.apiKey.key({ keyId: "k-gone" }))).toBeUndefined();
  });
});
