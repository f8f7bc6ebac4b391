import type { SystemRole } from "../contract/access.ts";
import * as kinds from "../contract/items.ts";
import type { PoolKey } from "../contract/tenants.ts";
import type { PeopleGuard } from "../store/items/people.ts";
import { poolGuardKey } from "../store/layout.ts";
import type { Condition, ConditionCheck, ItemChange, Update } from "../store/table.ts";

/** What one transaction changes in a guard. Every change of people uses this, so the numbers are exact. */
export type GuardChange = {
  /** Seats taken from the pool; negative gives them back. */
  readonly seatsTaken?: number;
  readonly seatsShort?: number;
  /** A person is due a seat and gets none: allowed only while no seat is free. */
  readonly leavesSomebodyShort?: boolean;
  /** The change in the number of active members, per role. */
  readonly roles?: ReadonlyMap<string, number>;
  /** A role that may lose members only while at least one keeps it (the last admin). */
  readonly keepsOneOf?: string;
};

/** Returns the guard's update, a check if only its free seats matter, or nothing if the guard is not affected. */
export function guardWrites(pool: PoolKey, change: GuardChange): Array<Update | ConditionCheck> {
  const { seatsTaken = 0, seatsShort = 0, leavesSomebodyShort = false, keepsOneOf } = change;
  const roles = [...(change.roles ?? [])].filter(([, members]) => members !== 0);
  const add: NonNullable<ItemChange["add"]> = [
    ...(seatsTaken === 0 ? [] : [["seats_free", -seatsTaken] as const]),
    ...(seatsShort === 0 ? [] : [["seats_short", seatsShort] as const]),
    ...roles.map(([role, members]) => [["counts", role], members] as const),
  ];
  if (add.length === 0 && !leavesSomebodyShort) return [];
  const conditions: Condition[] = [
    { present: "pk" },
    ...(seatsTaken > 0 ? [{ atLeast: ["seats_free", seatsTaken] as const }] : []),
    // Seats that were purchased after the decision was made found nobody waiting yet: a person left without a seat now
    // would wait forever.
    ...(leavesSomebodyShort ? [{ atMost: ["seats_free", seatsTaken] as const }] : []),
    ...roles.map(([role, members]) =>
      role === keepsOneOf && members < 0
        ? { above: [["counts", role] as const, -members] as const }
        : { present: ["counts", role] as const },
    ),
  ];
  const when = { all: conditions };
  const key = poolGuardKey(pool);
  return add.length === 0 ? [{ check: key, when }] : [{ update: key, change: { add }, when }];
}

const noMembers: Readonly<Record<SystemRole, number>> = { cr_admin: 0, cr_member: 0, cr_billing_admin: 0 };

/** The guard of an organization that has no people yet. */
export const newGuard = (organization: string, seatsPurchased: number): PeopleGuard => ({
  ...kinds.people.key({ organization }),
  counts: { ...noMembers },
  roles: {},
  role_names: {},
  default_role: null,
  custom: 0,
  keys_given: {},
  seats_free: seatsPurchased,
  seats_short: 0,
});
