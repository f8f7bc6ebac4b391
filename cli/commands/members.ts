import { systemRoles } from "../../lib/contract/access.ts";
import { pageLimits, peopleLimits } from "../../lib/contract/limits.ts";
import { plural } from "../../lib/contract/plural.ts";
import { findOrganizationByName } from "../../lib/organizations/find.ts";
import { assignSeatsToMembers } from "../../lib/people/assign-seats.ts";
import type { BatchOutcomes } from "../../lib/people/batch.ts";
import { batchAnswer, byUserId, seatsLeftIn } from "../../lib/people/batch-answer.ts";
import { changeRoles } from "../../lib/people/change-roles.ts";
import { listMembers } from "../../lib/people/list-members.ts";
import { customRoleRecord, readRoles, systemRoleRecords } from "../../lib/people/role-records.ts";
import { OperatorError, UsageError } from "../../lib/runtime/operator-error.ts";
import type { OrganizationItem } from "../../lib/store/items/organization.ts";
import type { Table } from "../../lib/store/table.ts";
import type { Command, CommandInput, OptionDefinitions } from "../command.ts";
import { withConnection } from "../connection/open.ts";
import { listOptions, showList } from "../listing.ts";
import type { Terminal } from "../terminal.ts";

const organizationOption: OptionDefinitions = {
  org: { value: "ORG", help: "the organization, by provider id or UUID", required: true },
};
const seatStates = ["assigned", "unassigned"] as const;

const list: Command = {
  name: "list",
  summary: "List the active members of an organization, their roles and seats",
  options: {
    ...organizationOption,
    role: { value: "admin|member", help: "only admins, or only members who are not admins" },
    seat: { value: "STATE", help: `only those whose seat is ${seatStates.join(" or ")}` },
    ...listOptions,
  },
  examples: ["members list --org 1001", "members list --org 1001 --seat unassigned --json"],
  run: (input, terminal) => {
    const filters = {
      role: input.choice("role", ["admin", "member"]) ?? "all",
      seat: input.choice("seat", seatStates) ?? "all",
    } as const;
    return withConnection(input, async ({ table }) => {
      const organization = await findOrganizationByName(table, input.requiredText("org"));
      const { seats, members } = await everyMember(table, organization, filters);
      const document = { ...seats, members };
      const none = "There are no such members.";
      if (showList(input, terminal, { records: members, document, none }) !== "table") return;
      const whose = organization.workspace_id === null ? "" : " of the workspace";
      terminal.say(`${seats.seats_assigned} of ${plural(seats.seats_purchased, "seat")}${whose} assigned.`);
    });
  },
};

async function everyMember(
  table: Table,
  organization: OrganizationItem,
  filters: Parameters<typeof listMembers>[2],
) {
  const members = [];
  let seats = { seats_purchased: 0, seats_assigned: 0 };
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof listMembers>> = await listMembers(table, organization, filters, {
      after,
      limit: pageLimits.users.max,
    });
    members.push(...page.records);
    seats = { seats_purchased: page.seatsPurchased, seats_assigned: page.seatsAssigned };
    after = page.next;
  } while (after !== null);
  return { seats, members };
}

const users = { name: "USERS", required: true, help: "provider user ids, separated by commas" };

const dryRunOption: OptionDefinitions = { "dry-run": { help: "only say what would happen" } };

const setRole: Command = {
  name: "set-role",
  summary: "Give members a system role or a custom role; after this, events no longer change it",
  argument: users,
  options: {
    ...organizationOption,
    role: {
      value: "ROLE",
      help: `${Object.keys(systemRoles).join(", ")}, or a custom role's id or name`,
      required: true,
    },
    ...dryRunOption,
  },
  examples: [
    "members set-role 502 --org 1001 --role cr_admin",
    'members set-role 502,503 --org 1001 --role "Security reviewer"',
  ],
  run: (input, terminal) => {
    const userIds = usersOf(input);
    return withConnection(input, async ({ table, audited }) => {
      const organization = await findOrganizationByName(table, input.requiredText("org"));
      const role = await findRole(table, organization, input.requiredText("role"));
      const outcomes = await changeRoles(audited, organization, {
        role: role.id,
        userIds,
        changesBillingAdmins: true,
        dryRun: input.flag("dry-run"),
      });
      showOutcomes(input, terminal, outcomes, (count) => `Gave ${role.name} to ${plural(count, "member")}.`);
    });
  },
};

