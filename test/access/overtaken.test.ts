import { expect, test } from "vitest";
import { createKey } from "../../lib/access/create-key.ts";
import { revokeKey } from "../../lib/access/revoke-key.ts";
import { rotateKey } from "../../lib/access/rotate-key.ts";
import { operator } from "../../lib/audit/entry.ts";
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
const deps = (other: () => Promise<unknown>) => ({
  ...world.deps,
  table: overtakenBy(store().table, other),
});
const actionsOf = async (id: string) => (await auditEntriesOf(id)).map(({ action }) => action).toSorted();

test("of two ends of a key at once, one leaves an audit entry", async () => {
  const id = await newKey("ended-twice");
  const end = () => revokeKey(world.deps, id, operator);
  expect(await revokeKey(deps(end), id, operator)).toEqual([]);
  expect(await actionsOf(id)).toEqual(["key.created", "key.revoked"]);
});

test("a key that ends during its rotation gets no new value", async () => {
  const id = await newKey("ended");
  const { hash } = await stored(id);
  const end = () => revokeKey(world.deps, id, operator);
  await expect(rotateKey(deps(end), { id, graceSeconds: 0, actor: operator })).rejects.toThrow(
    refusal(`Key ${id} is revoked; create a new one.`),
  );
  expect(await stored(id)).toMatchObject({ hash });
  expect(await actionsOf(id)).toEqual(["key.created", "key.revoked"]);
});

test("of two rotations of a key at once, the later one's value replaces the other's", async () => {
  const id = await newKey("rotated-twice");
  const first = await stored(id);
  const rotate = (table: Table = store().table) =>
    rotateKey({ ...world.deps, table }, { id, graceSeconds: 60, actor: operator });
  let between: string | undefined;
  await rotate(
    overtakenBy(store().table, async () => {
      between = (await rotate()).key.hash;
    }),
  );
  expect(between).not.toBe(first.hash);
  expect(await stored(id)).toMatchObject({ old_hash: between });
});
