import type { AuditedContext } from "../audit/entry.ts";
import type { ItemErrorCode } from "../contract/errors.ts";
import * as kinds from "../contract/items.ts";
import { peopleLimits } from "../contract/limits.ts";
import { plural } from "../contract/plural.ts";
import { inChunks } from "../runtime/chunks.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { parseMember } from "../store/items/people.ts";
import type { Put } from "../store/table.ts";
import { BatchOutcomes, type ItemFailure, UnrecordedFailures } from "./batch.ts";
import {
  CarriedEntries,
  changeRoles,
  memberNotFound,
  type RoleChange,
  type RoleFailure,
  type RolesState,
  readRolesState,
  rolesChangedEntry,
} from "./change-roles.ts";

const { organizationsAtOnce } = peopleLimits;

export type EverywhereFailure = ItemFailure & {
  readonly organizations: ReadonlyArray<{
    readonly org_id: string;
    readonly code: ItemErrorCode;
    readonly message: string;
  }>;
};

/**
 * Changes each organization separately, not atomically: a user succeeds only if every organization succeeded. All
 * organizations are checked first, so that the first change can record the organizations in which nothing can be
 * changed.
 */
export async function changeRolesEverywhere(
  context: AuditedContext,
  organizations: readonly OrganizationItem[],
  change: RoleChange,
): Promise<{ readonly outcomes: BatchOutcomes; readonly failed: readonly EverywhereFailure[] }> {
  const ids = [...new Set(change.userIds)];
  const judged: CheckedChange[] = [];
  await inChunks(organizations, organizationsAtOnce, async (organization) => {
    const { state, ...known } = await checkIn(context, organization, { ...change, userIds: ids });
    judged.push({ ...known, ...(state && judged.length < statesKeptMax && { state }) });
  });
  const done = change.dryRun ? judged : await changeInAll(context, change, judged);
  return failuresOf(organizations, ids, done);
}

/**
 * The state that was read for the check is kept for this many organizations until they are changed; others are read
 * again.
 */
const statesKeptMax = organizationsAtOnce;

type Done = {
  readonly organization: OrganizationItem;
  readonly failures: readonly ItemFailure[];
  /** An audit entry of the organization records the failures. */
  readonly hasEntry: boolean;
};

/** The result that the check predicts. */
type CheckedChange = Done & {
  readonly state?: RolesState;
  /** A member has the role, but only from an event: the call decides it, so that no later event changes it. */
  readonly decidesRole?: boolean;
};

async function checkIn(
  context: AuditedContext,
  organization: OrganizationItem,
  change: RoleChange,
): Promise<CheckedChange> {
  if (organization.plan !== "enterprise") {
    const failures = await refuseOtherPlan(context, organization, change.userIds);
    return { organization, failures, hasEntry: false };
  }
  const unrecorded = new UnrecordedFailures<RoleFailure>();
  const state = await readRolesState(context, organization.uuid, change.role, change.userIds);
  const dryRunChange = { ...change, dryRun: true };
  const { failed: failures } = await changeRoles(context, organization, dryRunChange, {
    unrecorded,
    ahead: state,
  });
  const decidesRole = [...state.stored.values()]
    .map(parseMember)
    .some(({ active, role, role_decided }) => active && role === change.role && !role_decided);
  return { organization, failures, hasEntry: unrecorded.hasEntry, state, decidesRole };
}

/** If there is nothing to change in an organization, the result of its check is final. */
async function changeInAll(
  context: AuditedContext,
  change: RoleChange,
  judged: readonly CheckedChange[],
): Promise<readonly Done[]> {
  const others = judged.filter(({ hasEntry }) => !hasEntry);
  const carried = new CarriedEntries(furtherEntries(context, change, others));
  const done: Done[] = [...others];
  const changeIn = async ({ organization, state }: CheckedChange) => {
    const unrecorded = new UnrecordedFailures<RoleFailure>();
    const entryContext = carried.left.length > 0 ? { unrecorded, carried } : { unrecorded };
    const { failed: failures } = await changeRoles(context, organization, change, {
      ...entryContext,
      ahead: state,
    });
    done.push({ organization, failures, hasEntry: unrecorded.hasEntry });
  };
  let rest = judged.filter(({ hasEntry }) => hasEntry);
  // One organization after another, until the entries of the other organizations are written.
  while (carried.left.length > 0 && rest[0]) {
    await changeIn(rest[0]);
    rest = rest.slice(1);
  }
  await inChunks(rest, organizationsAtOnce, changeIn);
  await inChunks(
    others.filter(({ decidesRole }) => decidesRole),
    organizationsAtOnce,
    async ({ organization, state }) => {
      await changeRoles(context, organization, change, { ahead: state });
    },
  );
  await recordTheRest(context, change, done.slice(others.length), carried);
  return done;
}

/** Writes the entries that no change included, because another writer changed the same data meanwhile. */
async function recordTheRest(
  context: AuditedContext,
  change: RoleChange,
  changed: readonly Done[],
  carried: CarriedEntries,
): Promise<void> {
  if (!changed.some(({ hasEntry }) => hasEntry)) return;
  const unchanged = changed.filter(({ hasEntry }) => !hasEntry);
  const entries = [...carried.left, ...furtherEntries(context, change, unchanged)];
  await inChunks(entries, organizationsAtOnce, (entry) => context.table.transact(entry()));
}

/** In the order of the organizations. */
function failuresOf(
  organizations: readonly OrganizationItem[],
  ids: readonly string[],
  done: readonly Done[],
): { readonly outcomes: BatchOutcomes; readonly failed: readonly EverywhereFailure[] } {
  const outcomes = new BatchOutcomes(ids);
  const failed = new Map<string, EverywhereFailure>();
  const inOrder = organizations.flatMap(({ uuid }) =>
    done.filter(({ organization }) => organization.uuid === uuid),
  );
  for (const { organization, failures } of inOrder) {
    for (const { id, code, message } of failures) {
      const place = { org_id: organization.provider_organization_id, code, message };
      const places = [...(failed.get(id)?.organizations ?? []), place];
      const summary = `Failed in ${places.length} of ${plural(organizations.length, "organization")}.`;
      outcomes.fail(id, code, summary);
      failed.set(id, { id, code, message: summary, organizations: places });
    }
  }
  return { outcomes, failed: ids.flatMap((id) => failed.get(id) ?? []) };
}

/**
 * If the call changed something, an organization in which it could not change a member has an entry too. An
 * organization that has none of the users has no entry: the entries of the others record that these users failed.
 */
const furtherEntries = (
  context: AuditedContext,
  { role }: RoleChange,
  done: readonly Done[],
): Array<() => readonly Put[]> =>
  done
    .filter(({ failures }) => failures.some(({ code }) => code !== "USER_NOT_FOUND"))
    .map(
      ({ organization, failures }) =>
        () =>
          rolesChangedEntry(context, organization, { role, changes: [], failures }),
    );

/** A write does not skip anyone silently: members it cannot change because of the plan are reported as failures. */
async function refuseOtherPlan(
  { table }: AuditedContext,
  { uuid }: OrganizationItem,
  ids: readonly string[],
): Promise<readonly ItemFailure[]> {
  const items = await table.getMany(ids.map((id) => kinds.member.key({ organization: uuid, userId: id })));
  return ids.map((id, index): ItemFailure => {
    const item = items[index];
    return item && parseMember(item).active
      ? { id, code: "ENTERPRISE_PLAN_REQUIRED", message: "The organization is not on the Enterprise plan." }
      : { id, code: "USER_NOT_FOUND", message: memberNotFound };
  });
}
