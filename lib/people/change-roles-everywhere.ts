import type { Changing } from "../audit/entry.ts";
import { counted } from "../contract/counted.ts";
import type { ItemErrorCode } from "../contract/errors.ts";
import { peopleLimits } from "../contract/limits.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { parseMember } from "../store/items/people.ts";
import { memberKey } from "../store/layout.ts";
import type { Put } from "../store/table.ts";
import { chunksOf, type Failure, Outcomes, UntoldFailures } from "./batch.ts";
import { changeRoles, memberNotFound, type RoleChange, type RoleFailure, roleEntry } from "./change-roles.ts";

export type EverywhereFailure = Failure & {
  readonly organizations: ReadonlyArray<{
    readonly org_id: string;
    readonly code: ItemErrorCode;
    readonly message: string;
  }>;
};

/** Each organization by itself and not atomic: a user succeeds only where every organization did. */
export async function changeRolesEverywhere(
  context: Changing,
  organizations: readonly OrganizationItem[],
  change: RoleChange,
): Promise<{ readonly outcomes: Outcomes; readonly failed: readonly EverywhereFailure[] }> {
  const ids = [...new Set(change.userIds)];
  const outcomes = new Outcomes(ids);
  const failed = new Map<string, EverywhereFailure>();
  const done: Done[] = [];
  for (const some of chunksOf(organizations, peopleLimits.organizationsAtOnce)) {
    // All of them end before any fault goes on: nothing is still writing when the caller hears of it.
    const changed = await Promise.allSettled(some.map((each) => changeIn(context, each, change, ids)));
    for (const settled of changed) {
      if (settled.status === "rejected") throw settled.reason;
      const { organization, failures } = settled.value;
      done.push(settled.value);
      for (const { id, code, message } of failures) {
        const place = { org_id: organization.provider_organization_id, code, message };
        const places = [...(failed.get(id)?.organizations ?? []), place];
        const summary = `Failed in ${places.length} of ${counted(organizations.length, "organization")}.`;
        outcomes.fail(id, code, summary);
        failed.set(id, { id, code, message: summary, organizations: places });
      }
    }
  }
  if (!change.dryRun) {
    for (const some of chunksOf(furtherEntries(context, change, done), peopleLimits.organizationsAtOnce))
      await Promise.all(some.map((entry) => context.table.transact(entry)));
  }
  return { outcomes, failed: ids.flatMap((id) => failed.get(id) ?? []) };
}

type Done = {
  readonly organization: OrganizationItem;
  readonly failures: readonly Failure[];
  /** An audit entry of the organization tells the failures. */
  readonly hasEntry: boolean;
};

async function changeIn(
  context: Changing,
  organization: OrganizationItem,
  change: RoleChange,
  ids: readonly string[],
): Promise<Done> {
  if (organization.plan !== "enterprise") {
    const failures = await refuseOtherPlan(context, organization, ids);
    return { organization, failures, hasEntry: false };
  }
  const untold = new UntoldFailures<RoleFailure>();
  const { failed: failures } = await changeRoles(context, organization, change, untold);
  return { organization, failures, hasEntry: untold.hasEntry };
}

/**
 * Where the call changed something, an organization in which it could not change a member has an entry too. An
 * organization that has none of the users has no entry: the others tell that they failed.
 */
function furtherEntries(context: Changing, { role }: RoleChange, done: readonly Done[]): Put[][] {
  if (!done.some(({ hasEntry }) => hasEntry)) return [];
  return done
    .filter(({ hasEntry, failures }) => !hasEntry && failures.some(({ code }) => code !== "USER_NOT_FOUND"))
    .map(({ organization, failures }) => roleEntry(context, organization, role, [], failures));
}

/** A write leaves nobody out silently: whom it cannot change because of the plan is told. */
async function refuseOtherPlan(
  { table }: Changing,
  { uuid }: OrganizationItem,
  ids: readonly string[],
): Promise<readonly Failure[]> {
  const items = await table.getMany(ids.map((id) => memberKey(uuid, id)));
  return ids.map((id, index): Failure => {
    const item = items[index];
    return item && parseMember(item).active
      ? { id, code: "ENTERPRISE_PLAN_REQUIRED", message: "The organization is not on the Enterprise plan." }
      : { id, code: "USER_NOT_FOUND", message: memberNotFound };
  });
}
