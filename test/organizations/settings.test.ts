import { expect, test } from "vitest";
import { operatorOrigin } from "../../lib/audit/entry.ts";
import { organizationUuid } from "../../lib/contract/identity.ts";
import { saveOrganization } from "../../lib/organizations/save-organization.ts";
import { saveWorkspace } from "../../lib/organizations/save-workspace.ts";
import { changeOrganizationSettings } from "../../lib/organizations/settings.ts";
import { systemChance } from "../../lib/runtime/chance.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import {
  organizationKey,
  organizationTenant,
  tenantOrganizationKey,
  workspaceTenant,
} from "../../lib/store/layout.ts";
import { queryAll } from "../../lib/store/table.ts";
import { useStore } from "../support/engine.ts";

const store = useStore();
const nowMs = Date.parse("2026-11-15T12:00:00.000Z");

test("a setting changes both copies of the organization and leaves one audit entry, seen by tenant and organization", async () => {
  const { table } = store();
  const deps = {
    table,
    clock: { ...systemClock, nowMs: () => nowMs },
    chance: systemChance,
    retentionDays: 400,
    ...operatorOrigin,
  };
  const tenant = workspaceTenant("acme");
  const organization = {
    provider: "github",
    instance_id: null,
    provider_organization_id: "1",
    name: "one",
    workspace_id: "acme",
    plan: "enterprise",
    subscription_active: true,
    deployment: "cloud",
    active: true,
    metrics: "ready",
    seats_purchased: 0,
    seat_assignment_mode: "automatic",
    approval_delay_days: 2,
  } as const;
  const uuid = organizationUuid(organization);
  await saveWorkspace(
    deps,
    { id: "acme", name: "Acme", admins: [], seats_purchased: 1, active: true },
    "2026#1",
  );
  await saveOrganization(deps, organization, "2026#2");

  await changeOrganizationSettings(deps, uuid, { approval_delay_days: 7 });

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
