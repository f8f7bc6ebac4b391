import { expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { workspaceTenant } from "../../lib/contract/tenants.ts";
import { followMode } from "../../lib/organizations/follow-mode.ts";
import { completeMove } from "../../lib/organizations/move.ts";
import { MoveProgress, newMove } from "../../lib/organizations/move-progress.ts";
import { type AttributeValue, StoreUnavailable, type Table } from "../../lib/store/table.ts";
import { useStore } from "../support/engine.ts";
import { organizationData } from "../support/event-data.ts";
import { overtakenBy } from "../support/overtaken.ts";
import { organizationOf } from "../support/stored.ts";
import { github, World } from "../support/world.ts";

const store = useStore();
const world = new World(() => store().table);
const copiesOf = (organization: string, workspace = "to") => [
  kinds.organization.key({ organization }),
  kinds.tenantOrganization.key({ tenant: workspaceTenant(workspace), organization }),
];

/** Marks an organization of the workspace `to`, as a run that was interrupted left it. */
async function mark(uuid: string, name: string, value: AttributeValue): Promise<void> {
  for (const update of copiesOf(uuid))
    await store().table.write({ update, change: { set: [[name, value]] } });
}

test("of two runs that end a move at once, one says that it did", async () => {
  const { table } = store();
  const uuid = await world.organization("twice", { workspace_id: "to" });
  await mark(uuid, "leaving", "w#from");
  const organization = await organizationOf(table, uuid);
  const end = (by: Table) => completeMove({ ...world.deps, table: by }, organization);
  const answers: boolean[] = [];
  const late = overtakenBy(table, async () => answers.push(await end(table)));
  answers.push(await end(late));
  expect(answers).toEqual([true, false]);
});

test("a move that finds no row of the workspace makes none, and does not end", async () => {
  const { table } = store();
  const uuid = await world.organization("half restored", { workspace_id: "to" });
  await mark(uuid, "leaving", "w#from");
  const [, row] = copiesOf(uuid);
  if (row) await table.write({ delete: row });
  const organization = await organizationOf(table, uuid);
  expect(await completeMove({ ...world.deps, table }, organization)).toBe(false);
  expect(await table.getMany(copiesOf(uuid))).toMatchObject([{ leaving: "w#from" }, undefined]);
});

test.each([[undefined], ["first"]])(
  "a late run of a move ends no later move between the same two workspaces (its event: %s)",
  async (arrived) => {
    const { table } = store();
    const uuid = await world.organization(`back after ${arrived}`, { workspace_id: "to" });
    await mark(uuid, "leaving", "w#from");
    if (arrived !== undefined) await mark(uuid, "arrived", arrived);
    const organization = await organizationOf(table, uuid);
    const late = overtakenBy(table, async () => {
      await mark(uuid, "arrived", "second");
      await table.write({ put: newMove({ uuid, arrived: "second" }, 0) });
    });
    expect(await completeMove({ ...world.deps, table: late }, organization)).toBe(false);
    expect(await organizationOf(table, uuid)).toMatchObject({ leaving: "w#from" });
    expect(await table.get(kinds.moving.key({ organization: uuid }))).toMatchObject({ arrived: "second" });
  },
);

test.each([
  [undefined, undefined],
  [undefined, "second"],
  ["first", undefined],
  ["first", "second"],
])("a run of a move (its event: %s) writes only into its own note (now there: %s)", async (arrived, now) => {
  const { table } = store();
  const uuid = `noted ${arrived} ${now}`;
  const key = kinds.moving.key({ organization: uuid });
  await table.write({ put: newMove({ uuid, arrived }, 0) });
  const progress = await MoveProgress.read(table, { uuid, arrived });
  const put = now === undefined ? undefined : newMove({ uuid, arrived: now }, 0);
  await table.write(put ? { put } : { delete: key });
  await progress.finish("people");
  expect(await table.get(key)).toEqual(put);
});

/** Applies an event; the run that seats the authors of earlier pull requests is interrupted. */
async function interrupted(name: string, change: object, occurredAt?: string): Promise<void> {
  const { table } = store();
  const dying: Table = { ...table, queryPage: () => Promise.reject(new StoreUnavailable("away", true)) };
  const data = { ...github(name), name, ...organizationData, seat_assignment_mode: "automatic", ...change };
  const sent = new World(() => dying).sendEvent("organization.saved", data, occurredAt);
  await expect(sent).rejects.toThrow(StoreUnavailable);
}

async function owing(name: string) {
  const change = { workspace_id: "to", seat_assignment_mode: "automatic" };
  const uuid = await world.organization(name, change);
  await mark(uuid, "seats_behind", true);
  return await organizationOf(store().table, uuid);
}

test("seats that an even earlier event owes stay owed after the run of the event before", async () => {
  const { table } = store();
  const organization = await owing("earlier");
  const late = overtakenBy(table, () =>
    interrupted("earlier", { workspace_id: "to" }, "2001-01-01T00:00:00.000Z"),
  );
  await followMode({ ...world.deps, table: late }, organization);
  for (const copy of await table.getMany(copiesOf(organization.uuid)))
    expect(copy).toMatchObject({ seats_behind: true });
});

test("seats are no longer owed in any copy, also if the organization moves meanwhile", async () => {
  const { table } = store();
  const organization = await owing("moving");
  const late = overtakenBy(table, () => interrupted("moving", { workspace_id: "other" }));
  await followMode({ ...world.deps, table: late }, organization);
  const copies = await table.getMany(copiesOf(organization.uuid, "other"));
  for (const copy of copies) expect(copy).toMatchObject({ tenant: "w#other" });
  for (const copy of copies) expect(copy).not.toHaveProperty("seats_behind");
});
