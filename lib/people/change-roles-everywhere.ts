import type { Changing } from "../audit/entry.ts";
import { counted } from "../contract/counted.ts";
import type { ItemErrorCode } from "../contract/errors.ts";
import { peopleLimits } from "../contract/limits.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { parseMember } from "../store/items/people.ts";
import { memberKey } from "../store/layout.ts";
import { chunksOf, type Failure, Outcomes } from "./batch.ts";
import { changeRoles, memberNotFound, type RoleChange } from "./change-roles.ts";

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
  for (const some of chunksOf(organizations, peopleLimits.organizationsAtOnce)) {
    // All of them end before any fault goes on: nothing is still writing when the caller hears of it.
    const changed = await Promise.allSettled(
      some.map(async (each) => ({
        org_id: each.provider_organization_id,
        failures: await changeIn(context, each, change, ids),
      })),
    );
    for (const settled of changed) {
      if (settled.status === "rejected") throw settled.reason;
      for (const { id, code, message } of settled.value.failures) {
        const place = { org_id: settled.value.org_id, code, message };
        const places = [...(failed.get(id)?.organizations ?? []), place];
        const summary = `Failed in ${places.length} of ${counted(organizations.length, "organization")}.`;
        outcomes.fail(id, code, summary);
        failed.set(id, { id, code, message: summary, organizations: places });
      }
    }
  }
  return { outcomes, failed: ids.flatMap((id) => failed.get(id) ?? []) };
}

async function changeIn(
  context: Changing,
  organization: OrganizationItem,
  change: RoleChange,
  ids: readonly string[],
): Promise<readonly Failure[]> {
  if (organization.plan !== "enterprise") return await refuseOtherPlan(context, organization, ids);
  return (await changeRoles(context, organization, change)).failed;
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
