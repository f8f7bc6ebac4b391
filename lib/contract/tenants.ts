/** Ids come from Git providers and may hold any character; `#` separates the parts of our keys. */
export const escapeKeyPart = (id: string): string =>
  /[%#]/.test(id) ? id.replaceAll("%", "%25").replaceAll("#", "%23") : id;
export const unescapeKeyPart = (part: string): string => part.replaceAll("%23", "#").replaceAll("%25", "%");

/** `w#<workspace>`, `i#<instance>` or `o#<organization uuid>`: part of the partition key of every tenant-wide item. */
export type TenantKey = `${"w" | "i" | "o"}#${string}`;
export type WorkspaceTenant = `w#${string}`;
/** The pool whose seats a person uses: a workspace's (`w#…`), or one organization's own (`o#…`). */
export type PoolKey = `${"w" | "o"}#${string}`;

export const workspaceTenant = (workspaceId: string): WorkspaceTenant => `w#${escapeKeyPart(workspaceId)}`;
export const instanceTenant = (instanceId: string): TenantKey => `i#${escapeKeyPart(instanceId)}`;
export const organizationTenant = (organizationUuid: string): `o#${string}` => `o#${organizationUuid}`;

export const isTenantKey = (text: string | undefined): text is TenantKey => /^[wio]#./s.test(text ?? "");
export const isWorkspaceTenant = (tenant: TenantKey): tenant is WorkspaceTenant => tenant.startsWith("w#");
/** A stand-alone organization is its own tenant. */
export const isOrganizationTenant = (tenant: TenantKey): tenant is `o#${string}` => tenant.startsWith("o#");
export const poolOf = ({ uuid, tenant }: { readonly uuid: string; readonly tenant: TenantKey }): PoolKey =>
  isWorkspaceTenant(tenant) ? tenant : organizationTenant(uuid);
