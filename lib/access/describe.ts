import type * as z from "zod";
import { canUse } from "../contract/access.ts";
import type { organizationRecord, whoamiRecord } from "../contract/records-organizations.ts";
import { toTimestamp } from "../runtime/clock.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import type { Principal } from "./principal.ts";

/** Describes a key and its rights, without the text of the key. */
export function describePrincipal(principal: Principal): z.input<typeof whoamiRecord> {
  const { key, value, role, organizations, home, userId } = principal;
  return {
    key: {
      id: key.id,
      kind: key.kind,
      name: key.name,
      expires_at: key.expires_at_ms === null ? null : toTimestamp(key.expires_at_ms),
      value_until: value.untilMs === null ? null : toTimestamp(value.untilMs),
      only: key.only ?? null,
      made_by: key.made_by ?? null,
    },
    scope: {
      ...scopeOf(principal),
      home: key.kind === "instance" && home ? toOrganizationRecord(home) : null,
      organizations: organizations.map(describeOrganization),
    },
    user_id: userId,
    role: role?.id ?? null,
    permissions: [...(role?.permissions ?? [])].filter((permission) => canUse(key.kind, permission)),
  };
}

function scopeOf({ key, home }: Principal) {
  if (key.workspace_id !== null) return { tenant: "workspace" as const, tenant_id: key.workspace_id };
  if (key.instance_id !== null) return { tenant: "instance" as const, tenant_id: key.instance_id };
  return { tenant: "organization" as const, tenant_id: home?.provider_organization_id ?? "" };
}

export const describeOrganization = (organization: OrganizationItem) => ({
  ...toOrganizationRecord(organization),
  plan: organization.plan,
  metrics: organization.metrics,
});

export const toOrganizationRecord = (organization: OrganizationItem): z.input<typeof organizationRecord> => ({
  id: organization.uuid,
  name: organization.name,
  provider: organization.provider,
  provider_organization_id: organization.provider_organization_id,
});
