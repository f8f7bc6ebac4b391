import { expect, test } from "vitest";
import { operatorOrigin } from "../../lib/audit/entry.ts";
import * as kinds from "../../lib/contract/items.ts";
import { organizationTenant, workspaceTenant } from "../../lib/contract/tenants.ts";
import { changeApprovalDelay } from "../../lib/organizations/repository-settings.ts";
import { changeOrganizationSettings } from "../../lib/organizations/settings.ts";
import { queryAll } from "../../lib/store/table.ts";
import { TestClock } from "../support/clock.ts";
import { useStore } from "../support/engine.ts";
import { github, World } from "../support/world.ts";

const store = useStore();
const world = new World(() => store().table, new TestClock());

test("a setting changes both copies of the organization, with one audit entry for tenant and organization", async () => {
  const { table } = store();
  const tenant = workspaceTenant(await world.workspace("acme"));
  const uuid = await world.organization("1", { workspace_id: "acme", approval_delay_days: 2 });

  await changeOrganizationSettings({ ...world.deps, ...operatorOrigin }, uuid, { approval_delay_days: 7 });

  const copies = await table.getMany([
    kinds.organization.key({ organization: uuid }),
    kinds.tenantOrganization.key({ tenant, organization: uuid }),
  ]);
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

test("an unchanged setting writes no audit entry, and counts as decided from then on", async () => {
  const { table } = store();
  const uuid = await world.organization("2", { approval_delay_days: 2, seat_assignment_mode: "manual" });
  const context = { ...world.deps, ...operatorOrigin };

  await changeOrganizationSettings(context, uuid, { seat_assignment_mode: "manual" });
  expect(await table.get(kinds.organization.key({ organization: uuid }))).toMatchObject({
    mode_decided: true,
  });
  expect(await settingsEntries(uuid)).toEqual([]);

  await changeOrganizationSettings(context, uuid, { seat_assignment_mode: "manual", approval_delay_days: 5 });
  await changeOrganizationSettings(context, uuid, { approval_delay_days: 5 });
  expect(await settingsEntries(uuid)).toMatchObject([
    {
      summary: "Settings changed: approval_delay_days",
      metadata: { before: { approval_delay_days: 2 }, after: { approval_delay_days: 5 } },
    },
  ]);
});

test("an unchanged repository delay writes no audit entry", async () => {
  const uuid = await world.organization("3");
  await world.repository(github("3"), "r1", { approval_delay_days: 4 });
  const context = { ...world.deps, ...operatorOrigin };

  expect(await changeApprovalDelay(context, uuid, "r1", 4)).toMatchObject({ approval_delay_days: 4 });
  expect(await settingsEntries(uuid)).toEqual([]);
  await changeApprovalDelay(context, uuid, "r1", null);
  await changeApprovalDelay(context, uuid, "r1", null);
  expect(await settingsEntries(uuid)).toMatchObject([
    { metadata: { before: { approval_delay_days: 4 }, after: { approval_delay_days: null } } },
  ]);
});

const settingsEntries = async (uuid: string) => {
  const pk = `AUDIT#${organizationTenant(uuid)}#2026-11`;
  const entries = await Array.fromAsync(queryAll(store().table, { pk }));
  return entries.filter(({ action }) => String(action).endsWith(".settings_changed"));
};
