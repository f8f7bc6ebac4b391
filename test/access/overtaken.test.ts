import { expect, test } from "vitest";
import { authenticate } from "../../lib/access/authenticate.ts";
import { createKey } from "../../lib/access/create-key.ts";
import { makeKey } from "../../lib/access/make-key.ts";
import { revokeKey } from "../../lib/access/revoke-key.ts";
import { rotateKey } from "../../lib/access/rotate-key.ts";
import { operator, operatorOrigin } from "../../lib/audit/entry.ts";
import * as kinds from "../../lib/contract/items.ts";
import { parseMadeKeys } from "../../lib/store/items/key.ts";
import type { Table } from "../../lib/store/table.ts";
import { overtakenBy } from "../support/overtaken.ts";
import { github } from "../support/world.ts";
import { refusal, useKeyRegistry } from "./key-registry-fixture.ts";

const { store, world, stored, auditEntriesOf } = useKeyRegistry();

const newKey = async (name: string) => {
  const organization = await world.organization(name);
  await world.member(github(name), "u1");
  return (
    await createKey(world.deps, {
      kind: "user",
      organization,
      owner: "u1",
      actor: operator,
    })
  ).key.id;
};
const deps = (table: Table) => ({ ...world.deps, table });
const overtaken = (other: () => Promise<unknown>) => overtakenBy(store().table, other);
const actionsOf = async (id: string) => (await auditEntriesOf(id)).map(({ action }) => action).toSorted();

test("of two ends of a key at once, one leaves an audit entry", async () => {
  const id = await newKey("ended-twice");
  const end = () => revokeKey(world.deps, id, operator);
  expect(await revokeKey(deps(overtaken(end)), id, operator)).toEqual([]);
  expect(await actionsOf(id)).toEqual(["key.created", "key.revoked"]);
});

test("a key that ends during its rotation gets no new value", async () => {
  const id = await newKey("ended");
  const { hash } = await stored(id);
  const end = () => revokeKey(world.deps, id, operator);
  await expect(rotateKey(deps(overtaken(end)), { id, graceSeconds: 0, actor: operator })).rejects.toThrow(
    refusal(`Key ${id} is revoked; create a new one.`),
  );
  expect(await stored(id)).toMatchObject({ hash });
  expect(await actionsOf(id)).toEqual(["key.created", "key.revoked"]);
});

test("of two rotations of a key at once, the later one's value replaces the other's", async () => {
  const id = await newKey("rotated-twice");
  const first = await stored(id);
  const rotate = (table: Table = store().table) =>
    rotateKey(deps(table), { id, graceSeconds: 60, actor: operator });
  let between: string | undefined;
  await rotate(
    overtaken(async () => {
      between = (await rotate()).key.hash;
    }),
  );
  expect(between).not.toBe(first.hash);
  expect(await stored(id)).toMatchObject({ old_hash: between });
});

async function newMaker(name: string) {
  const organization = await world.organization(name);
  await world.member(github(name), "u1", { role: "cr_admin" });
  const { table, clock } = world.deps;
  const maker = await world.key({ kind: "organization", organization, owner: "u1", role: "cr_admin" });
  const { principal } = await authenticate({ table, clock }, { text: maker.text });
  const { signal } = new AbortController();
  const make = async (by: Table = table) => {
    const context = { ...deps(by), ...operatorOrigin, principal, keyText: maker.text, signal };
    return (await makeKey(context, { name: "made" })).key.id;
  };
  const list = async () => {
    const item = await table.get(kinds.madeKeys.key({ keyId: maker.key.id }));
    return item && parseMadeKeys(item).made.map(({ id }) => id);
  };
  return { id: maker.key.id, make, list };
}

test("of two keys that a key makes at once, its list has both", async () => {
  const { make, list } = await newMaker("makes-twice");
  const ids: string[] = [];
  const late = overtaken(async () => ids.push(await make()));
  ids.push(await make(late));
  expect(await list()).toEqual(ids);
});

test("a key that is made while its maker ends, ends too", async () => {
  const { id, make } = await newMaker("ends-meanwhile");
  let made = "";
  const late = overtaken(async () => {
    made = await make();
  });
  expect(await revokeKey(deps(late), id, operator)).toEqual([id, made]);
  expect((await stored(made)).revoked_at).not.toBeNull();
});

test("a key that its maker makes while it is rotated without grace is not made", async () => {
  const { id, make, list } = await newMaker("rotates-meanwhile");
  const rotate = () => rotateKey(world.deps, { id, graceSeconds: 0, actor: operator });
  await expect(make(overtaken(rotate))).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  expect(await list()).toBeUndefined();
});

test("a made key that is removed while its maker ends leaves nothing behind", async () => {
  const { id, make } = await newMaker("made-is-gone");
  const made = kinds.apiKey.key({ keyId: await make() });
  const remove = () => store().table.write({ delete: made });
  expect(await revokeKey(deps(overtaken(remove)), id, operator)).toEqual([id]);
  expect(await store().table.get(made)).toBeUndefined();
});
