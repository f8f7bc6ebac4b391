import type { AuditedContext } from "../audit/entry.ts";
import * as kinds from "../contract/items.ts";
import { peopleLimits } from "../contract/limits.ts";
import { plural } from "../contract/plural.ts";
import { inChunks } from "../runtime/chunks.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { parseMember } from "../store/items/people.ts";
import { BatchOutcomes, type ItemFailure, memberNotFound } from "./batch.ts";
import { changeRoles, type RoleChange, type RoleOutcomes } from "./change-roles.ts";

type Code = (RoleOutcomes["failed"][number] | { readonly code: "ENTERPRISE_PLAN_REQUIRED" })["code"];

export type EverywhereFailure = ItemFailure<Code> & {
  readonly organizations: ReadonlyArray<{
    readonly org_id: string;
    readonly code: Code;
    readonly message: string;
  }>;
};

/**
 * Each organization changes its roles with its own transaction and entry, so the call is not atomic: a user succeeds
 * only if every organization succeeded, and changes of other organizations stay.
 */
export async function changeRolesEverywhere(
  context: AuditedContext,
  organizations: readonly OrganizationItem[],
  change: RoleChange,
): Promise<{ readonly outcomes: BatchOutcomes<Code>; readonly failed: readonly EverywhereFailure[] }> {
  const ids = [...new Set(change.userIds)];
  const results = new Map<OrganizationItem, Pick<BatchOutcomes<Code>, "failed" | "unchanged">>();
  await inChunks(organizations, peopleLimits.organizationsAtOnce, async (organization) => {
    const isChanged = organization.plan === "enterprise";
    results.set(
      organization,
      isChanged
        ? await changeRoles(context, organization, change)
        : { failed: await refuseOtherPlan(context, organization, ids), unchanged: [] },
    );
  });
  const outcomes = new BatchOutcomes<Code>(ids);
  const failed = new Map<string, EverywhereFailure>();
  for (const organization of organizations) {
    for (const { id, code, message } of results.get(organization)?.failed ?? []) {
      const place = { org_id: organization.provider_organization_id, code, message };
      const places = [...(failed.get(id)?.organizations ?? []), place];
      const summary = `Failed in ${places.length} of ${plural(organizations.length, "organization")}.`;
      outcomes.fail(id, code, summary);
      failed.set(id, { id, code, message: summary, organizations: places });
    }
  }
  const unchanged = [...results.values()].map((result) => new Set(result.unchanged));
  outcomes.keep(ids.filter((id) => unchanged.every((some) => some.has(id))));
  return { outcomes, failed: ids.flatMap((id) => failed.get(id) ?? []) };
}

/** A write does not skip anyone silently: members it cannot change because of the plan are reported as failures. */
async function refuseOtherPlan(
  { table }: AuditedContext,
  { uuid }: OrganizationItem,
  ids: readonly string[],
): Promise<Array<ItemFailure<Code>>> {
  const items = await table.getMany(ids.map((id) => kinds.member.key({ organization: uuid, userId: id })));
  return ids.map((id, index): ItemFailure<Code> => {
    const item = items[index];
    return item && parseMember(item).active
      ? { id, code: "ENTERPRISE_PLAN_REQUIRED", message: "The organization is not on the Enterprise plan." }
      : { id, code: "USER_NOT_FOUND", message: memberNotFound };
  });
}
