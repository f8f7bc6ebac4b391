import { expect } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { type PoolKey, poolOf } from "../../lib/contract/tenants.ts";
import { personKeyOf } from "../../lib/people/placement.ts";
import { parseOrganization } from "../../lib/store/items/organization.ts";
import {
  type MemberItem,
  parseMember,
  parsePeopleGuard,
  parsePerson,
  parsePool,
} from "../../lib/store/items/people.ts";
import { parseWorkspace } from "../../lib/store/items/tenant.ts";
import { personKey, poolGuardKey } from "../../lib/store/layout.ts";
import type { Item, Key } from "../../lib/store/table.ts";

/**
 * Checks what must hold in every table at rest, computed from the members alone: counts per role, memberships of each
 * person, who has a seat, how many seats are free, and that no move is in progress.
 */
export function checkPeople(items: readonly Item[]): void {
  const at = new Map(items.map((item) => [`${item.pk} ${item.sk}`, item]));
  const get = (key: Key) => at.get(`${key.pk} ${key.sk}`);
  const expectedPeople = new Map<
    string,
    Array<{ organization: string; user_id: string; seat_wanted: boolean }>
  >();
  const purchased = new Map<PoolKey, number>();
  for (const item of items.filter(({ pk, sk }) => pk.startsWith("TENANT#w#") && sk === "TENANT")) {
    purchased.set(`w#${item.pk.slice("TENANT#w#".length)}`, parseWorkspace(item).seats_purchased);
  }

  for (const item of items.filter(({ pk, sk }) => pk.startsWith("ORG#") && sk === "ORG")) {
    const organization = parseOrganization(item);
    const { uuid } = organization;
    expect(organization.leaving, "no move is under way").toBeUndefined();
    expect(
      get(kinds.tenantOrganization.key({ tenant: organization.tenant, organization: uuid })),
      "the tenant's copy",
    ).toEqual({
      ...item,
      ...kinds.tenantOrganization.key({ tenant: organization.tenant, organization: uuid }),
    });
    expect(items.filter(({ pk, sk }) => pk.startsWith("ORGS#") && sk === `ORG#${uuid}`)).toHaveLength(1);
    purchased.set(`o#${uuid}`, organization.seats_purchased);

    const members = items
      .filter(({ pk, sk }) => pk === `MEMBERS#${uuid}` && sk.startsWith("MEMBER#"))
      .map(parseMember);
    const guard = parsePeopleGuard(get({ pk: `PEOPLE#${uuid}`, sk: "PEOPLE" }) ?? { pk: "", sk: "" });
    expect(positive(guard.counts), "members per role").toEqual(
      countRoles(members.filter(({ active }) => active)),
    );
    for (const { user_id, email, active, pool, stands_alone, ...member } of members) {
      expect(pool, `the pool of ${user_id}`).toBe(active ? poolOf(organization) : null);
      if (pool === null) continue;
      const { pk, sk } = personKeyOf(pool, uuid, { user_id, email, stands_alone });
      const seat_wanted = member.seat_wanted || member.seat_earned === true;
      const membership = { organization: uuid, user_id, seat_wanted };
      expectedPeople.set(`${pk} ${sk}`, [...(expectedPeople.get(`${pk} ${sk}`) ?? []), membership]);
    }
  }

  const people = items.filter(({ sk }) => sk.startsWith("PERSON#"));
  expect(people.map(({ pk, sk }) => `${pk} ${sk}`).sort()).toEqual([...expectedPeople.keys()].sort());
  for (const [pool, seats] of purchased) {
    const guard = parsePool(get(poolGuardKey(pool)) ?? { pk: "", sk: "" });
    const { pk } = personKey(pool, { organization: "", userId: "", email: null });
    const inPool = people.filter((item) => item.pk === pk).map(parsePerson);
    for (const person of inPool) {
      const expected = expectedPeople.get(`${person.pk} ${person.sk}`) ?? [];
      expect(person.memberships).toEqual(expected.sort((a, b) => (key(a) < key(b) ? -1 : 1)));
    }
    const due = inPool.filter(
      ({ seat_decided, memberships }) => seat_decided ?? memberships.some(({ seat_wanted }) => seat_wanted),
    );
    expect(inPool.filter(({ seat }) => seat).every((person) => due.includes(person))).toBe(true);
    const seated = inPool.filter(({ seat }) => seat).length;
    expect(guard.seats_free, `free seats of ${pool}`).toBe(seats - seated);
    expect(guard.seats_short, `short of a seat in ${pool}`).toBe(due.length - seated);
    if (guard.seats_free > 0) expect(guard.seats_short, `short although ${pool} has seats`).toBe(0);
  }
}

const key = ({ organization, user_id }: { organization: string; user_id: string }) =>
  `${organization}#${user_id}`;

const positive = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).filter(([, members]) => members !== 0));

function countRoles(members: readonly MemberItem[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { role } of members) counts[role] = (counts[role] ?? 0) + 1;
  return counts;
}
