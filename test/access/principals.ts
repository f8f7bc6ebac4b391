import type { UsedKey } from "../../lib/access/last-used.ts";
import type { Principal } from "../../lib/access/principal.ts";
import { type KeyKind, permissions } from "../../lib/contract/access.ts";
import type { OrganizationItem } from "../../lib/store/items/organization.ts";

/** An active enterprise organization that meets every requirement; its UUID is derived from its provider id. */
export const organizationItem = (
  providerId: string,
  change: Partial<OrganizationItem> = {},
): OrganizationItem => ({
  pk: `ORG#uuid-${providerId}`,
  sk: "ORG",
  uuid: `uuid-${providerId}`,
  provider: "github",
  instance_id: null,
  provider_organization_id: providerId,
  name: `Organization ${providerId}`,
  tenant: `o#uuid-${providerId}`,
  workspace_id: null,
  plan: "enterprise",
  subscription_active: true,
  deployment: "self_hosted",
  active: true,
  metrics: "ready",
  seats_purchased: 5,
  seat_assignment_mode: "manual",
  approval_delay_days: 0,
  version: "v",
  first_version: "v",
  ...change,
});

export const keyItem = (kind: KeyKind, change: Partial<UsedKey> = {}): UsedKey => ({
  pk: "KEY#k1",
  sk: "KEY",
  id: "k1",
  kind,
  name: "nightly",
  hash: "hash",
  organization: "uuid-1",
  tenant: "o#uuid-1",
  workspace_id: null,
  instance_id: null,
  authorized: null,
  owner: "501",
  role: "cr_admin",
  created_at: "2026-11-15T12:00:00.000Z",
  expires_at_ms: null,
  revoked_at: null,
  rotated_to: null,
  uses: {},
  ...change,
});

/** A key with the Admin role whose home is organization 1, unless it is a workspace token. */
export function principalOf(kind: KeyKind, change: Partial<Principal> = {}): Principal {
  const home = kind === "workspace" ? null : organizationItem("1");
  return {
    key: keyItem(kind),
    value: { state: "current", hash: "hash", untilMs: null },
    tenant: "o#uuid-1",
    quotaOwner: "uuid-1",
    organizations: home ? [home] : [organizationItem("1"), organizationItem("2")],
    home,
    forbiddenOrganizations: [],
    role: { id: "cr_admin", isAdmin: true, permissions: new Set(permissions) },
    userId: "501",
    userName: "ann",
    userEmail: "ann@example.com",
    ownerStillAdmin: true,
    ...change,
  };
}
