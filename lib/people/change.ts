import { isDeepStrictEqual } from "node:util";
import type { PoolKey } from "../contract/tenants.ts";
import type { PersonItem } from "../store/items/people.ts";
import { unchanged } from "../store/items/unchanged.ts";
import type { Item, TransactionWrite } from "../store/table.ts";
import { guardWrites } from "./guard.ts";
import { lacksSeat } from "./person.ts";

export type PersonChange = {
  /** The item as it was read from the table; undefined if the person did not exist. */
  readonly stored: Item | undefined;
  readonly before: PersonItem | undefined;
  /** A person without memberships is deleted. */
  after: PersonItem;
};

/** The seats that the changes together take, and the change in the number of people who wait for one. */
export const seatsOf = (
  changes: readonly PersonChange[],
): { readonly seatsTaken: number; readonly seatsShort: number } => ({
  seatsTaken: sum(changes, ({ before, after }) => Number(after.seat) - Number(before?.seat ?? false)),
  seatsShort: sum(changes, ({ before, after }) => Number(lacksSeat(after)) - Number(lacksSeat(before))),
});

/** The writes of one pool's people together with its guard: seats and guard always change in one transaction. */
export const peopleWrites = (
  pool: PoolKey,
  changes: readonly PersonChange[],
  roles?: ReadonlyMap<string, number>,
): TransactionWrite[] => [
  ...changes.flatMap(personWrites),
  ...guardWrites(pool, {
    ...seatsOf(changes),
    leavesSomebodyShort: changes.some((change) => lacksSeat(change.after) && !isSame(change)),
    ...(roles && { roles }),
  }),
];

const isSame = ({ before, after }: PersonChange): boolean => isDeepStrictEqual(before, after);

function personWrites(change: PersonChange): TransactionWrite[] {
  const { stored, before, after } = change;
  const when = unchanged(stored, ["memberships", "seat", "seat_decided"]);
  // The person did not exist and still does not.
  if (before === undefined && after.memberships.length === 0) return [];
  if (after.memberships.length === 0) return [{ delete: { pk: after.pk, sk: after.sk }, when }];
  return isSame(change) ? [] : [{ put: after, when }];
}

const sum = <Element>(elements: readonly Element[], amount: (element: Element) => number): number =>
  elements.reduce((total, element) => total + amount(element), 0);
