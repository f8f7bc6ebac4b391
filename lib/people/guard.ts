import type { SystemRole } from "../contract/access.ts";
import type { PeopleItem } from "../store/items/people.ts";
import { type PoolKey, peopleKey, poolGuardKey } from "../store/layout.ts";
import type { Change, Check, Condition, Update } from "../store/table.ts";

/** What one transaction does to a guard. Every change of people goes through here, so the numbers are exact. */
export type GuardChange = {
  /** Seats taken from the pool; negative gives them back. */
  readonly seatsTaken?: number;
  readonly seatsShort?: number;
  /** Somebody is due a seat and gets none: right only as long as no seat is left. */
  readonly leavesSomebodyShort?: boolean;
  /** Active members more or fewer, per role. */
  readonly roles?: ReadonlyMap<string, number>;
  /** A role that may lose members only while at least one keeps it (the last admin). */
  readonly keepsOneOf?: string;
};

/** The guard's update; a check where only its seats matter, nothing where nothing of it does. */
export function guardWrites(pool: PoolKey, change: GuardChange): Array<Update | Check> {
  const { seatsTaken = 0, seatsShort = 0, leavesSomebodyShort = false, keepsOneOf } = change;
  const roles = [...(change.roles ?? [])].filter(([, members]) => members !== 0);
  const add: NonNullable<Change["add"]> = [
    ...(seatsTaken === 0 ? [] : [["seats_free", -seatsTaken] as const]),
    ...(seatsShort === 0 ? [] : [["seats_short", seatsShort] as const]),
    ...roles.map(([role, members]) => [["counts", role], members] as const),
  ];
  if (add.length === 0 && !leavesSomebodyShort) return [];
  const conditions: Condition[] = [
    { present: "pk" },
    ...(seatsTaken > 0 ? [{ atLeast: ["seats_free", seatsTaken] as const }] : []),
    // Seats bought since the decision found nobody short yet: whoever stays short now would wait for ever.
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
export const newGuard = (organization: string, seatsPurchased: number): PeopleItem => ({
  ...peopleKey(organization),
  counts: { ...noMembers },
  roles: {},
  role_names: {},
  default_role: null,
  custom: 0,
  keys_given: {},
  seats_free: seatsPurchased,
  seats_short: 0,
});
