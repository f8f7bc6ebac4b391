import { type AuditedContext, auditWritesFor } from "../audit/entry.ts";
import * as kinds from "../contract/items.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import { unchanged } from "../store/items/unchanged.ts";
import { retryOnConflict } from "../store/retry-on-conflict.ts";
import type { AttributeValue, ItemChange } from "../store/table.ts";

/** Settings that the API or an operator may decide for an organization; events do not change them afterwards. */
export type OrganizationSettings = {
  readonly seat_assignment_mode?: OrganizationItem["seat_assignment_mode"];
  readonly approval_delay_days?: number;
};

/** In one transaction with the audit entry. Undefined if the organization does not exist. */
export async function changeOrganizationSettings(
  context: AuditedContext,
  uuid: string,
  settings: OrganizationSettings,
): Promise<OrganizationItem | undefined> {
  return retryOnConflict(context, async () => {
    const item = await context.table.get(kinds.organization.key({ organization: uuid }));
    if (!item) return undefined;
    const before = parseOrganization(item);
    const { tenant } = before;
    const change = changeOf(settings);
    const difference = changesOf(before, settings);
    const entry = difference && {
      action: "organization.settings_changed" as const,
      resourceType: "organization" as const,
      resourceId: before.provider_organization_id,
      summary: `Settings changed: ${Object.keys(difference.after).join(", ")}`,
      tenant,
      organization: before,
      metadata: difference,
    };
    await context.table.transact([
      { update: kinds.organization.key({ organization: uuid }), change, when: unchanged(item, decidedOn) },
      {
        update: kinds.tenantOrganization.key({ tenant, organization: uuid }),
        change,
        when: { present: "pk" },
      },
      ...(entry ? auditWritesFor(context, entry) : []),
    ]);
    return { ...before, ...settings };
  });
}

/** In the audit entry: if one changed meanwhile, it would be wrong. A move removes the copy in the old tenant. */
const decidedOn = ["seat_assignment_mode", "approval_delay_days"] as const;

function changeOf({ seat_assignment_mode, approval_delay_days }: OrganizationSettings): ItemChange {
  const set: Array<readonly [string, AttributeValue]> = [];
  if (seat_assignment_mode !== undefined) {
    set.push(["seat_assignment_mode", seat_assignment_mode], ["mode_decided", true]);
  }
  if (approval_delay_days !== undefined) {
    set.push(["approval_delay_days", approval_delay_days], ["delay_decided", true]);
  }
  return { set };
}

/** Only the fields that differ, before and after. Undefined if no field differs: then only the decision is new. */
function changesOf(before: OrganizationItem, settings: OrganizationSettings) {
  const names = (["seat_assignment_mode", "approval_delay_days"] as const).filter(
    (name) => settings[name] !== undefined && settings[name] !== before[name],
  );
  if (names.length === 0) return undefined;
  const pick = (from: OrganizationItem) => Object.fromEntries(names.map((name) => [name, from[name]]));
  return { before: pick(before), after: pick({ ...before, ...settings }) };
}
