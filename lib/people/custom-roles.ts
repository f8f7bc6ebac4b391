import { createHash } from "node:crypto";
import { noKeyGivenSince } from "../access/key-roles.ts";
import { type Changing, changeEntry } from "../audit/entry.ts";
import { isSystemRole, type Permission, permissions, systemRoles } from "../contract/access.ts";
import { Fault } from "../contract/fault.ts";
import { peopleLimits } from "../contract/limits.ts";
import { decideAnew } from "../store/decide.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { type PeopleItem, parsePeople, permissionBit } from "../store/items/people.ts";
import { parseRole, type RoleItem } from "../store/items/role.ts";
import { peopleKey, roleKey } from "../store/layout.ts";
import type { Change, Condition, Path, TransactionWrite, Value } from "../store/table.ts";
import { madeBy, roleMadeBefore } from "./repeated-role.ts";

export type RoleFields = {
  readonly name: string;
  readonly description: string | null;
  readonly permissions: readonly Permission[];
  readonly is_default: boolean;
};

export type CustomRole = { readonly role: RoleItem; readonly guard: PeopleItem };

/** Names are unique ignoring case; a digest fits a map's key whatever the name holds. */
const nameDigest = (name: string): string =>
  createHash("sha256").update(name.toLowerCase()).digest("base64url").slice(0, 22);

const bitsOf = (granted: readonly Permission[]): number =>
  granted.reduce((bits, permission) => bits | permissionBit(permission), 0);

export const roleNotFound = () => new Fault("ROLE_NOT_FOUND", "The organization has no role with this id.");
const nameTaken = () => new Fault("ROLE_NAME_TAKEN", "name: another role of the organization has this name.");
const systemRole = () => new Fault("SYSTEM_ROLE", "System roles cannot be changed or deleted.");

const systemNames = new Set(Object.values(systemRoles).map(({ name }) => name.toLowerCase()));

/** What a role grants; undefined when the organization has no such role. */
export function permissionsOf(guard: PeopleItem, roleId: string): Permission[] | undefined {
  if (isSystemRole(roleId)) return [...systemRoles[roleId].permissions];
  const bits = Object.hasOwn(guard.roles, roleId) ? guard.roles[roleId] : undefined;
  return bits === undefined
    ? undefined
    : permissions.filter((permission) => (bits & permissionBit(permission)) !== 0);
}

export async function createRole(
  context: Changing,
  organization: OrganizationItem,
  fields: Omit<RoleFields, "permissions"> & {
    readonly permissions: readonly Permission[] | undefined;
    readonly duplicateFrom: string | undefined;
  },
): Promise<CustomRole> {
  const id = context.chance.uuid();
  const made = madeBy(context, fields);
  const digest = nameDigest(fields.name);
  return await decideAnew(context, async () => {
    const guard = await readGuard(context, organization.uuid);
    const namesake = Object.hasOwn(guard.role_names, digest) ? guard.role_names[digest] : undefined;
    if (namesake !== undefined) {
      const before = { id: namesake, made, isDefault: fields.is_default };
      const role = await roleMadeBefore(context, organization.uuid, guard, before);
      if (role) return { role, guard };
    }
    const granted = fields.permissions ?? permissionsOf(guard, fields.duplicateFrom ?? "cr_member");
    if (!granted) throw roleNotFound();
    if (isTaken(guard, fields.name)) throw nameTaken();
    if (guard.custom >= peopleLimits.customRolesMax) {
      const most = peopleLimits.customRolesMax;
      throw new Fault(
        "ROLE_LIMIT_REACHED",
        `An organization has at most ${most} custom roles. Delete one first.`,
      );
    }
    const role = {
      ...roleKey(organization.uuid, id),
      id,
      name: fields.name,
      description: fields.description,
      ...(made && { made }),
    };
    const set: Array<readonly [Path, Value]> = [
      [["counts", id], 0],
      [["roles", id], bitsOf(granted)],
      [["role_names", digest], id],
      ...(fields.is_default ? [["default_role", id] as const] : []),
    ];
    const when: Condition = {
      all: [{ absent: ["role_names", digest] }, { below: ["custom", peopleLimits.customRolesMax] }],
    };
    await context.table.transact([
      { put: role, when: { absent: "pk" } },
      { update: peopleKey(organization.uuid), change: { set, add: [["custom", 1]] }, when },
      ...entry(context, organization, "role.created", role, { permissions: [...granted] }),
    ]);
    return { role, guard: withRole(guard, id, { permissions: granted, is_default: fields.is_default }) };
  });
}

export async function updateRole(
  context: Changing,
  organization: OrganizationItem,
  roleId: string,
  changes: { readonly [Name in keyof RoleFields]?: RoleFields[Name] | undefined },
): Promise<CustomRole> {
  if (isSystemRole(roleId)) throw systemRole();
  return await decideAnew(context, async () => {
    const { role, guard } = await readRole(context, organization.uuid, roleId);
    const renamed = changes.name !== undefined && nameDigest(changes.name) !== nameDigest(role.name);
    if (renamed && isTaken(guard, changes.name ?? "")) throw nameTaken();
    const { made: _made, ...kept } = role;
    const after: RoleItem = {
      ...kept,
      ...(changes.name !== undefined && { name: changes.name }),
      ...(changes.description !== undefined && { description: changes.description }),
    };
    const unchanged: Condition = {
      all: [{ equals: ["name", role.name] }, { equals: ["description", role.description] }],
    };
    const told = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    await context.table.transact([
      { put: after, when: unchanged },
      ...guardUpdate(organization.uuid, guard, { role, after, renamed, changes }),
      ...entry(context, organization, "role.updated", after, toMetadata(told)),
    ]);
    return { role: after, guard: withRole(guard, role.id, changes) };
  });
}

