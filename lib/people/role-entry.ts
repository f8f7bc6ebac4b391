import { type AuditedContext, auditWritesFor } from "../audit/entry.ts";
import type { AuditAction } from "../contract/audit.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import type { RoleItem } from "../store/items/role.ts";
import type { Put, Value } from "../store/table.ts";

/** What the audit log records about a role. */
export type ToldRole = {
  readonly name: string;
  readonly description: string | null;
  readonly permissions: readonly string[];
  readonly is_default: boolean;
};

const fields = ["name", "description", "permissions", "is_default"] as const;

/** Only the fields that differ, before and after. Undefined if no field differs. */
export function changesOf(
  before: ToldRole,
  after: ToldRole,
): { readonly before: Partial<ToldRole>; readonly after: Partial<ToldRole> } | undefined {
  const changed = fields.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (changed.length === 0) return undefined;
  const pick = (role: ToldRole) => Object.fromEntries(changed.map((name) => [name, role[name]]));
  return { before: pick(before), after: pick(after) };
}

type ToldChange = {
  readonly before?: Partial<ToldRole>;
  readonly after?: Partial<ToldRole>;
  /** The id of the role that was the default for new members until now. */
  readonly lostDefault?: string | undefined;
};

export const roleEntry = (
  context: AuditedContext,
  organization: OrganizationItem,
  role: Pick<RoleItem, "id" | "name">,
  { action, ...change }: ToldChange & { readonly action: Extract<AuditAction, `role.${string}`> },
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

const metadataOf = ({ before, after, lostDefault }: ToldChange): { readonly [name: string]: Value } => ({
  ...(before && { before: { ...before } }),
  ...(after && { after: { ...after } }),
  ...(lostDefault !== undefined && { lost_default: lostDefault }),
});
