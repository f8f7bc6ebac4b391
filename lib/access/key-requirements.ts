import { isSystemRole } from "../contract/access.ts";
import * as kinds from "../contract/items.ts";
import { instanceTenant, workspaceTenant } from "../contract/tenants.ts";
import { hasList, type KeyItem, parseKey, withList } from "../store/items/key.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import { parseMember, parsePeopleGuard } from "../store/items/people.ts";
import { parseInstance, parseWorkspace, type WorkspaceItem } from "../store/items/tenant.ts";
import type { Table } from "../store/table.ts";

/** The operator's request cannot be done. The message is written for the operator. */
export class KeyRegistryError extends Error {
  override readonly name = "KeyRegistryError";
}

export const unknownKey = (id: string): string => `There is no key ${id}.`;

export async function requireKey(table: Table, id: string): Promise<KeyItem> {
  const item = await table.get(kinds.apiKey.key({ keyId: id }));
  if (!item) throw new KeyRegistryError(unknownKey(id));
  const key = parseKey(item);
  return hasList(key) ? withList(key, await table.get(kinds.keyList.key({ keyId: id }))) : key;
}

/** Refuses workspace tokens: they belong to the workspace admins, who create, list and delete them as tokens. */
export async function requireOwnKind(table: Table, id: string): Promise<KeyItem> {
  const key = await requireKey(table, id);
  if (key.kind === "workspace") {
    throw new KeyRegistryError(
      `${id} is a workspace token: let a workspace admin create or delete it with tokens.`,
    );
  }
  return key;
}

export async function findOrganization(table: Table, uuid: string): Promise<OrganizationItem | null> {
  const item = await table.get(kinds.organization.key({ organization: uuid }));
  return item ? parseOrganization(item) : null;
}

export async function requireOrganization(table: Table, uuid: string): Promise<OrganizationItem> {
  const organization = await findOrganization(table, uuid);
  if (!organization?.active) throw new KeyRegistryError(`There is no active organization ${uuid}.`);
  return organization;
}

export async function requireMember(table: Table, organization: string, userId: string): Promise<void> {
  const item = await table.get(kinds.member.key({ organization, userId }));
  if (!item || !parseMember(item).active) {
    throw new KeyRegistryError(`User ${userId} is not an active member of the organization.`);
  }
}

export async function requireRole(table: Table, organization: string, role: string): Promise<void> {
  if (!(await hasRole(table, organization, role)))
    throw new KeyRegistryError(`The organization has no role ${role}.`);
}

async function hasRole(table: Table, organization: string, role: string): Promise<boolean> {
  if (isSystemRole(role)) return true;
  const item = await table.get(kinds.people.key({ organization }));
  return item !== undefined && Object.hasOwn(parsePeopleGuard(item).roles, role);
}

export async function requireInstance(
  table: Table,
  instanceId: string,
  organization: OrganizationItem,
): Promise<void> {
  const tenant = instanceTenant(instanceId);
  if (organization.tenant !== tenant) {
    throw new KeyRegistryError(
      `Organization ${organization.provider_organization_id} is not of instance ${instanceId}.`,
    );
  }
  const item = await table.get(kinds.tenant.key({ tenant }));
  if (!item || !parseInstance(item).active)
    throw new KeyRegistryError(`There is no active instance ${instanceId}.`);
}

export async function requireWorkspaceAdmin(
  table: Table,
  workspaceId: string,
  userId: string,
): Promise<WorkspaceItem["admins"][number]> {
  const item = await table.get(kinds.tenant.key({ tenant: workspaceTenant(workspaceId) }));
  const workspace = item && parseWorkspace(item);
  if (!workspace?.active) throw new KeyRegistryError(`There is no active workspace ${workspaceId}.`);
  const admin = workspace.admins.find(({ user_id }) => user_id === userId);
  if (!admin) throw new KeyRegistryError(`User ${userId} is not an admin of workspace ${workspaceId}.`);
  return admin;
}
