import type { MemberItem } from "../store/items/people.ts";
import { type PoolKey, personKey } from "../store/layout.ts";
import type { Key } from "../store/table.ts";
import type { PeopleDraft } from "./draft.ts";

/** Where a membership is held: the pool it draws seats from, and the person there. */
export type Placement = { readonly pool: PoolKey; readonly key: Key; readonly email: string | null };

type Named = Pick<MemberItem, "user_id" | "email">;

const placementIn = (pool: PoolKey, organization: string, { user_id, email }: Named): Placement => ({
  pool,
  key: personKey(pool, { organization, userId: user_id, email }),
  email: pool.startsWith("w#") && email !== null ? email.toLowerCase() : null,
});

/** A member from one state to the next, with the pool its organization draws on now. */
export type MemberStep = {
  readonly organization: string;
  readonly pool: PoolKey;
  readonly before: MemberItem | undefined;
  readonly next: MemberItem;
};

const placeBefore = ({ organization, before }: MemberStep): Placement | undefined =>
  before?.pool ? placementIn(before.pool, organization, before) : undefined;

const placeAfter = ({ organization, pool, next }: MemberStep): Placement | undefined =>
  next.active ? placementIn(pool, organization, next) : undefined;

/** The people a step touches: to be loaded into the draft before `placeMember`. */
export const placementsOf = (step: MemberStep): Placement[] =>
  [placeBefore(step), placeAfter(step)].filter((placement) => placement !== undefined);

/** Moves the membership from the person it was with to the one it belongs to; answers the member's item. */
export function placeMember(draft: PeopleDraft, step: MemberStep): MemberItem {
  const { organization, pool, next } = step;
  const { seat_decided: keptDecision, ...member } = next;
  const { user_id } = member;
  const seat_wanted = member.seat_wanted || member.seat_earned === true;
  const from = placeBefore(step);
  const to = placeAfter(step);
  const decided = from ? draft.leave(from, { organization, user_id }) : keptDecision;
  if (to) {
    draft.join(to, { organization, user_id, seat_wanted }, decided);
    return { ...member, pool };
  }
  return { ...member, pool: null, ...(decided !== undefined && { seat_decided: decided }) };
}