type Granting = {
  readonly permissions?: readonly Permission[] | undefined;
  readonly is_default?: boolean | undefined;
};

type RoleChange = {
  readonly role: RoleItem;
  readonly after: RoleItem;
  readonly renamed: boolean;
  readonly changes: Granting;
};

/** What the transaction made of the guard, as far as a role's record tells of it: reading it again costs a trip. */
function withRole(guard: PeopleItem, id: string, { permissions: granted, is_default }: Granting): PeopleItem {
  const kept = is_default === false && guard.default_role === id ? null : guard.default_role;
  return {
    ...guard,
    counts: { ...guard.counts, [id]: guard.counts[id] ?? 0 },
    roles: granted ? { ...guard.roles, [id]: bitsOf(granted) } : guard.roles,
    default_role: is_default === true ? id : kept,
  };
}

/** Always present, so that the role cannot be deleted between reading and writing. */
function guardUpdate(
  uuid: string,
  guard: PeopleItem,
  { role, after, renamed, changes }: RoleChange,
): TransactionWrite[] {
  const set: Array<readonly [Path, Value]> = [];
  const remove: Path[] = [];
  const conditions: Condition[] = [{ present: ["counts", role.id] }];
  if (renamed) {
    const digest = nameDigest(after.name);
    set.push([["role_names", digest], role.id]);
    remove.push(["role_names", nameDigest(role.name)]);
    conditions.push({ absent: ["role_names", digest] });
  }
  if (changes.permissions) set.push([["roles", role.id], bitsOf(changes.permissions)]);
  if (changes.is_default === true) set.push(["default_role", role.id]);
  if (changes.is_default === false && guard.default_role === role.id) {
    set.push(["default_role", null]);
    conditions.push({ equals: ["default_role", role.id] });
  }
  const when = { all: conditions };
  const change: Change = { ...(set.length > 0 && { set }), ...(remove.length > 0 && { remove }) };
  return Object.keys(change).length > 0
    ? [{ update: peopleKey(uuid), change, when }]
    : [{ check: peopleKey(uuid), when }];
}

export async function deleteRole(
  context: Changing,
  organization: OrganizationItem,
  roleId: string,
): Promise<void> {
  if (isSystemRole(roleId)) throw systemRole();
  await decideAnew(context, async () => {
    const { role, guard } = await readRole(context, organization.uuid, roleId);
    const members = guard.counts[role.id] ?? 0;
    if (members > 0) {
      throw new Fault(
        "ROLE_IN_USE",
        `The role is still given to ${members} members. Give them another role first.`,
      );
    }
    const isDefault = guard.default_role === role.id;
    await context.table.transact([
      { delete: roleKey(organization.uuid, role.id), when: { equals: ["name", role.name] } },
      {
        update: peopleKey(organization.uuid),
        change: {
          remove: [
            ["counts", role.id],
            ["roles", role.id],
            ["role_names", nameDigest(role.name)],
            ...(guard.keys_given ? [["keys_given", role.id] as const] : []),
          ],
          add: [["custom", -1]],
          ...(isDefault && { set: [["default_role", null]] }),
        },
        when: {
          all: [
            { equals: [["counts", role.id], 0] },
            noKeyGivenSince(guard, role.id),
            isDefault ? { equals: ["default_role", role.id] } : { differs: ["default_role", role.id] },
          ],
        },
      },
      ...entry(context, organization, "role.deleted", role, {}),
    ]);
  });
}

const isTaken = (guard: PeopleItem, name: string): boolean =>
  Object.hasOwn(guard.role_names, nameDigest(name)) || systemNames.has(name.toLowerCase());

async function readGuard({ table }: Pick<Changing, "table">, uuid: string): Promise<PeopleItem> {
  const item = await table.get(peopleKey(uuid));
  if (!item) throw new RangeError(`The organization ${uuid} has no people guard.`);
  return parsePeople(item);
}

async function readRole(
  { table }: Pick<Changing, "table">,
  uuid: string,
  roleId: string,
): Promise<CustomRole> {
  const [guard, role] = await table.getMany([peopleKey(uuid), roleKey(uuid, roleId)]);
  if (!role || !guard) throw roleNotFound();
  return { role: parseRole(role), guard: parsePeople(guard) };
}

const toMetadata = (told: Record<string, unknown>): { [name: string]: Value } =>
  Object.fromEntries(
    Object.entries(told).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(String) : String(value),
    ]),
  );

const entry = (
  context: Changing,
  organization: OrganizationItem,
  action: string,
  role: RoleItem,
  metadata: { readonly [name: string]: Value },
) =>
  changeEntry(context, {
    action,
    resourceType: "role",
    resourceId: role.id,
    summary: `${action.replace(".", " ")}: ${role.name}`,
    tenant: organization.tenant,
    organization: { uuid: organization.uuid, providerId: organization.provider_organization_id },
    metadata: { name: role.name, ...metadata },
  });
