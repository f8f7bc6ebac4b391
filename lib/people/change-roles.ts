import { type AuditedContext, auditWritesFor } from "../audit/entry.ts";
import { namedPeople, peopleMetadata } from "../audit/named.ts";
import * as kinds from "../contract/items.ts";
import { peopleLimits } from "../contract/limits.ts";
import { required } from "../runtime/required.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { type PeopleGuard, parseMember, parsePeopleGuard } from "../store/items/people.ts";
import type { Item } from "../store/table.ts";
import { type BatchFailure, type BatchOutcomes, type BatchPart, inParts, recordedFailures } from "./batch.ts";
import { roleNotFound } from "./custom-roles.ts";
import { roleWrites } from "./roles.ts";

export type RoleChange = {
  /** The id of a role that the organization has. */
  readonly role: string;
  readonly userIds: readonly string[];
  /** Reports what would happen to each member, and changes nothing. */
  readonly dryRun?: boolean;
  /** The operator's tool may change the role of a billing admin; the API may not. */
  readonly changesBillingAdmins?: boolean;
};

type RoleFailure = BatchFailure & { readonly code: Exclude<BatchFailure["code"], "NO_SEATS_AVAILABLE"> };
export type RoleOutcomes = BatchOutcomes<RoleFailure["code"]>;

/** Decides in input order. The last admin stays an admin, even if calls run at the same time. */
export async function changeRoles(
  context: AuditedContext,
  organization: OrganizationItem,
  change: RoleChange,
): Promise<RoleOutcomes> {
  const ids = [...new Set(change.userIds)];
  const read = (some: readonly string[]) => readRolesState(context, organization.uuid, change.role, some);
  return await inParts(context, ids, await read(ids), {
    ids,
    dryRun: change.dryRun ?? false,
    readAgain: read,
    decide: (rest, state) => decide(context, organization, change, decideEach(rest, state, change)),
  });
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

function decide(
  context: AuditedContext,
  organization: OrganizationItem,
  change: RoleChange,
  { changing, ...decision }: ReturnType<typeof decideEach>,
): BatchPart<RolesState, RoleFailure> {
  const members = changing.map(parseMember).filter(({ role }) => role !== change.role);
  const changes = members.map(({ user_id, email, role }) => ({
    id: user_id,
    email,
    before: role,
    after: change.role,
  }));
  const ids = changes.map(({ id }) => id);
  const writes = changing.length > 0 ? roleWrites(organization.uuid, changing, change.role) : [];
  const entryWith = (failures: readonly RoleFailure[]) =>
    auditWritesFor(context, {
      action: "roles.changed",
      resourceType: "member",
      resourceId: null,
      summary: `Role ${change.role} given to ${namedPeople(members)}`,
      tenant: organization.tenant,
      organization,
      metadata: {
        role: change.role,
        ids,
        ...peopleMetadata(members),
        changes,
        failed: recordedFailures(failures),
      },
    });
  return {
    ...decision,
    isChanged: changes.length > 0,
    writesWith: (failures) => ({ writes: [...writes, ...(failures ? entryWith(failures) : [])], owed: [] }),
  };
}

/** Decides in input order on the state that was read; the transaction's conditions fail if that state has changed. */
function decideEach(rest: readonly string[], state: RolesState, change: RoleChange) {
  const { stored, guard } = state;
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
  const after = { ...state, guard: { ...guard, counts: { ...guard.counts, cr_admin: admins } } };
  return { decided, changing, unchanged, failures, after };
}
