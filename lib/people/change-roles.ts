import { type AuditedContext, auditWritesFor } from "../audit/entry.ts";
import { named } from "../audit/named.ts";
import type { ItemErrorCode } from "../contract/errors.ts";
import * as kinds from "../contract/items.ts";
import { peopleLimits } from "../contract/limits.ts";
import { required } from "../runtime/required.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { type PeopleGuard, parseMember, parsePeopleGuard } from "../store/items/people.ts";
import type { Item } from "../store/table.ts";
import { BatchOutcomes, type BatchPart, inParts, recordedFailures, UnrecordedFailures } from "./batch.ts";
import { roleNotFound } from "./custom-roles.ts";
import { roleWrites } from "./roles.ts";

export const memberNotFound = "There is no such active member.";

const messages = {
  USER_NOT_FOUND: memberNotFound,
  LAST_ADMIN: "An organization keeps at least one admin.",
  BILLING_ADMIN_PROTECTED: "A billing admin's role is not changed here.",
} as const satisfies Partial<Record<ItemErrorCode, string>>;

export type RoleChange = {
  /** The id of a role that the organization has. */
  readonly role: string;
  readonly userIds: readonly string[];
  /** Reports what would happen to each member, and changes nothing. */
  readonly dryRun?: boolean;
  /** The operator's tool may change the role of a billing admin; the API may not. */
  readonly changesBillingAdmins?: boolean;
};

/** Decides in input order. The last admin stays an admin, even if calls run at the same time. */
export async function changeRoles(
  context: AuditedContext,
  organization: OrganizationItem,
  change: RoleChange,
): Promise<BatchOutcomes> {
  const ids = [...new Set(change.userIds)];
  const outcomes = new BatchOutcomes(ids);
  const unrecorded = new UnrecordedFailures<RoleFailure>();
  const read = (some: readonly string[]) => readRolesState(context, organization.uuid, change.role, some);
  await inParts(context, ids, await read(ids), {
    dryRun: change.dryRun ?? false,
    readAgain: read,
    decide: (rest, state) => decide(context, organization, change, { rest, state, outcomes, unrecorded }),
  });
  return outcomes;
}

type RolesState = { readonly stored: ReadonlyMap<string, Item>; readonly guard: PeopleGuard };

async function readRolesState(
  { table }: AuditedContext,
  uuid: string,
  role: string,
  ids: readonly string[],
): Promise<RolesState> {
  const [guardItem, ...items] = await table.getMany([
    kinds.people.key({ organization: uuid }),
    ...ids.map((id) => kinds.member.key({ organization: uuid, userId: id })),
  ]);
  const guard = parsePeopleGuard(required(guardItem, "guard of the people"));
  if (!Object.hasOwn(guard.counts, role)) throw roleNotFound();
  const stored = ids.flatMap((id, index) => (items[index] ? [[id, items[index]] as const] : []));
  return { stored: new Map(stored), guard };
}

type FailureCode = keyof typeof messages;
type RoleFailure = { readonly id: string; readonly code: FailureCode };
type RoleBatch = {
  readonly rest: readonly string[];
  readonly state: RolesState;
  readonly outcomes: BatchOutcomes;
  readonly unrecorded: UnrecordedFailures<RoleFailure>;
};

function decide(
  context: AuditedContext,
  organization: OrganizationItem,
  change: RoleChange,
  { rest, state, outcomes, unrecorded }: RoleBatch,
): BatchPart<RolesState> {
  const { decided, changing, unchanged, failures, admins } = decideEach(rest, state, change);
  const changes = changing
    .map(parseMember)
    .filter(({ role }) => role !== change.role)
    .map(({ user_id, email, role }) => ({ id: user_id, email, before: role, after: change.role }));
  const failed = unrecorded.forEntry(changes.length > 0, failures);
  const entry = failed
    ? auditWritesFor(context, {
        action: "roles.changed",
        resourceType: "member",
        resourceId: null,
        summary: `Role ${change.role} given to ${named(changes.map(({ id }) => id))}`,
        tenant: organization.tenant,
        organization,
        metadata: {
          role: change.role,
          ids: changes.map(({ id }) => id),
          changes,
          failed: recordedFailures(failed),
        },
      })
    : [];
  const writes = changing.length > 0 ? roleWrites(organization.uuid, changing, change.role) : [];
  return {
    decided,
    writes: [...writes, ...entry],
    reportOutcomes: () => {
      unrecorded.written(failed !== undefined, failures);
      for (const { id, code } of failures) outcomes.fail(id, code, messages[code]);
      outcomes.keep(unchanged);
    },
    after: { ...state, guard: { ...state.guard, counts: { ...state.guard.counts, cr_admin: admins } } },
  };
}

/** Decides in input order on the state that was read; the transaction's conditions fail if that state has changed. */
function decideEach(rest: readonly string[], { stored, guard }: RolesState, change: RoleChange) {
  const { role, changesBillingAdmins = false } = change;
  let admins = required(guard.counts.cr_admin, "count of admins");
  let decided = 0;
  const changing: Item[] = [];
  const unchanged: string[] = [];
  const failures: RoleFailure[] = [];
  for (const id of rest) {
    const item = stored.get(id);
    const member = item && parseMember(item);
    if (!item || !member?.active) failures.push({ id, code: "USER_NOT_FOUND" });
    else if (member.role === "cr_billing_admin" && !changesBillingAdmins)
      failures.push({ id, code: "BILLING_ADMIN_PROTECTED" });
    else if (member.role !== role || !member.role_decided) {
      const losesAdmin = member.role === "cr_admin" && role !== "cr_admin";
      if (losesAdmin && admins <= 1) failures.push({ id, code: "LAST_ADMIN" });
      else if (changing.length === peopleLimits.changedTogetherMax) break;
      else {
        if (losesAdmin) admins--;
        if (member.role !== "cr_admin" && role === "cr_admin") admins++;
        changing.push(item);
      }
    }
    if (member?.role === role) unchanged.push(id);
    decided++;
  }
  return { decided, changing, unchanged, failures, admins };
}
