import { beforeAll, expect, test } from "vitest";
import { operatorOrigin } from "../../lib/audit/entry.ts";
import * as kinds from "../../lib/contract/items.ts";
import { peopleLimits } from "../../lib/contract/limits.ts";
import { changeRoles } from "../../lib/people/change-roles.ts";
import { createRole, deleteRole, updateRole } from "../../lib/people/custom-roles.ts";
import type { Table } from "../../lib/store/table.ts";
import { useStore } from "../support/engine.ts";
import { overtakenBy as overtakes } from "../support/overtaken.ts";
import { scanAll } from "../support/scan-all.ts";
import { organizationOf } from "../support/stored.ts";
import { github, World } from "../support/world.ts";

const store = useStore();
const world = new World(() => store().table);
const context = (table: Table = store().table) => ({ ...world.deps, ...operatorOrigin, table });
let organization: Awaited<ReturnType<typeof organizationOf>>;
beforeAll(async () => {
  organization = await organizationOf(store().table, await world.organization("one"));
});

async function newRole(name: string, table?: Table): Promise<string> {
  const fields = { name, description: null, is_default: false, permissions: [], duplicateFrom: undefined };
  return (await createRole(context(table), organization, fields)).role.id;
}
const change = async (id: string, changes: Parameters<typeof updateRole>[3], table?: Table) =>
  await updateRole(context(table), organization, id, changes);

const guardKey = () => kinds.people.key({ organization: organization.uuid });
const guard = () => store().table.get(guardKey());

const overtakenBy = (other: () => Promise<unknown>): Table => overtakes(store().table, other);

const changesOf = async (...ids: readonly string[]) =>
  (await scanAll(store().table))
    .filter(({ action, resource_id }) => action === "role.updated" && ids.includes(String(resource_id)))
    .map(({ metadata }) => metadata);

test.each([
  [{ permissions: [] }, { permissions: ["role_management:read"] }, { permissions: ["security:read"] }],
  [{ name: "1" }, { name: "One" }, { name: "Two" }],
  [{ description: null }, { description: "One." }, { description: "Two." }],
] as const)(
  "of two changes of a role at once, the later one's audit entry begins with the other (%j)",
  async (before, first, second) => {
    const id = await newRole("name" in before ? before.name : `For ${Object.keys(before)}`);
    await change(
      id,
      second,
      overtakenBy(() => change(id, first)),
    );
    expect(await changesOf(id)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ before, after: first }),
        expect.objectContaining({ before: first, after: second }),
      ]),
    );
  },
);

test("of two roles made the default at once, the second one's audit entry names the first", async () => {
  const [first, second] = [await newRole("First"), await newRole("Second")];
  await change(
    second,
    { is_default: true },
    overtakenBy(() => change(first, { is_default: true })),
  );
  expect(await changesOf(first, second)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: "First", lost_default: "cr_member" }),
      expect.objectContaining({ name: "Second", lost_default: first }),
    ]),
  );
});

test("a role that is renamed while it is deleted leaves no name behind", async () => {
  const id = await newRole("Old");
  const rename = () => change(id, { name: "New" });
  await deleteRole(context(overtakenBy(rename)), organization, id);
  for (const name of ["Old", "New"]) await newRole(name);
});

test("a change that names a role the default holds even if another becomes the default meanwhile", async () => {
  const [kept, other] = [await newRole("Kept"), await newRole("Other")];
  await change(kept, { is_default: true });
  await change(
    kept,
    { is_default: true, description: "Kept." },
    overtakenBy(() => change(other, { is_default: true })),
  );
  expect(await guard()).toMatchObject({ default_role: kept });
  await deleteRole(context(), organization, kept);
});

test.each(["create", "rename"])(
  "of two roles that get one name at once, only the first gets it (%s)",
  async (way) => {
    const id = await newRole(`To ${way}`);
    const name = `Taken by ${way}`;
    const table = overtakenBy(() => newRole(name));
    const late = way === "create" ? newRole(name, table) : change(id, { name }, table);
    await expect(late).rejects.toMatchObject({ code: "ROLE_NAME_TAKEN" });
  },
);

test.each(["member", "key"])("a role that a %s gets while it is deleted stays", async (holder) => {
  const id = await newRole(`For a ${holder}`);
  const give = async () => {
    const key = { kind: "organization", organization: organization.uuid, owner: "ann", role: id } as const;
    await (holder === "key"
      ? world.key(key)
      : changeRoles(context(), organization, { role: id, userIds: ["ann"] }));
  };
  await world.member(github("one"), "ann");
  await expect(deleteRole(context(overtakenBy(give)), organization, id)).rejects.toMatchObject({
    code: "ROLE_IN_USE",
  });
  expect(await guard()).toMatchObject({ counts: { [id]: holder === "member" ? 1 : 0 } });
});

test("a role that becomes the default while it is deleted leaves the system's default behind", async () => {
  const id = await newRole("Default at last");
  const make = () => change(id, { is_default: true });
  await deleteRole(context(overtakenBy(make)), organization, id);
  expect(await guard()).toMatchObject({ default_role: null });
});

test("another role that becomes the default while the old default is deleted stays the default", async () => {
  const [old, next] = [await newRole("Old default"), await newRole("Next default")];
  await change(old, { is_default: true });
  const make = () => change(next, { is_default: true });
  await deleteRole(context(overtakenBy(make)), organization, old);
  expect(await guard()).toMatchObject({ default_role: next });
});

test("of two roles created at once when one more fits, one is refused", async () => {
  const almostAll = { set: [["custom", peopleLimits.customRolesMax - 1]] } as const;
  await store().table.write({ update: guardKey(), change: almostAll });
  await expect(
    newRole(
      "Late",
      overtakenBy(() => newRole("Last")),
    ),
  ).rejects.toMatchObject({
    code: "ROLE_LIMIT_REACHED",
  });
});
