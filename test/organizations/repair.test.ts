import { expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { scopeLimits } from "../../lib/contract/limits.ts";
import { workspaceTenant } from "../../lib/contract/tenants.ts";
import { repairTable } from "../../lib/organizations/repair.ts";
import { parseScopeEpochs } from "../../lib/store/items/scope-epochs.ts";
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

test.each(["organization", "row", "count", "removal"] as const)(
  "after a repair new epochs are above the highest one that is left anywhere, also only in the %s",
  async (place) => {
    const { table } = store();
    const workspace = `epochs-${place}`;
    const tenant = workspaceTenant(workspace);
    await world.workspace(workspace);
    const organization = await world.organization(workspace, { workspace_id: workspace });
    const highest = 10 * scopeLimits.repairEpochsGap;
    const left = {
      uuid: organization,
      provider: "github",
      provider_organization_id: "left",
      at_ms: 0,
      ttl: 1,
    };
    const put = {
      organization: { ...kinds.organization.key({ organization }), visible_epoch: highest },
      row: { ...kinds.tenantOrganization.key({ tenant, organization }), visible_epoch: highest },
      count: { ...kinds.scopeEpochs.key({ tenant }), n: highest + 1, p: highest },
      removal: { ...kinds.organizationLeft.key({ tenant, organization }), ...left, left_epoch: highest },
    }[place];
    await table.write({ put: { ...(await table.get(put)), ...put } });

    await repairTable(world.deps);

    const { next } = parseScopeEpochs(await table.get(kinds.scopeEpochs.key({ tenant })));
    expect(next).toBeGreaterThan(highest + 1);
  },
);
