import { expect, test } from "vitest";
import { operatorOrigin } from "../../lib/audit/entry.ts";
import { changeOrganizationSettings } from "../../lib/organizations/settings.ts";
import {
  organizationKey,
  organizationTenant,
  tenantOrganizationKey,
  workspaceTenant,
} from "../../lib/store/layout.ts";
import { queryAll } from "../../lib/store/table.ts";
import { TestClock } from "../support/clock.ts";
import { useStore } from "../support/engine.ts";
import { World } from "../support/world.ts";

const store = useStore();
const world = new World(() => store().table, new TestClock());

test("a setting changes both copies of the organization and leaves one audit entry, seen by tenant and organization", async () => {
  const { table } = store();
  const tenant = workspaceTenant(await world.workspace("acme"));
  const uuid = await world.organization("1", { workspace_id: "acme", approval_delay_days: 2 });

  await changeOrganizationSettings({ ...world.deps, ...operatorOrigin }, uuid, { approval_delay_days: 7 });

  const copies = await table.getMany([organizationKey(uuid), tenantOrganizationKey(tenant, uuid)]);
  for (const copy of copies) expect(copy).toMatchObject({ approval_delay_days: 7, delay_decided: true });
  for (const copy of copies) expect(copy).not.toHaveProperty("mode_decided");
  for (const reader of [tenant, organizationTenant(uuid)]) {
    const entries = await Array.fromAsync(queryAll(table, { pk: `AUDIT#${reader}#2026-11` }));
    expect(entries).toMatchObject([
      {
        action: "organization.settings_changed",
        resource_id: "1",
        actor: { type: "system", name: "operator" },
        metadata: { before: { approval_delay_days: 2 }, after: { approval_delay_days: 7 } },
      },
    ]);
  }
});