const setSeat: Command = {
  name: "set-seat",
  summary: "Assign seats to members or take them away; after this, events no longer change them",
  argument: users,
  options: {
    ...organizationOption,
    seat: { value: "STATE", help: seatStates.join(" or "), required: true },
    ...dryRunOption,
  },
  examples: [
    "members set-seat 502 --org 1001 --seat assigned",
    "members set-seat 502,503 --org 1001 --seat unassigned",
  ],
  run: (input, terminal) => {
    const userIds = usersOf(input);
    const action = input.choice("seat", seatStates) === "assigned" ? "assign" : "unassign";
    return withConnection(input, async ({ table, audited }) => {
      const organization = await findOrganizationByName(table, input.requiredText("org"));
      const dryRun = input.flag("dry-run");
      const outcomes = await assignSeatsToMembers(audited, organization, { action, userIds, dryRun });
      const verb = action === "assign" ? "Assigned" : "Unassigned";
      showOutcomes(input, terminal, outcomes, (count) => `${verb} ${plural(count, "seat")}.`);
    });
  },
};

export const commands: readonly Command[] = [list, setRole, setSeat];

function usersOf(input: CommandInput): readonly string[] {
  const ids = input
    .requiredArgument(users.name)
    .split(",")
    .map((id) => id.trim());
  if (ids.some((id) => id === ""))
    throw new UsageError("USERS takes ids separated by commas, none of them empty.");
  if (ids.length > peopleLimits.batchUsersMax)
    throw new UsageError(`USERS takes at most ${peopleLimits.batchUsersMax} ids at once.`);
  return ids;
}

/** By id, or by name ignoring case; both are unique within an organization. */
async function findRole(
  table: Table,
  { uuid }: OrganizationItem,
  wanted: string,
): Promise<{ readonly id: string; readonly name: string }> {
  const { guard, custom } = await readRoles(table, uuid);
  const brief = { permissions: false, userCount: false };
  const roles = [
    ...systemRoleRecords(guard, brief),
    ...custom.map((role) => customRoleRecord(guard, role, brief)),
  ];
  const found = roles.find(({ id, name }) => id === wanted || name.toLowerCase() === wanted.toLowerCase());
  if (found) return found;
  const choices = roles.map(({ id, name, type }) => (type === "system" ? id : name));
  throw new OperatorError(`The organization has no role ${wanted}; it has ${choices.join(", ")}.`);
}

/** Shows what was done even if a part failed; then the exit code is 1. */
function showOutcomes(
  input: CommandInput,
  terminal: Terminal,
  outcomes: BatchOutcomes,
  describe: (count: number) => string,
): void {
  const { succeeded, failed, unchanged, seatsLeft } = outcomes;
  const dryRun = input.flag("dry-run");
  if (input.flag("json")) {
    const answer = batchAnswer({ outcomes, failed, dryRun }, byUserId);
    terminal.out(JSON.stringify({ ...answer, ...seatsLeftIn(outcomes, dryRun) }));
  } else if (dryRun) {
    const changed = succeeded.filter((id) => !unchanged.includes(id));
    terminal.say(`Nothing was changed. Would change: ${changed.join(", ") || "nobody"}.`);
    if (unchanged.length > 0) terminal.say(`Have it already: ${unchanged.join(", ")}.`);
    if (seatsLeft !== undefined) terminal.say(`Seats left after it: ${seatsLeft}.`);
  } else if (succeeded.length > 0) terminal.say(describe(succeeded.length));
  if (failed.length > 0)
    throw new OperatorError(failed.map(({ id, message }) => `User ${id}: ${message}`).join("\n"));
}
