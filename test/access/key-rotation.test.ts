import { describe, expect, test } from "vitest";
import { authenticate } from "../../lib/access/authenticate.ts";
import { endKey } from "../../lib/access/revoke-key.ts";
import { rotateKey } from "../../lib/access/rotate-key.ts";
import { operator } from "../../lib/audit/entry.ts";
import { msPerDay } from "../../lib/contract/days.ts";
import * as itemKinds from "../../lib/contract/items.ts";
import { keyLimits } from "../../lib/contract/limits.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { StoreUnavailable, type Table } from "../../lib/store/table.ts";
import { everyKindOfKey, keysOf } from "../support/world.ts";
import { refusal, useKeyRegistry } from "./key-registry-fixture.ts";

const { store, clock, world, now, stored, auditEntriesOf } = useKeyRegistry();
const works = (text: string) =>
  authenticate(world.deps, { text }).then(
    () => true,
    () => false,
  );

/** What a caller may do over HTTP: test/functions/rotate-key.test.ts. */
describe("a rotation by the operator", () => {
  test("gives the same key another value, with a grace of any length up to the life of a key", async () => {
    const { keys } = await everyKindOfKey(world, "rotation");
    const longest = keyLimits.expiryDaysMax * 86_400;
    for (const kind of ["organization", "user", "instance", "agentic"] as const) {
      const own = keys[kind];
      const { hash, ...before } = own.key;
      clock.advance(1_000);
      const { text, key } = await world.rotate(own, longest);
      const { authorized: _, ...rest } = await stored(own.key.id);
      expect(key).toMatchObject(rest);
      expect(rest).toMatchObject({ id: before.id, old_hash: hash, rotated_at: now() });
      expect(key.old_until).toBe(new Date(clock.nowMs() + longest * 1_000).toISOString());
      expect([await works(own.text), await works(text)]).toEqual([true, true]);
    }
    expect(await auditEntriesOf(keys.user.key.id)).toMatchObject([
      { action: "key.created" },
      { action: "key.rotated", metadata: { old_until: expect.any(String) }, actor: { name: "operator" } },
    ]);
  });

  test("never lets the old value outlive the key's own expiry", async () => {
    const { organization } = await keysOf(world, "longest", "user");
    const brief = await world.key({ kind: "user", organization, owner: "u-member", expiresInDays: 1 });
    const end = new Date(clock.nowMs() + msPerDay).toISOString();
    await world.rotate(brief, 2 * 86_400);
    expect((await stored(brief.key.id)).old_until).toBe(end);
  });

  test.each([-1, 0.5, Number.NaN, keyLimits.expiryDaysMax * 86_400 + 1])(
    "with a grace of %d seconds is refused",
    async (graceSeconds) => {
      const { keys } = await keysOf(world, "grace", "user");
      await expect(world.rotate(keys.user, graceSeconds)).rejects.toThrow(
        refusal(`The grace is a whole number of seconds, 0 to ${keyLimits.expiryDaysMax * 86_400}.`),
      );
    },
  );

  test("is refused for a legacy key, a workspace token, and a key that is unknown or has ended", async () => {
    const { keys, organization } = await keysOf(world, "stale", "user", "legacy", "workspace", "agentic");
    const message = async (rotating: Promise<unknown>) =>
      await rotating.then(
        () => "rotated",
        (error: Error) => error.message,
      );
    expect(await message(rotateKey(world.deps, { id: "k-none", graceSeconds: 0, actor: operator }))).toBe(
      "There is no key k-none.",
    );
    expect(await message(world.rotate(keys.workspace, 0))).toContain("is a workspace token");
    expect(await message(world.rotate(keys.legacy, 0))).toBe(
      `Key ${keys.legacy.key.id} is a legacy key, which cannot be rotated: create an organization key, then revoke this one.`,
    );
    await world.revoke(keys.user);
    expect(await message(world.rotate(keys.user, 0))).toContain("is revoked");
    const brief = await world.key({ kind: "user", organization, owner: "u-member", expiresInDays: 1 });
    clock.advance(msPerDay);
    expect(await message(world.rotate(brief, 0))).toContain("has expired");
    const update = itemKinds.apiKey.key({ keyId: keys.agentic.key.id });
    await store().table.write({ update, change: { set: [["rotated_to", "knext"]] } });
    expect(await message(world.rotate(keys.agentic, 0))).toContain("was replaced by key knext");
  });

  test("--lost is refused for a key that was never rotated: it would end the only value", async () => {
    const { keys } = await keysOf(world, "never", "user");
    await expect(world.rotate(keys.user, 0, true)).rejects.toThrow("was never rotated");
    expect(await works(keys.user.text)).toBe(true);
  });

  test("of a record that lacks a field of its kind fails with the field's name and changes nothing", async () => {
    const { keys } = await everyKindOfKey(world, "lacking");
    for (const [field, what] of [
      ["instance_id", "instance of the key"],
      ["owner", "owner of the key"],
      ["organization", "organization of the key"],
    ] as const) {
      const update = itemKinds.apiKey.key({ keyId: keys.instance.key.id });
      await store().table.write({ update, change: { set: [[field, null]] } });
      await expect(world.rotate(keys.instance, 0)).rejects.toThrow(
        new TypeError(`Missing ${what}; this is a bug.`),
      );
    }
    expect((await stored(keys.instance.key.id)).hash).toBe(keys.instance.key.hash);
  });
});

describe("a store that does not answer", () => {
  const lost = new StoreUnavailable("lost", false);
  async function rotating(transact: Table["transact"]) {
    const { keys } = await keysOf(world, systemRandom.uuid(), "user");
    const table: Table = { ...store().table, transact };
    const request = { id: keys.user.key.id, graceSeconds: 0, actor: operator };
    return { old: keys.user, rotated: rotateKey({ ...world.deps, table }, request) };
  }

  test("a record that has the new hash is done", async () => {
    const { rotated } = await rotating(async (...given) => {
      await store().table.transact(...given);
      throw lost;
    });
    expect(await works((await rotated).text)).toBe(true);
  });

  test("a rotation that did not happen is no success, and the key keeps its value", async () => {
    const { old, rotated } = await rotating(() => Promise.reject(lost));
    await expect(rotated).rejects.toBe(lost);
    expect(await works(old.text)).toBe(true);
  });
});

test("an ending succeeds although the ended keys change at every attempt: no thief can stop it", async () => {
  const { keys } = await keysOf(world, "resisting", "organization");
  const own = keys.organization;
  const table: Table = {
    ...store().table,
    transact: async (writes, options) => {
      await world.rotate(own, 60);
      await store().table.transact(writes, options);
    },
  };
  expect(await endKey({ ...world.deps, table }, own.key, { actor: operator })).toEqual([own.key.id]);
});
