import { mayBeHeldByKey, roleKeysUnchanged } from "../access/key-roles.ts";
import type { AuditedContext } from "../audit/entry.ts";
import {
  isSystemRole,
  type Permission,
  permissions,
  type SystemRole,
  systemRoles,
} from "../contract/access.ts";
import { ApiError } from "../contract/api-error.ts";
import * as kinds from "../contract/items.ts";
import { peopleLimits } from "../contract/limits.ts";
import { plural } from "../contract/plural.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { type PeopleGuard, parsePeopleGuard, permissionBit } from "../store/items/people.ts";
import { parseRole, type RoleItem } from "../store/items/role.ts";
import { retryOnConflict } from "../store/retry-on-conflict.ts";
import type { AttributeValue, Condition, ItemChange, Path } from "../store/table.ts";
import { findRepeatedRole, roleCreation } from "./repeated-role.ts";
import { type RoleFields, roleChangesOf, roleEntry } from "./role-entry.ts";
import { refuseHeldByKey } from "./role-holders.ts";
import { isReserved, nameDigest, roleIdWithName } from "./role-names.ts";

export type CustomRole = { readonly role: RoleItem; readonly guard: PeopleGuard };

const bitsOf = (granted: readonly Permission[]): number =>
  granted.reduce((bits, permission) => bits | permissionBit(permission), 0);

export const roleNotFound = () =>
  new ApiError("ROLE_NOT_FOUND", "The organization has no role with this id.");
const nameTaken = () =>
  new ApiError("ROLE_NAME_TAKEN", "name: another role of the organization has this name.");
const tooManyRoles = () =>
  new ApiError(
    "ROLE_LIMIT_REACHED",
    `An organization has at most ${peopleLimits.customRolesMax} custom roles. Delete one first.`,
  );
const systemRole = () => new ApiError("SYSTEM_ROLE", "System roles cannot be changed or deleted.");

/** The permissions of a role; undefined if the organization has no such role. */
export function permissionsOf(guard: PeopleGuard, roleId: string): Permission[] | undefined {
  if (isSystemRole(roleId)) return [...systemRoles[roleId].permissions];
  const bits = Object.hasOwn(guard.roles, roleId) ? guard.roles[roleId] : undefined;
  return bits === undefined
    ? undefined
    : permissions.filter((permission) => (bits & permissionBit(permission)) !== 0);
}

export async function createRole(
  context: AuditedContext,
  organization: OrganizationItem,
  fields: Omit<RoleFields, "permissions"> & {
    readonly permissions: readonly Permission[] | undefined;
    readonly duplicateFrom: string | undefined;
  },
): Promise<CustomRole> {
  const id = context.random.uuid();
  const made = roleCreation(context, fields);
  return await retryOnConflict(context, async () => {
    const guard = await readGuard(context, organization.uuid);
    const namesake = roleIdWithName(guard, fields.name);
    if (namesake !== undefined) {
      const before = { id: namesake, made, isDefault: fields.is_default };
      const role = await findRepeatedRole(context, organization.uuid, guard, before);
      if (role) return { role, guard };
    }
    const granted = fields.permissions ?? permissionsOf(guard, fields.duplicateFrom ?? "cr_member");
    if (!granted) throw roleNotFound();
    if (namesake !== undefined || isReserved(fields.name)) throw nameTaken();
    if (guard.custom >= peopleLimits.customRolesMax) throw tooManyRoles();
    const { name, description, is_default } = fields;
    const role = {
      ...kinds.role.key({ organization: organization.uuid, roleId: id }),
      id,
      name,
      description,
      ...(made && { made }),
    };
    const after = withRole(guard, id, { permissions: granted, is_default });
    // Another default role is no conflict, unless this role becomes the default.
    const changes = { permissions: granted, is_default: is_default || undefined };
    await context.table.transact([
      { put: role, when: { absent: "pk" } },
      {
        update: kinds.people.key({ organization: organization.uuid }),
        ...guardChange(guard, { after: role, changes }),
      },
      ...roleEntry(context, organization, role, {
        action: "role.created",
        after: recordOf(after, role),
        lostDefault: is_default ? defaultOf(guard) : undefined,
      }),
    ]);
    return { role, guard: after };
  });
}

export async function updateRole(
  context: AuditedContext,
  organization: OrganizationItem,
  roleId: string,
  changes: RoleChanges,
): Promise<CustomRole> {
  if (isSystemRole(roleId)) throw systemRole();
  return await retryOnConflict(context, async () => {
    const { role, guard } = await readRole(context, organization.uuid, roleId);
    const { name = role.name } = changes;
    const namesake = roleIdWithName(guard, name);
    if (namesake !== role.id && (namesake !== undefined || isReserved(name))) throw nameTaken();
    const { made: _made, ...kept } = role;
    const after: RoleItem = {
      ...kept,
      ...(changes.name !== undefined && { name: changes.name }),
      ...(changes.description !== undefined && { description: changes.description }),
    };
    const guardAfter = withRole(guard, role.id, changes);
    const difference = roleChangesOf(recordOf(guard, role), recordOf(guardAfter, after));
    if (!difference) return { role, guard };
    const unchanged: Condition = {
      all: [{ equals: ["name", role.name] }, { equals: ["description", role.description] }],
    };
    const { change, when } = guardChange(guard, { before: role, after, changes });
    // An update, or at least a check: another role may become the default between reading and writing.
    const isGuardChanged = change.set.length > 0;
    await context.table.transact([
      { put: after, when: unchanged },
      isGuardChanged
        ? { update: kinds.people.key({ organization: organization.uuid }), change, when }
        : { check: kinds.people.key({ organization: organization.uuid }), when },
      ...roleEntry(context, organization, after, {
        action: "role.updated",
        ...difference,
        lostDefault: difference.after.is_default ? defaultOf(guard) : undefined,
      }),
    ]);
    return { role: after, guard: guardAfter };
  });
}

