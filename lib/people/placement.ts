import type { MemberItem } from "../store/items/people.ts";
import { isWorkspaceTenant, type PoolKey, personKey } from "../store/layout.ts";
import type { Key } from "../store/table.ts";
import type { PeopleDraft, Placement } from "./draft.ts";

type Named = Pick<MemberItem, "user_id" | "email" | "stands_alone">;

/** Where a member's seat is held. */
export const personKeyOf = (
  pool: PoolKey,
  organization: string,
  { user_id: userId, email, stands_alone }: Named,
): Key => personKey(pool, { organization, userId, email: stands_alone ? null : email });

const placementIn = (pool: PoolKey, organization: string, member: Named): Placement => ({
  pool,
  key: personKeyOf(pool, organization, member),
  email: isShared(pool, member) ? (member.email?.toLowerCase() ?? null) : null,
});

/** By their address, with whatever other memberships have it. */
const isShared = (pool: PoolKey, { email, stands_alone }: Named): boolean =>
  isWorkspaceTenant(pool) && email !== null && !stands_alone;

/** A member from one state to the next, with the pool its organization draws on now. */
export type MemberStep = {
  readonly organization: string;
  readonly pool: PoolKey;
  readonly before: MemberItem | undefined;
  readonly next: MemberItem;
};

export const placeBefore = ({ organization, before }: MemberStep): Placement | undefined =>
  before?.pool ? placementIn(before.pool, organization, before) : undefined;

/** In the order of preference: with the others of the address, or alone. */
function placesAfter({ organization, pool, next }: MemberStep): Placement[] {
  if (!next.active) return [];
  const { user_id, email } = next;
  const first = { user_id, email };
  const places = isShared(pool, first) ? [first, { ...first, stands_alone: true }] : [first];
  return places.map((place) => placementIn(pool, organization, place));
}

/** The people a step may touch: to be loaded into the draft before `placeMember`. */
export const placementsOf = (step: MemberStep): Placement[] =>
  [placeBefore(step), ...placesAfter(step)].filter((placement) => placement !== undefined);

/** Moves the membership from the person it was with to the one it belongs to; answers the member's item. */
export function placeMember(draft: PeopleDraft, step: MemberStep): MemberItem {
  const { organization, pool, next } = step;
  const { seat_decided: keptDecision, stands_alone: _, ...member } = next;
  const { user_id } = member;
  const seat_wanted = member.seat_wanted || member.seat_earned === true;
  const from = placeBefore(step);
  const decided = from ? draft.leave(from, { organization, user_id }) : keptDecision;
  const places = placesAfter(step);
  const to = places.find((place) => draft.hasRoom(place));
  if (to) {
    draft.join(to, { organization, user_id, seat_wanted }, decided);
    return { ...member, pool, ...(to !== places[0] && { stands_alone: true }) };
  }
  return { ...member, pool: null, ...(decided !== undefined && { seat_decided: decided }) };
}

export type SeatStep = "came" | "went";

/**
 * Whether the step gave the member a seat, or took it. A seat that goes with them to another address or pool did neither.
 * Asked after the draft's `finish`.
 */
export function seatStepOf(draft: PeopleDraft, step: MemberStep, after: MemberItem): SeatStep | null {
  const from = placeBefore(step);
  const left = from && draft.seatOf(from);
  const taken = after.pool
    ? draft.seatOf({ key: personKeyOf(after.pool, step.organization, after) })
    : undefined;
  if (taken?.after && !taken.before && !left?.before) return "came";
  return left?.before && !left.after && !taken?.after ? "went" : null;
}
