import { isWorkspaceTenant, type PoolKey } from "../contract/tenants.ts";
import type { MemberItem } from "../store/items/people.ts";
import { personKey } from "../store/layout.ts";
import type { Key } from "../store/table.ts";
import type { MembershipPlacement, PeopleDraft } from "./draft.ts";

type MemberIdentity = Pick<MemberItem, "user_id" | "email" | "stands_alone">;

/** The key of the person who holds the member's seat. */
export const personKeyOf = (
  pool: PoolKey,
  organization: string,
  { user_id: userId, email, stands_alone }: MemberIdentity,
): Key => personKey(pool, { organization, userId, email: stands_alone ? null : email });

const placementIn = (pool: PoolKey, organization: string, member: MemberIdentity): MembershipPlacement => ({
  pool,
  key: personKeyOf(pool, organization, member),
  email: isShared(pool, member) ? member.email.toLowerCase() : null,
});

/** Whether the person is stored under the address, together with all other memberships that have this address. */
const isShared = (
  pool: PoolKey,
  member: MemberIdentity,
): member is MemberIdentity & { readonly email: string } =>
  isWorkspaceTenant(pool) && member.email !== null && !member.stands_alone;

/** A member's change from one state to the next, with the pool that its organization uses now. */
export type MemberStep = {
  readonly organization: string;
  readonly pool: PoolKey;
  readonly before: MemberItem | undefined;
  readonly next: MemberItem;
};

export const previousPlacement = ({ organization, before }: MemberStep): MembershipPlacement | undefined =>
  before?.pool ? placementIn(before.pool, organization, before) : undefined;

/** In order of preference: together with the other memberships of the address, or alone. */
function nextPlacements({ organization, pool, next }: MemberStep): MembershipPlacement[] {
  if (!next.active) return [];
  const { user_id, email } = next;
  const first = { user_id, email };
  const places = isShared(pool, first) ? [first, { ...first, stands_alone: true }] : [first];
  return places.map((place) => placementIn(pool, organization, place));
}

/** The people that a step may change. Load them into the draft before `placeMember`. */
export const placementsOf = (step: MemberStep): MembershipPlacement[] =>
  [previousPlacement(step), ...nextPlacements(step)].filter((placement) => placement !== undefined);

/** Moves the membership from its previous person to the person it belongs to now; returns the member's item. */
export function placeMember(draft: PeopleDraft, step: MemberStep): MemberItem {
  const { organization, pool, next } = step;
  const { seat_decided: keptDecision, stands_alone: _, ...member } = next;
  const { user_id } = member;
  const seat_wanted = member.seat_wanted || member.seat_earned === true;
  const from = previousPlacement(step);
  const decided = from ? draft.leave(from, { organization, user_id }) : keptDecision;
  const places = nextPlacements(step);
  const to = places.find((place) => draft.hasRoom(place));
  if (to) {
    draft.join(to, { organization, user_id, seat_wanted }, decided);
    return { ...member, pool, ...(to !== places[0] && { stands_alone: true }) };
  }
  return { ...member, pool: null, ...(decided !== undefined && { seat_decided: decided }) };
}

export type SeatStep = "came" | "went";

/**
 * Whether the step gave the member a seat or took it away. Null if the seat only moves with the member to another
 * address or pool. Call this after the draft's `finish`.
 */
export function seatStepOf(draft: PeopleDraft, step: MemberStep, after: MemberItem): SeatStep | null {
  const from = previousPlacement(step);
  const left = from && draft.seatOf(from);
  const taken = after.pool
    ? draft.seatOf({ key: personKeyOf(after.pool, step.organization, after) })
    : undefined;
  if (taken?.after && !taken.before && !left?.before) return "came";
  return left?.before && !left.after && !taken?.after ? "went" : null;
}
