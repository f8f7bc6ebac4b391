import { peopleLimits } from "../contract/limits.ts";
import { organizationTenant, type PoolKey } from "../contract/tenants.ts";
import { required } from "../runtime/required.ts";
import { parsePerson, parsePool } from "../store/items/people.ts";
import { poolGuardKey } from "../store/layout.ts";
import { ConditionFailed, type Key, type Table, type TransactionWrite } from "../store/table.ts";
import { type PersonChange, peopleWrites, seatsOf } from "./change.ts";
import {
  isSeatDue,
  lacksSeat,
  type Membership,
  newPerson,
  withMembership,
  withoutMembership,
} from "./person.ts";

/** Where a membership is stored: the pool that its seat comes from, and the person there. */
export type MembershipPlacement = {
  readonly pool: PoolKey;
  readonly key: Key;
  readonly email: string | null;
};

type Working = PersonChange & { readonly pool: PoolKey };

const nameOf = ({ pk, sk }: Key): string => `${pk}\u0000${sk}`;

/**
 * Working copies of the people that one decision changes: memberships leave and join, then `finish` decides who has a
 * seat and returns the writes of one transaction. If the transaction is refused, load again and decide again.
 */
export class PeopleDraft {
  readonly #people = new Map<string, Working>();
  readonly #seatsFree = new Map<PoolKey, number>();
  readonly #roles = new Map<PoolKey, Map<string, number>>();

  static async load(table: Table, placements: readonly MembershipPlacement[]): Promise<PeopleDraft> {
    const draft = new PeopleDraft();
    const pools = [...new Set(placements.map(({ pool }) => pool))];
    const items = await table.getMany([...pools.map(poolGuardKey), ...placements.map(({ key }) => key)]);
    for (const [index, pool] of pools.entries()) {
      const guard = items[index];
      // The guard is written together with the organization or the workspace, but becomes visible separately: retry
      // until it is.
      if (!guard) throw new ConditionFailed(undefined);
      draft.#seatsFree.set(pool, parsePool(guard).seats_free);
    }
    for (const [index, { pool, key, email }] of placements.entries()) {
      const stored = items[pools.length + index];
      const before = stored && parsePerson(stored);
      draft.#people.set(nameOf(key), { pool, stored, before, after: before ?? newPerson(key, email) });
    }
    return draft;
  }

  /** Returns the decision about the person's seat: the decision moves with the membership. */
  leave(
    { key }: MembershipPlacement,
    membership: Pick<Membership, "organization" | "user_id">,
  ): boolean | undefined {
    const working = this.#working(key);
    const isIn = working.after.memberships.some(
      ({ organization, user_id }) =>
        organization === membership.organization && user_id === membership.user_id,
    );
    // The person is written together with the member, but becomes visible separately: retry until it is.
    if (!isIn) throw new ConditionFailed(undefined);
    working.after = withoutMembership(working.after, membership);
    return working.after.seat_decided;
  }

  hasRoom({ key }: MembershipPlacement): boolean {
    return this.#working(key).after.memberships.length < peopleLimits.membershipsMax;
  }

  /** The memberships of all its people before the change: the size of the transaction depends on them. */
  get memberships(): number {
    const counts = [...this.#people.values()].map(({ before }) => before?.memberships.length ?? 0);
    return counts.reduce((sum, count) => sum + count, 0);
  }

  join({ key }: MembershipPlacement, membership: Membership, decided: boolean | undefined): void {
    const working = this.#working(key);
    const joined = withMembership(working.after, membership);
    const keepsOwn = joined.seat_decided !== undefined || decided === undefined;
    working.after = keepsOwn ? joined : { ...joined, seat_decided: decided };
  }

  countRole(organization: string, role: string, members: number): void {
    const pool = organizationTenant(organization);
    const roles = this.#roles.get(pool) ?? new Map<string, number>();
    this.#roles.set(pool, roles.set(role, (roles.get(role) ?? 0) + members));
  }

  finish(): { readonly writes: TransactionWrite[]; readonly madeRoom: boolean } {
    const writes: TransactionWrite[] = [];
    let madeRoom = false;
    for (const pool of new Set([...this.#seatsFree.keys(), ...this.#roles.keys()])) {
      const people = [...this.#people.values()].filter((working) => working.pool === pool);
      giveFreeSeats(people, this.#seatsFree.get(pool) ?? 0);
      madeRoom ||= seatsOf(people).seatsTaken < 0;
      writes.push(...peopleWrites(pool, people, this.#roles.get(pool)));
    }
    return { writes, madeRoom };
  }

  /** Whether the person had a seat before, and has one now. Call this after `finish`. */
  seatOf({ key }: Pick<MembershipPlacement, "key">): { readonly before: boolean; readonly after: boolean } {
    const { before, after } = this.#working(key);
    return { before: before?.seat ?? false, after: after.seat };
  }

  #working(key: Key): Working {
    return required(this.#people.get(nameOf(key)), "working copy of the person");
  }
}

/**
 * People who are due no seat give it back first; then people without a seat get one while seats are free. A seat that
 * is given back here can be taken here even if fewer seats are purchased than assigned: it is the same person's seat,
 * under another address.
 */
function giveFreeSeats(people: readonly Working[], seatsFree: number): void {
  let available = Math.max(0, seatsFree);
  for (const working of people) {
    if (working.after.seat && !isSeatDue(working.after)) {
      working.after = { ...working.after, seat: false };
      available++;
    }
  }
  for (const working of people) {
    if (available > 0 && lacksSeat(working.after)) {
      working.after = { ...working.after, seat: true };
      available--;
    }
  }
}
