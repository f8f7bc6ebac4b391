import type { Actor } from "../audit/entry.ts";
import { isSystemRole, type Permission, permissions, systemRoles } from "../contract/access.ts";
import type { TenantKey } from "../contract/tenants.ts";
import type { KeyItem } from "../store/items/key.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { type PeopleGuard, permissionBit } from "../store/items/people.ts";
import type { ScopeEpochs } from "../store/items/scope-epochs.ts";
import type { SentValue } from "./key-value.ts";
import type { UsedKey } from "./last-used.ts";

export type Role = {
  readonly id: string;
  readonly isAdmin: boolean;
  readonly permissions: ReadonlySet<Permission>;
};

/** The caller, as read from the table for this request. */
export type Principal = {
  readonly key: UsedKey;
  readonly value: SentValue;
  readonly tenant: TenantKey;
  /** The organization, workspace or instance whose quota the calls count against. */
  readonly quotaOwner: string;
  /** Every active organization the key can reach, in the order of their UUIDs. */
  readonly organizations: readonly OrganizationItem[];
  /** The key's own organization; an instance key's home; null for workspace tokens. */
  readonly home: OrganizationItem | null;
  /** Instance keys: organizations of the instance that exist but are outside the key's list. */
  readonly forbiddenOrganizations: readonly OrganizationItem[];
  /** Workspace tokens: UUIDs of the workspace's inactive organizations. */
  readonly inactiveOrganizations?: readonly string[];
  /** Workspace tokens and instance keys: how often the set of visible organizations has grown. */
  readonly scopeEpochs?: ScopeEpochs;
  readonly role: Role | null;
  /** The member or workspace admin behind the key, by the provider's user id. */
  readonly userId: string | null;
  /** Known for user keys, because their member is read at every use. */
  readonly userName: string | null;
  /** Of the member or workspace admin behind the key; null where the platform told none. */
  readonly userEmail: string | null;
  /** False only for a workspace token whose owner is no longer an admin. */
  readonly ownerStillAdmin: boolean;
};

/** What a role allows now. System roles are fixed; the guard defines custom roles; a deleted role allows nothing. */
export function roleOf(roleId: string, people: PeopleGuard | undefined): Role {
  if (isSystemRole(roleId)) {
    return {
      id: roleId,
      isAdmin: roleId === "cr_admin",
      permissions: new Set(systemRoles[roleId].permissions),
    };
  }
  const bits = new Map(Object.entries(people?.roles ?? {})).get(roleId) ?? 0;
  const granted = permissions.filter((permission) => (bits & permissionBit(permission)) !== 0);
  return { id: roleId, isAdmin: false, permissions: new Set(granted) };
}

export const workspaceAdmin: Role = { id: "cr_admin", isAdmin: true, permissions: new Set(permissions) };

/** The caller as the audit log names it: user keys act as their member, all other keys as the key. */
export const actorOf = ({
  key,
  value,
  userName,
  userEmail,
}: Pick<Principal, "userName" | "userEmail"> & {
  readonly key: KeyItem;
  /** Unknown where the key was refused for another reason. */
  readonly value: SentValue | undefined;
}): Actor => ({
  type: key.kind === "user" ? "user" : "key",
  id: key.owner,
  name: key.kind === "user" ? userName : key.name,
  email: userEmail,
  keyId: key.id,
  keyKind: key.kind,
  ...(value !== undefined && value.state !== "current" && { value: "old" }),
});
