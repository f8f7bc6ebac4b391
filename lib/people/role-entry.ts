import { type AuditedContext, auditWritesFor } from "../audit/entry.ts";
import type { Permission } from "../contract/access.ts";
import type { AuditAction } from "../contract/audit.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import type { RoleItem } from "../store/items/role.ts";
import type { AttributeValue, Put } from "../store/table.ts";

/** What a caller sets of a role, and the audit log records. */
export type RoleFields = {
  readonly name: string;
  readonly description: string | null;
  readonly permissions: readonly Permission[];
  readonly is_default: boolean;
};

const fields = ["name", "description", "permissions", "is_default"] as const;

/** Only the fields that differ, before and after. Undefined if no field differs. */
export function roleChangesOf(
  before: RoleFields,
  after: RoleFields,
): { readonly before: Partial<RoleFields>; readonly after: Partial<RoleFields> } | undefined {
  const changed = fields.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (changed.length === 0) return undefined;
  const pick = (role: RoleFields) => Object.fromEntries(changed.map((name) => [name, role[name]]));
  return { before: pick(before), after: pick(after) };
}

type RecordedChange = {
  readonly before?: Partial<RoleFields>;
  readonly after?: Partial<RoleFields>;
  /** The id of the role that was the default for new members until now. */
  readonly lostDefault?: string | undefined;
};

export const roleEntry = (
  context: AuditedContext,
  organization: OrganizationItem,
  role: Pick<RoleItem, "id" | "name">,
  { action, ...change }: RecordedChange & { readonly action: Extract<AuditAction, `role.${string}`> },
): Put[] =>
  auditWritesFor(context, {
    action,
    resourceType: "role",
    resourceId: role.id,
    summary: `${action.replace(".", " ")}: ${role.name}`,
    tenant: organization.tenant,
    organization,
    metadata: { name: role.name, ...metadataOf(change) },
  });

const metadataOf = ({
  before,
  after,
  lostDefault,
}: RecordedChange): { readonly [name: string]: AttributeValue } => ({
  ...(before && { before: { ...before } }),
  ...(after && { after: { ...after } }),
  ...(lostDefault !== undefined && { lost_default: lostDefault }),
});