/** The role of a new member for whom no role is given. */
const defaultOf = ({ default_role }: PeopleGuard): string =>
  default_role ?? ("cr_member" satisfies SystemRole);

const recordOf = (guard: PeopleGuard, { id, name, description }: RoleItem): RoleFields => ({
  name,
  description,
  permissions: permissionsOf(guard, id) ?? [],
  is_default: guard.default_role === id,
});

type RoleChanges = { readonly [Name in keyof RoleFields]?: RoleFields[Name] | undefined };

/** The guard after the transaction, as far as a role's record needs it: reading it again costs a round trip. */
function withRole(
  guard: PeopleGuard,
  id: string,
  { permissions: granted, is_default }: RoleChanges,
): PeopleGuard {
  const kept = is_default === false && guard.default_role === id ? null : guard.default_role;
  return {
    ...guard,
    counts: { ...guard.counts, [id]: guard.counts[id] ?? 0 },
    roles: granted ? { ...guard.roles, [id]: bitsOf(granted) } : guard.roles,
    default_role: is_default === true ? id : kept,
  };
}

/** What a new or changed role changes in the guard, if the guard is as it was read. */
function guardChange(
  guard: PeopleGuard,
  { before, after, changes }: { before?: RoleItem; after: RoleItem; changes: RoleChanges },
) {
  const { id, name } = after;
  const set: Array<readonly [Path, AttributeValue]> = before ? [] : [[["counts", id], 0]];
  const remove: Path[] = [];
  const conditions: Condition[] = [
    before ? { present: ["counts", id] } : { below: ["custom", peopleLimits.customRolesMax] },
  ];
  if (roleIdWithName(guard, name) !== id) {
    const digest = nameDigest(name);
    set.push([["role_names", digest], id]);
    if (before) remove.push(["role_names", nameDigest(before.name)]);
    conditions.push({ absent: ["role_names", digest] });
  }
  if (changes.permissions) {
    set.push([["roles", id], bitsOf(changes.permissions)]);
    // The entry records the previous permissions.
    if (before) conditions.push({ equals: [["roles", id], guard.roles[id] ?? 0] });
  }
  if (changes.is_default !== undefined) {
    const isDefault = guard.default_role === id;
    if (changes.is_default !== isDefault) set.push(["default_role", changes.is_default ? id : null]);
    // The entry records which role is no longer the default.
    conditions.push({ equals: ["default_role", guard.default_role] });
  }
  const change = { set, remove, add: before ? [] : [["custom", 1] as const] } satisfies ItemChange;
  return { change, when: { all: conditions } satisfies Condition };
}

export async function deleteRole(
  context: AuditedContext,
  organization: OrganizationItem,
  roleId: string,
): Promise<void> {
  if (isSystemRole(roleId)) throw systemRole();
  await retryOnConflict(context, async () => {
    const { role, guard } = await readRole(context, organization.uuid, roleId);
    refuseInUse(guard, role.id);
    if (mayBeHeldByKey(guard, role.id)) await refuseHeldByKey(context, organization.uuid, role.id);
    const isDefault = guard.default_role === role.id;
    await context.table.transact([
      {
        delete: kinds.role.key({ organization: organization.uuid, roleId: role.id }),
        when: { equals: ["name", role.name] },
      },
      {
        update: kinds.people.key({ organization: organization.uuid }),
        change: {
          remove: [
            ["counts", role.id],
            ["roles", role.id],
            ["role_names", nameDigest(role.name)],
            ["keys_given", role.id],
          ],
          add: [["custom", -1]],
          ...(isDefault && { set: [["default_role", null] as const] }),
        },
        when: {
          all: [
            { equals: [["counts", role.id], 0] },
            roleKeysUnchanged(guard, role.id),
            isDefault ? { equals: ["default_role", role.id] } : { differs: ["default_role", role.id] },
          ],
        },
      },
      ...roleEntry(context, organization, role, { action: "role.deleted", before: recordOf(guard, role) }),
    ]);
  });
}

function refuseInUse(guard: PeopleGuard, roleId: string): void {
  const members = guard.counts[roleId] ?? 0;
  if (members === 0) return;
  throw new ApiError(
    "ROLE_IN_USE",
    `The role is still given to ${plural(members, "member")}. Give them another role first.`,
  );
}

async function readGuard({ table }: Pick<AuditedContext, "table">, uuid: string): Promise<PeopleGuard> {
  const item = await table.get(kinds.people.key({ organization: uuid }));
  if (!item) throw new RangeError(`The organization ${uuid} has no people guard.`);
  return parsePeopleGuard(item);
}

async function readRole(
  { table }: Pick<AuditedContext, "table">,
  uuid: string,
  roleId: string,
): Promise<CustomRole> {
  const [guard, role] = await table.getMany([
    kinds.people.key({ organization: uuid }),
    kinds.role.key({ organization: uuid, roleId }),
  ]);
  if (!role || !guard) throw roleNotFound();
  return { role: parseRole(role), guard: parsePeopleGuard(guard) };
}
