import { expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { workspaceTenant } from "../../lib/contract/tenants.ts";
import { repairTable } from "../../lib/organizations/repair.ts";
import { useStore } from "../support/engine.ts";
import { World } from "../support/world.ts";

const store = useStore();
const world = new World(() => store().table);

test("a repair keeps the row of every organization, and removes only rows in other tenants", async () => {
  const { table } = store();
  const uuids: string[] = [];
  await world.workspace("acme");
  for (const name of ["one", "two"]) uuids.push(await world.organization(name, { workspace_id: "acme" }));
  const rowOf = (workspace: string, organization: string) =>
    kinds.tenantOrganization.key({ tenant: workspaceTenant(workspace), organization });
  const keys = uuids.map((uuid) => rowOf("acme", uuid));
  const [row] = await table.getMany(keys);
  const stray = rowOf("left", uuids[0] ?? "");
  await table.write({ put: { ...row, ...stray } });

  expect(await repairTable(world.deps)).toMatchObject({ rowsRepaired: 1 });

  const kept = await table.getMany([...keys, stray]);
  expect(kept.map((item) => item?.uuid)).toEqual([...uuids, undefined]);
});
