import type * as z from "zod";
import { isSystemRole, systemRoles } from "../contract/access.ts";
import * as kinds from "../contract/items.ts";
import type { userRecord } from "../contract/records-people.ts";
import { isWorkspaceTenant, type PoolKey, poolOf } from "../contract/tenants.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { type MemberItem, parseMember, parsePerson, parsePool } from "../store/items/people.ts";
import type { RoleItem } from "../store/items/role.ts";
import { parseWorkspace } from "../store/items/tenant.ts";
import { poolGuardKey } from "../store/layout.ts";
import type { Table } from "../store/table.ts";
import { rangeAfter, walkRange } from "../store/walk.ts";
import { personKeyOf } from "./placement.ts";
import { readCustomRoles } from "./role-records.ts";

export type UserFilters = {
  readonly seat: "all" | "assigned" | "unassigned";
  readonly role: "all" | "member" | "admin";
};
export type PeoplePage<Record> = {
  readonly seatsPurchased: number;
  readonly seatsAssigned: number;
  readonly records: readonly Record[];
  /** Where the next page starts; null if there are no more records. */
  readonly next: string | null;
};

export const seatMatches = (filter: UserFilters["seat"], seated: boolean): boolean =>
  filter === "all" || (filter === "assigned") === seated;
export const roleMatches = (filter: UserFilters["role"], role: string): boolean =>
  filter === "all" || (filter === "admin") === (role === "cr_admin");

type UserRecord = z.output<typeof userRecord>;

/** One organization's active members in the order of their ids. */
export async function listMembers(
  table: Table,
  organization: OrganizationItem,
  filters: UserFilters,
  page: { readonly after: string | null; readonly limit: number },
): Promise<PeoplePage<UserRecord>> {
  const pool = poolOf(organization);
  const range = rangeAfter(kinds.member.range({ organization: organization.uuid }), page.after);
  const [seats, custom, walked] = await Promise.all([
    poolSeats(table, pool, organization),
    readCustomRoles(table, organization.uuid),
    walkRange(table, range, page.limit, async (items) => {
      const members = items
        .map(parseMember)
        .filter((member) => member.active && roleMatches(filters.role, member.role));
      const found = await withSeats(table, pool, organization.uuid, members);
      return found.filter(({ seat }) => seatMatches(filters.seat, seat));
    }),
  ]);
  const roles = new Map(custom.map((role) => [role.id, role]));
  const records = walked.found.map(({ member, seat }) => toUserRecord(member, seat, roles));
  return { ...seats, records, next: walked.next };
}

/** The pool's seats: the workspace's for organizations of a workspace, else the organization's own. */
export async function poolSeats(table: Table, pool: PoolKey, organization: OrganizationItem | undefined) {
  const workspace = isWorkspaceTenant(pool) ? kinds.tenant.key({ tenant: pool }) : undefined;
  const [guardItem, workspaceItem] = await table.getMany([
    poolGuardKey(pool),
    ...(workspace ? [workspace] : []),
  ]);
  const purchased = workspaceItem
    ? parseWorkspace(workspaceItem).seats_purchased
    : (organization?.seats_purchased ?? 0);
  const free = guardItem ? parsePool(guardItem).seats_free : purchased;
  return { seatsPurchased: purchased, seatsAssigned: purchased - free };
}

async function withSeats(table: Table, pool: PoolKey, organization: string, members: readonly MemberItem[]) {
  const held = members.map((member) => {
    return { sk: member.sk, member, person: personKeyOf(pool, organization, member) };
  });
  const people = await table.getMany(held.map(({ person }) => person));
  const seated = new Set(people.flatMap((item) => (item && parsePerson(item).seat ? [item.sk] : [])));
  return held.map(({ sk, member, person }) => ({ sk, member, seat: seated.has(person.sk) }));
}

function toUserRecord(
  member: MemberItem,
  seat_assigned: boolean,
  roles: ReadonlyMap<string, RoleItem>,
): UserRecord {
  const { user_id, username, email, role } = member;
  const system = isSystemRole(role);
  return {
    user_id,
    username,
    email,
    seat_assigned,
    role,
    role_name: system ? systemRoles[role].name : (roles.get(role)?.name ?? role),
    role_type: system ? "system" : "custom",
  };
}
