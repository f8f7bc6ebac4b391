import { beforeAll, expect, test } from "vitest";
import { operatorOrigin } from "../../lib/audit/entry.ts";
import * as kinds from "../../lib/contract/items.ts";
import { instanceTenant, workspaceTenant } from "../../lib/contract/tenants.ts";
import { repairTable } from "../../lib/organizations/repair.ts";
import { changeApprovalDelay } from "../../lib/organizations/repository-settings.ts";
import { changeOrganizationSettings } from "../../lib/organizations/settings.ts";
import { DecisionsExhausted, type Table } from "../../lib/store/table.ts";
import { openStore, useStore } from "../support/engine.ts";
import { overtakenBy } from "../support/overtaken.ts";
import { scanAll } from "../support/scan-all.ts";
import { organizationOf } from "../support/stored.ts";
import { github, World } from "../support/world.ts";

const store = useStore();
const world = new World(() => store().table);
const home = github("home");
let organization: string;
beforeAll(async () => {
  organization = await world.organization("home");
});

test.each([
  [
    "an organization",
    "transact",
    (each: World, name: string) => each.organization("home", { name }),
    () => kinds.organization.key({ organization }),
  ],
  [
    "a repository",
    "write",
    (each: World, name: string) => each.repository(home, "r1", { name }),
    () => kinds.repository.key({ organization, repositoryId: "r1" }),
  ],
  [
    "a workspace",
    "transact",
    (each: World, name: string) => each.workspace("acme", { name }),
    () => kinds.tenant.key({ tenant: workspaceTenant("acme") }),
  ],
  [
    "an instance",
    "write",
    (each: World, name: string) => each.instance("forge", { name }),
    () => kinds.tenant.key({ tenant: instanceTenant("forge") }),
  ],
] as const)(
  "the newest state of %s wins, also if it is saved during an older one",
  async (_, call, save, key) => {
    await save(world, "First");
    const late = overtakenBy(store().table, () => save(world, "Newest"), call);
    await save(new World(() => late), "Older");
    expect(await store().table.get(key())).toMatchObject({ name: "Newest" });
  },
);

test.each([
  [
    "an organization",
    (approval_delay_days: number, table: Table) =>
      changeOrganizationSettings({ ...world.deps, ...operatorOrigin, table }, organization, {
        approval_delay_days,
      }),
  ],
  [
    "a repository",
    (days: number, table: Table) =>
      changeApprovalDelay({ ...world.deps, ...operatorOrigin, table }, organization, "r2", days),
  ],
])(
  "two changes of a setting of %s at once: the later audit entry begins with the other",
  async (_, change) => {
    await world.repository(home, "r2");
    const { table } = store();
    await change(1, table);
    const known = new Set((await scanAll(table)).map(({ id }) => id));
    await change(
      3,
      overtakenBy(table, () => change(2, table)),
    );
    const changes = (await scanAll(table))
      .filter(({ id, action }) => !known.has(id) && String(action).endsWith(".settings_changed"))
      .map(({ metadata }) => metadata);
    const days = (approval_delay_days: number) => ({ approval_delay_days });
    expect(changes).toHaveLength(2);
    expect(changes).toContainEqual({ before: days(1), after: days(2) });
    expect(changes).toContainEqual({ before: days(2), after: days(3) });
  },
);

test("a setting that is changed during a move comes along, and nothing stays in the workspace before", async () => {
  const { table } = store();
  for (const id of ["from", "to"]) await world.workspace(id);
  const uuid = await world.organization("mover", { workspace_id: "from" });
  const late = overtakenBy(table, () => world.organization("mover", { workspace_id: "to" }));
  await changeOrganizationSettings({ ...world.deps, ...operatorOrigin, table: late }, uuid, {
    approval_delay_days: 7,
  });
  const [before, after] = await table.getMany(
    ["from", "to"].map((id) =>
      kinds.tenantOrganization.key({ tenant: workspaceTenant(id), organization: uuid }),
    ),
  );
  expect(before).toBeUndefined();
  expect(after).toMatchObject({ approval_delay_days: 7 });
});

test("more seats for an organization whose people's guard is not restored are refused, and make none", async () => {
  const { table } = store();
  const uuid = await world.organization("half", { seats_purchased: 10 });
  const guard = kinds.people.key({ organization: uuid });
  await table.write({ delete: guard });
  await expect(world.organization("half", { seats_purchased: 12 })).rejects.toThrow(DecisionsExhausted);
  expect(await table.get(guard)).toBeUndefined();
  expect(await organizationOf(table, uuid)).toMatchObject({ seats_purchased: 10 });
});

test("a repair does not undo an event that is applied meanwhile", async () => {
  const { table } = await openStore(store().endpoint);
  const restored = new World(() => table);
  const uuid = await restored.organization("restored");
  const late = overtakenBy(table, () => restored.organization("restored", { name: "Renamed" }));
  await repairTable({ ...restored.deps, table: late });
  expect(await organizationOf(table, uuid)).toMatchObject({ name: "Renamed" });
});
