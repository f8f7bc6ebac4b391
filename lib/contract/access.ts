/** Kinds of key, roles and permissions: the words that policies are written in. */

export const keyKinds = ["organization", "user", "workspace", "instance", "legacy", "agentic"] as const;
export type KeyKind = (typeof keyKinds)[number];

export const keyStates = ["active", "expired", "revoked"] as const;
export type KeyState = (typeof keyStates)[number];

/** Why an active key is refused. Its organization is inactive too if its workspace or instance is. */
export const keyRefusals = ["owner_left", "organization_inactive", "owner_not_admin"] as const;
export type KeyRefusal = (typeof keyRefusals)[number];

export const permissionResources = [
  "learning",
  "organization_management",
  "role_management",
  "security",
] as const;
export const accessTypes = ["read", "write", "delete"] as const;

/** Every permission here is checked somewhere; there are no others. */
export const permissions = [
  "learning:read",
  "learning:write",
  "organization_management:read",
  "role_management:read",
  "security:read",
] as const;
export type Permission = (typeof permissions)[number];

/** Permissions of operations that refuse the kind of key completely; a test compares this with the operations. */
const unusablePermissions: Readonly<Partial<Record<KeyKind, readonly Permission[]>>> = {
  workspace: ["security:read"],
  legacy: ["learning:write", "organization_management:read", "role_management:read", "security:read"],
  agentic: permissions,
};

/** Whether the kind of key can call any operation that needs the permission. */
export const canUse = (kind: KeyKind, permission: Permission): boolean =>
  !unusablePermissions[kind]?.includes(permission);

export const systemRoles = {
  cr_admin: { name: "Admin", permissions },
  cr_member: {
    name: "Member",
    permissions: ["learning:read", "learning:write", "organization_management:read", "role_management:read"],
  },
  cr_billing_admin: { name: "Billing admin", permissions: ["organization_management:read"] },
} as const satisfies Record<string, { name: string; permissions: readonly Permission[] }>;
export type SystemRole = keyof typeof systemRoles;

export const isSystemRole = (role: string): role is SystemRole => Object.hasOwn(systemRoles, role);

export const providers = ["github", "gitlab", "azure_devops", "bitbucket"] as const;
export type Provider = (typeof providers)[number];
export const plans = ["free", "pro", "enterprise"] as const;
export const deployments = ["cloud", "self_hosted"] as const;
export const metricsStates = ["ready", "preparing", "unavailable"] as const;
export const seatAssignmentModes = ["automatic", "manual"] as const;
/** `private`: from an open pull request. Only `approved` ones are shared. */
export const learningStates = ["approved", "pending", "private", "disapproved"] as const;
