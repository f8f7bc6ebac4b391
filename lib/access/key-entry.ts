import type { Actor, AuditEvent, Origin } from "../audit/entry.ts";
import type { AuditAction } from "../contract/audit.ts";
import { toTimestamp } from "../runtime/clock.ts";
import type { KeyItem } from "../store/items/key.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import { organizationKey } from "../store/layout.ts";
import type { Table, Value } from "../store/table.ts";

export type KeyAction = Extract<AuditAction, `${"key" | "token"}.${string}`>;

/** Who does something with a key; a request over HTTP tells also from where. */
export type By = { readonly actor: Actor } & Partial<Omit<Origin, "actor">>;

type KeyChange = {
  readonly by: By;
  /** Null for the tokens of a workspace. */
  readonly organization: OrganizationItem | null;
  readonly action: KeyAction;
  readonly metadata: { readonly [name: string]: Value };
};

/** The entry of something done to a key. Never its value or its hash. */
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

/** What a key may do and reach, for its entry. */
export const rightsOf = (key: KeyItem, organizations: readonly string[] | null) => ({
  role: key.role,
  expires_at: key.expires_at_ms === null ? null : toTimestamp(key.expires_at_ms),
  organizations,
});

/** What the provider calls the organizations of a key; null: all of its workspace or instance. */
export async function organizationsOf(
  table: Table,
  key: KeyItem,
  organization: OrganizationItem | null,
): Promise<string[] | null> {
  if (key.kind !== "instance") return organization && [organization.provider_organization_id];
  if (key.authorized === null) return null;
  const items = await table.getMany(key.authorized.map(organizationKey));
  return items.flatMap((item) => (item ? [parseOrganization(item).provider_organization_id] : []));
}
