import { seatAssignmentModes } from "../../lib/contract/access.ts";
import { eventLimits } from "../../lib/contract/limits.ts";
import { changeOrganizationSettings, type OrganizationSettings } from "../../lib/organizations/settings.ts";
import type { OrganizationItem } from "../../lib/store/items/organization.ts";
import type { Command } from "../command.ts";
import { auditedDeps, withConnection } from "../connection/connection.ts";
import { findOrganization, listOrganizations } from "../connection/organizations.ts";
import { UsageFault } from "../fault.ts";
import { formatRecord, formatTable } from "../terminal.ts";

const argument = { name: "ORG", help: "an organization, by provider id where only one has it, else by UUID" };

const show: Command = {
  name: "show",
  summary: "One organization, or all of them",
  connects: true,
  argument: { ...argument, required: false },
  examples: ["org show", "org show 1001 --json"],
  run: (input, terminal) =>
    withConnection(input, async ({ table }) => {
      if (input.argument !== undefined) {
        const record = recordOf(await findOrganization(table, input.argument));
        terminal.out(input.flag("json") ? JSON.stringify(record) : formatRecord(record));
        return;
      }
      const organizations = await listOrganizations(table);
      if (input.flag("json")) terminal.out(JSON.stringify({ organizations: organizations.map(recordOf) }));
      else
        terminal.out(
          organizations.length > 0 ? formatTable(organizations.map(rowOf)) : "There are no organizations.",
        );
    }),
};

const set: Command = {
  name: "set",
  summary: "Change settings of an organization; events no longer change what was set here",
  connects: true,
  argument: { ...argument, required: true },
  options: {
    "seat-assignment-mode": { value: "MODE", help: seatAssignmentModes.join(" or ") },
    "approval-delay-days": {
      value: "N",
      help: `0 to ${eventLimits.approvalDelayDaysMax}; 0: Learnings need no approval`,
    },
  },
  examples: ["org set 1001 --seat-assignment-mode manual", "org set 1001 --approval-delay-days 3"],
  run: (input, terminal) => {
    const mode = input.choice("seat-assignment-mode", seatAssignmentModes);
    const days = input.integer("approval-delay-days", { min: 0, max: eventLimits.approvalDelayDaysMax });
    const settings: OrganizationSettings = {
      ...(mode !== undefined && { seat_assignment_mode: mode }),
      ...(days !== undefined && { approval_delay_days: days }),
    };
    if (Object.keys(settings).length === 0)
      throw new UsageFault("Nothing to set: give --seat-assignment-mode or --approval-delay-days.");
    return withConnection(input, async ({ table }) => {
      const found = await findOrganization(table, input.requiredArgument("ORG"));
      const changed = await changeOrganizationSettings(auditedDeps(table), found.uuid, settings);
      const record = recordOf(changed ?? found);
      terminal.out(input.flag("json") ? JSON.stringify(record) : formatRecord(record));
    });
  },
};

export const commands: readonly Command[] = [show, set];

const rowOf = (organization: OrganizationItem) => ({
  provider_id: organization.provider_organization_id,
  name: organization.name,
  provider: organization.provider,
  tenant: tenantOf(organization),
  plan: organization.plan,
  active: organization.active,
  metrics: organization.metrics,
  uuid: organization.uuid,
});

const recordOf = (organization: OrganizationItem) => ({
  id: organization.uuid,
  name: organization.name,
  provider: organization.provider,
  provider_organization_id: organization.provider_organization_id,
  workspace_id: organization.workspace_id,
  instance_id: organization.instance_id,
  plan: organization.plan,
  subscription_active: organization.subscription_active,
  deployment: organization.deployment,
  active: organization.active,
  metrics: organization.metrics,
  seats_purchased: organization.seats_purchased,
  seat_assignment_mode: organization.seat_assignment_mode,
  approval_delay_days: organization.approval_delay_days,
});

function tenantOf({ workspace_id, instance_id }: OrganizationItem): string {
  if (workspace_id !== null) return `workspace ${workspace_id}`;
  return instance_id === null ? "stand-alone" : `instance ${instance_id}`;
}
