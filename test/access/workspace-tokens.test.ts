import { describe, expect, test } from "vitest";
import { touchLastUsed, withUse } from "../../lib/access/last-used.ts";
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
      await expect(make({ name })).rejects.toThrow(refusal("The name of a key has 1 to 100 characters."));
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
    const actor = { type: "user", id: "u-admin", name: null, key_id: null, key_kind: null };
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
  test("the last use is written for a key that was never used, and again only after its interval", async () => {
    const { keys } = await keysOf(world, "used", "user");
    const { id } = keys.user.key;
    const at = clock.nowMs();
    const used = async () =>
      withUse(await stored(id), await store().table.get(kinds.keyUse.key({ keyId: id })));
    const unused = withUse(keys.user.key, undefined);
    await touchLastUsed(store().table, await used(), at);
    expect(await used()).toMatchObject({ last_used_at_ms: at });
    const refusing: Table = { ...store().table, write: () => Promise.reject(new TypeError("planted")) };
    await touchLastUsed(refusing, await used(), at + keyLimits.lastUsedEveryMs - 1);
    await expect(touchLastUsed(refusing, await used(), at + keyLimits.lastUsedEveryMs)).rejects.toThrow(
      "planted",
    );
    // Another writer was first: its time stays.
    await touchLastUsed(store().table, unused, at + 1);
    expect(await used()).toMatchObject({ last_used_at_ms: at });
    await touchLastUsed(store().table, unused, at + keyLimits.lastUsedEveryMs);
    expect(await used()).toMatchObject({ last_used_at_ms: at + keyLimits.lastUsedEveryMs });
  });

  test("the last use does not create the record of a key that no longer exists", async () => {
    await touchLastUsed(store().table, keyItem("user", { id: "k-gone" }), clock.nowMs());
    expect(await store().table.get(kinds.apiKey.key({ keyId: "k-gone" }))).toBeUndefined();
  });
});
