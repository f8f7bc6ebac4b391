import { type AuditedContext, auditWritesFor } from "../audit/entry.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import { unchanged } from "../store/items/unchanged.ts";
import { organizationKey, tenantOrganizationKey } from "../store/layout.ts";
import { retryOnConflict } from "../store/retry-on-conflict.ts";
import type { Change, Value } from "../store/table.ts";

/** What the API or an operator may decide about an organization; events leave it alone from then on. */
export type OrganizationSettings = {
  readonly seat_assignment_mode?: OrganizationItem["seat_assignment_mode"];
  readonly approval_delay_days?: number;
};

/** Both copies of the organization and the audit entry, in one transaction. Undefined: there is no such one. */
export async function changeOrganizationSettings(
  context: AuditedContext,
  uuid: string,
  settings: OrganizationSettings,
): Promise<OrganizationItem | undefined> {
  return retryOnConflict(context, async () => {
    const item = await context.table.get(organizationKey(uuid));
    if (!item) return undefined;
    const before = parseOrganization(item);
    const { tenant } = before;
    const change = changeOf(settings);
    const told = changesOf(before, settings);
    const entry = told && {
      action: "organization.settings_changed" as const,
      resourceType: "organization" as const,
      resourceId: before.provider_organization_id,
      summary: `Settings changed: ${Object.keys(told.after).join(", ")}`,
      tenant,
      organization: before,
      metadata: told,
    };
    await context.table.transact([
      { update: organizationKey(uuid), change, when: unchanged(item, decidedOn) },
      { update: tenantOrganizationKey(tenant, uuid), change, when: { present: "pk" } },
      ...(entry ? auditWritesFor(context, entry) : []),
    ]);
    return { ...before, ...settings };
  });
}

/** What the audit entry tells of: if it moved meanwhile, the entry would be wrong. */
const decidedOn = ["tenant", "seat_assignment_mode", "approval_delay_days"] as const;

function changeOf({ seat_assignment_mode, approval_delay_days }: OrganizationSettings): Change {
  const set: Array<readonly [string, Value]> = [];
  if (seat_assignment_mode !== undefined) {
    set.push(["seat_assignment_mode", seat_assignment_mode], ["mode_decided", true]);
  }
  if (approval_delay_days !== undefined) {
    set.push(["approval_delay_days", approval_delay_days], ["delay_decided", true]);
  }
  return { set };
}

/** Only what differs, as it was and as it is. Undefined where nothing does: then only the decision is new. */
function changesOf(before: OrganizationItem, settings: OrganizationSettings) {
  const names = (["seat_assignment_mode", "approval_delay_days"] as const).filter(
    (name) => settings[name] !== undefined && settings[name] !== before[name],
  );
  if (names.length === 0) return undefined;
  const pick = (from: OrganizationItem) => Object.fromEntries(names.map((name) => [name, from[name]]));
  return { before: pick(before), after: pick({ ...before, ...settings }) };
}
