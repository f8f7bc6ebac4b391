import type { SystemRole } from "../contract/access.ts";
import { organizationTenant } from "../contract/tenants.ts";
import { type PeopleGuard, parseMember } from "../store/items/people.ts";
import { unchanged } from "../store/items/unchanged.ts";
import type { Item, TransactionWrite } from "../store/table.ts";
import { guardWrites } from "./guard.ts";

/** Returns the role if the organization has it. A member without a role, or with an unknown one, gets the default. */
export function resolveRole({ counts, default_role }: PeopleGuard, role: string | null): string {
  const known = [role, default_role].find((name) => name !== null && Object.hasOwn(counts, name));
  return known ?? ("cr_member" satisfies SystemRole);
}

/**
 * A decision of the API or the operator: these active members have the role from now on, and events do not change it.
 * One transaction; it is refused if the role was deleted, a member was changed meanwhile, or no admin would be left.
 * `members` are items as read from the table, each once.
 */
export function roleWrites(organization: string, members: readonly Item[], role: string): TransactionWrite[] {
  const roles = new Map<string, number>();
  const count = (name: string, difference: number) => roles.set(name, (roles.get(name) ?? 0) + difference);
  const updates = members.map((stored) => {
    count(parseMember(stored).role, -1);
    count(role, 1);
    return {
      update: { pk: stored.pk, sk: stored.sk },
      change: { set: [["role", role] as const, ["role_decided", true] as const] },
      when: { all: [unchanged(stored, ["role"]), { equals: ["active", true] as const }] },
    };
  });
  return [...updates, ...guardWrites(organizationTenant(organization), { roles, keepsOneOf: "cr_admin" })];
}
