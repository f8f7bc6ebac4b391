import type * as z from "zod";
import {
  accessTypes,
  type Permission,
  permissionResources,
  permissions,
  type SystemRole,
  systemRoles,
} from "../contract/access.ts";
import * as kinds from "../contract/items.ts";
import type { permissionRecord, roleRecord } from "../contract/records-people.ts";
import { required } from "../runtime/required.ts";
import { type PeopleGuard, parsePeopleGuard } from "../store/items/people.ts";
import { parseRole, type RoleItem } from "../store/items/role.ts";
import { readFew, type Table } from "../store/table.ts";
import { permissionsOf } from "./custom-roles.ts";

type RoleRecord = z.output<typeof roleRecord>;
type PermissionRecord = z.output<typeof permissionRecord>;

export type RoleDetail = { readonly permissions: boolean; readonly userCount: boolean };

export const fullDetail: RoleDetail = { permissions: true, userCount: true };

const descriptions: Readonly<Record<SystemRole, string>> = {
  cr_admin: "Every permission, and the administration of people, roles and settings.",
  cr_member: "Reads and writes Learnings, reads organizations and roles.",
  cr_billing_admin: "Reads organizations.",
};
const systemRoleIds: readonly SystemRole[] = ["cr_admin", "cr_member", "cr_billing_admin"];

/** The items of an organization's custom roles: names and descriptions. */
export const readCustomRoles = async (table: Table, uuid: string): Promise<RoleItem[]> =>
  (await readFew(table, kinds.role, { organization: uuid })).map(parseRole);

/** All roles of an organization in one round of reads: the guard, and the custom roles' names and descriptions. */
export async function readRoles(
  table: Table,
  uuid: string,
): Promise<{ guard: PeopleGuard; custom: RoleItem[] }> {
  const [guard, roles] = await Promise.all([
    table.get(kinds.people.key({ organization: uuid })),
    readCustomRoles(table, uuid),
  ]);
  if (!guard) throw new RangeError(`The organization ${uuid} has no people guard.`);
  const known = parsePeopleGuard(guard);
  // The two are read at the same time: skip a role that was created or deleted meanwhile, because its permissions are
  // unknown.
  const custom = roles.filter(({ id }) => Object.hasOwn(known.counts, id));
  return { guard: known, custom: custom.sort((one, other) => one.name.localeCompare(other.name, "en")) };
}

export const systemRoleRecords = (guard: PeopleGuard, detail: RoleDetail): RoleRecord[] =>
  systemRoleIds.map((id) => ({
    id,
    name: systemRoles[id].name,
    description: descriptions[id],
    type: "system",
    is_default: (guard.default_role ?? "cr_member") === id,
    ...detailOf(guard, id, detail),
  }));

export const customRoleRecord = (guard: PeopleGuard, role: RoleItem, detail: RoleDetail): RoleRecord => ({
  id: role.id,
  name: role.name,
  description: role.description,
  type: "custom",
  is_default: guard.default_role === role.id,
  ...detailOf(guard, role.id, detail),
});

const detailOf = (guard: PeopleGuard, roleId: string, { permissions: isFull, userCount }: RoleDetail) => ({
  ...(isFull && { permissions: toPermissionRecords(required(permissionsOf(guard, roleId), "role")) }),
  ...(userCount && { user_count: required(guard.counts[roleId], "count of the role") }),
});

const toPermissionRecords = (granted: readonly string[]): PermissionRecord[] =>
  permissionResources.flatMap((resource_id) =>
    accessTypes
      .filter((access_type) => granted.includes(`${resource_id}:${access_type}`))
      .map((access_type) => ({ resource_id, access_type })),
  );

/**
 * Each permission once and in a fixed order, whatever the order in the request. The contract has checked that they
 * exist.
 */
export const toPermissions = (records: readonly PermissionRecord[]): Permission[] =>
  permissions.filter((permission) =>
    records.some(({ resource_id, access_type }) => permission === `${resource_id}:${access_type}`),
  );
