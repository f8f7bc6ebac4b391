import type { Actor, AuditEvent, Origin } from "../audit/entry.ts";
import type { AuditAction } from "../contract/audit.ts";
import { toTimestamp } from "../runtime/clock.ts";
import type { KeyItem } from "../store/items/key.ts";
import { type OrganizationItem, readOrganizations } from "../store/items/organization.ts";
import type { AttributeValue, Table } from "../store/table.ts";

export type KeyAction = Extract<AuditAction, `${"key" | "token"}.${string}`>;

/** Who acts on a key. A request over HTTP also gives its address and its request ids. */
export type KeyActor = { readonly actor: Actor } & Partial<Omit<Origin, "actor">>;

type KeyChange = {
  readonly by: KeyActor;
  /** Null for the tokens of a workspace. */
  readonly organization: OrganizationItem | null;
  readonly action: KeyAction;
  readonly metadata: { readonly [name: string]: AttributeValue };
};

/** The audit entry of an action on a key. It never holds the key's value or hash. */
export const keyEvent = (
  key: KeyItem,
  { by, organization, action, metadata }: KeyChange,
): AuditEvent & Origin => ({
  action,
  resourceType: key.kind === "workspace" ? "workspace_token" : "api_key",
  resourceId: key.id,
  summary: `${action.replace(".", " ")}: ${key.kind} key ${key.id}`,
  actor: by.actor,
  tenant: organization?.tenant ?? key.tenant,
  organization,
  metadata: { kind: key.kind, name: key.name, owner: key.owner, ...metadata },
  ipAddress: by.ipAddress ?? null,
  requestId: by.requestId ?? null,
  gatewayRequestId: by.gatewayRequestId ?? null,
});

/** The rights and the organizations of a key, for its audit entry. */
export const rightsOf = (key: KeyItem, organizations: readonly string[] | null) => ({
  role: key.role,
  expires_at: key.expires_at_ms === null ? null : toTimestamp(key.expires_at_ms),
  organizations,
  only: key.only ?? null,
  made_by: key.made_by ?? null,
});

/** The provider's ids of the key's organizations; null means all of its workspace or instance. */
export async function organizationsOf(
  table: Table,
  key: KeyItem,
  organization: OrganizationItem | null,
): Promise<string[] | null> {
  if (key.kind !== "instance") return organization && [organization.provider_organization_id];
  if (key.authorized === null) return null;
  const organizations = await readOrganizations(table, key.authorized);
  return organizations.map(({ provider_organization_id }) => provider_organization_id);
}
