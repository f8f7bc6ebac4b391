import { seatAssignmentModes } from "../../lib/contract/access.ts";
import { eventLimits } from "../../lib/contract/limits.ts";
import { poolOf } from "../../lib/contract/tenants.ts";
import {
  countAdmins,
  findOrganizationByName,
  readAllOrganizations,
  withoutAdmin,
} from "../../lib/organizations/find.ts";
import { changeApprovalDelay } from "../../lib/organizations/repository-settings.ts";
import { changeOrganizationSettings, type OrganizationSettings } from "../../lib/organizations/settings.ts";
import { poolSeats } from "../../lib/people/list-members.ts";
import { OperatorError, UsageError } from "../../lib/runtime/operator-error.ts";
import type { OrganizationItem } from "../../lib/store/items/organization.ts";
import type { Table } from "../../lib/store/table.ts";
import type { Command, CommandInput } from "../command.ts";
import { withConnection } from "../connection/open.ts";
import { listFormatOf, listOptions, showList } from "../listing.ts";
import { sayWithoutAdmin } from "../say-without-admin.ts";
import { formatRecord, type Terminal } from "../terminal.ts";

const argument = { name: "ORG", help: "an organization, by provider id if it is unique, else by UUID" };

const show: Command = {
  name: "show",
  summary: "Show one organization, or all of them",
  argument: { ...argument, required: false },
  options: listOptions,
  examples: ["org show", "org show 1001 --json", "org show --format csv"],
  run: (input, terminal) =>
    withConnection(input, async ({ table }) => {
      const name = input.argument;
      const organizations =
        name === undefined ? await readAllOrganizations(table) : [await findOrganizationByName(table, name)];
      const admins = await countAdmins(table, organizations);
      if (name === undefined) await showAll(input, terminal, { table, organizations, admins });
      else
        for (const record of await recordsOf(table, organizations, admins))
          if (listFormatOf(input) === "table") terminal.out(formatRecord(record, terminal.paint));
          else showList(input, terminal, { records: [record], document: record, none: "" });
      sayWithoutAdmin(terminal, input, withoutAdmin(organizations, admins));
    }),
};

async function showAll(
  input: CommandInput,
  terminal: Terminal,
  { table, organizations, admins }: { table: Table; organizations: Organizations; admins: Admins },
): Promise<void> {
  const none = "There are no organizations.";
  if (listFormatOf(input) === "table") {
    const records = organizations.map((each) => rowOf(each, admins));
    showList(input, terminal, { records, document: {}, none });
    return;
  }
  const records = await recordsOf(table, organizations, admins);
  showList(input, terminal, { records, document: { organizations: records }, none });
}

const set: Command = {
  name: "set",
  summary: "Change settings of an organization; after this, events no longer change them",
  argument: { ...argument, required: true },
  options: {
    "seat-assignment-mode": { value: "MODE", help: seatAssignmentModes.join(" or ") },
    "approval-delay-days": {
      value: "N",
      help: `0 to ${eventLimits.approvalDelayDaysMax}; 0: Learnings need no approval`,
    },
    repository: { value: "ID", help: "set the delay of this repository only, by provider id" },
    "inherit-approval-delay": { help: "the repository uses the delay of its organization again" },
  },
  examples: [
    "org set 1001 --seat-assignment-mode manual",
    "org set 1001 --approval-delay-days 3",
    "org set 1001 --repository 9001 --approval-delay-days 14",
  ],
  run: (input, terminal) => {
    const repository = input.text("repository");
    if (repository !== undefined) return setRepository(input, terminal, repository);
    if (input.flag("inherit-approval-delay"))
      throw new UsageError("--inherit-approval-delay works only with --repository.");
    const mode = input.choice("seat-assignment-mode", seatAssignmentModes);
    const days = input.integer("approval-delay-days", { min: 0, max: eventLimits.approvalDelayDaysMax });
    const settings: OrganizationSettings = {
      ...(mode !== undefined && { seat_assignment_mode: mode }),
      ...(days !== undefined && { approval_delay_days: days }),
    };
    if (Object.keys(settings).length === 0)
      throw new UsageError("Nothing to set: give --seat-assignment-mode or --approval-delay-days.");
    return withConnection(input, async ({ table, audited }) => {
      const found = await findOrganizationByName(table, input.requiredArgument("ORG"));
      const changed = await changeOrganizationSettings(audited, found.uuid, settings);
      const organizations = [changed ?? found];
      for (const record of await recordsOf(table, organizations, await countAdmins(table, organizations)))
        terminal.out(input.flag("json") ? JSON.stringify(record) : formatRecord(record));
    });
  },
};

function setRepository(input: CommandInput, terminal: Terminal, repositoryId: string): Promise<void> {
  const days = input.integer("approval-delay-days", { min: 0, max: eventLimits.approvalDelayDaysMax });
  const inherits = input.flag("inherit-approval-delay");
  if (input.text("seat-assignment-mode") !== undefined)
    throw new UsageError("--seat-assignment-mode is for a whole organization, without --repository.");
  if ((days === undefined) !== inherits)
    throw new UsageError("With --repository give either --approval-delay-days or --inherit-approval-delay.");
  return withConnection(input, async ({ table, audited }) => {
    const { uuid } = await findOrganizationByName(table, input.requiredArgument("ORG"));
    const changed = await changeApprovalDelay(audited, uuid, repositoryId, days ?? null);
    if (!changed) throw new OperatorError(`The organization has no repository ${repositoryId}.`);
    const { uuid: id, repository_id, full_name, approval_delay_days } = changed;
    const record = { id, repository_id, full_name, approval_delay_days };
    terminal.out(input.flag("json") ? JSON.stringify(record) : formatRecord(record));
  });
}

export const commands: readonly Command[] = [show, set];

type Organizations = readonly OrganizationItem[];
type Admins = Awaited<ReturnType<typeof countAdmins>>;

const rowOf = (organization: OrganizationItem, admins: Admins) => ({
  provider_id: organization.provider_organization_id,
  name: organization.name,
  provider: organization.provider,
  tenant: tenantOf(organization),
  plan: organization.plan,
  active: organization.active,
  admins: admins.get(organization.uuid),
  metrics: organization.metrics,
  uuid: organization.uuid,
});

/**
 * In a workspace the workspace's pool assigns the seats; seats that the organization bought itself are not used. Reads
 * each pool once, even if several organizations share it.
 */
async function recordsOf(table: Table, organizations: Organizations, admins: Admins) {
  const pools = new Map<string, ReturnType<typeof poolSeats>>();
  const records = [];
  for (const organization of organizations) {
    const pool = poolOf(organization);
    const seats = pools.get(pool) ?? poolSeats(table, pool, organization);
    pools.set(pool, seats);
    const { seatsPurchased, seatsAssigned } = await seats;
    const { workspace_id: workspace, uuid } = organization;
    records.push({
      ...recordOf(organization),
      seat_pool: workspace === null ? "organization" : `workspace ${workspace}`,
      seats_purchased: seatsPurchased,
      seats_assigned: seatsAssigned,
      admins: admins.get(uuid),
    });
  }
  return records;
}

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
