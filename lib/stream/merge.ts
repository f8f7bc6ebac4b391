import { streamNumberKey } from "../store/layout.ts";
import type { Item, Table } from "../store/table.ts";

/** One week's partition, or that of the removals. Nothing unread in it has a number below `floor`, nothing in it one above `ceiling`. */
type PartitionCursor = {
  readonly pk: string;
  readonly ceiling: number;
  floor: number;
  waiting: readonly Item[];
  /** Index of the first item of `waiting` that has not come out yet. */
  first: number;
  isRead: boolean;
  fetches: number;
  /** How many items have come out of it. */
  given: number;
};

export type PartitionStart = { readonly pk: string; readonly floor: number; readonly ceiling: number };

/** Below this a query costs the same read unit, so asking for less saves nothing. */
const itemsPerFetchMin = 4;
/** Part of a page that is asked of all lanes together before it is known how they interleave. */
const firstLook = 0.25;

const numberOf = (item: Item): number => Number(item.sk);
const headOf = (lane: PartitionCursor): Item | undefined => lane.waiting[lane.first];

/**
 * The items of many partitions in the order of their numbers, none above `upTo`. A partition is read only when
 * the merge reaches numbers it may hold, and an item comes out only when no partition can hold a smaller unread
 * one: everything up to the last number that came out is dealt with, in every partition.
 */
export function mergePartitions(table: Table, starts: readonly PartitionStart[], upTo: number) {
  const lanes: PartitionCursor[] = starts
    .filter(({ floor }) => floor <= upTo)
    .map(({ pk, floor, ceiling }) => ({
      pk,
      floor,
      ceiling: Math.min(ceiling, upTo),
      waiting: [],
      first: 0,
      isRead: false,
      fetches: 0,
      given: 0,
    }));
  let given = 0;

  /**
   * A lane alone is asked for all that is wanted, and so is one that holds no more numbers than that: told in the
   * order of their dates, weeks follow one another, and a page is made of whole ones. Of several others, most may
   * begin only later: a first look is small, then each is asked for the share it had so far. Twice as many each time
   * at least, as a filter that passes nearly everything over must not cost a trip per handful.
   */
  function itemsToAsk(lane: PartitionCursor, wanted: number, lanesAsked: number): number {
    const atLeast = itemsPerFetchMin * 2 ** lane.fetches;
    if (lanes.length === 1) return Math.max(atLeast, wanted);
    const numbers = lane.ceiling - lane.floor + 1;
    if (numbers <= wanted) return Math.max(atLeast, numbers);
    const share = lane.given === 0 ? firstLook / lanesAsked : lane.given / given;
    return Math.max(atLeast, Math.ceil(wanted * share));
  }

  async function fetch(lane: PartitionCursor, pageItems: number): Promise<void> {
    lane.fetches++;
    const page = await table.queryPage({
      pk: lane.pk,
      from: streamNumberKey(lane.floor),
      upTo: streamNumberKey(lane.ceiling),
      pageItems,
    });
    const last = page.items.at(-1) ?? page.resume;
    lane.waiting = page.items;
    lane.first = 0;
    if (last) lane.floor = Number(last.sk) + 1;
    // A page that ends on the very last number still says where to resume.
    lane.isRead = page.resume === undefined || lane.floor > lane.ceiling;
  }

  function smallest(): PartitionCursor | undefined {
    let found: PartitionCursor | undefined;
    let lowest = Number.POSITIVE_INFINITY;
    for (const lane of lanes) {
      const item = headOf(lane);
      if (item && numberOf(item) < lowest) {
        lowest = numberOf(item);
        found = lane;
      }
    }
    return found;
  }

  /** Lanes that may hold something smaller than what is at hand; with nothing at hand, what a page may reach. */
  function unreadBelow(candidate: PartitionCursor | undefined, wanted: number): PartitionCursor[] {
    const unread = lanes.filter((lane) => !headOf(lane) && !lane.isRead);
    const item = candidate && headOf(candidate);
    const bound = item ? numberOf(item) : Math.min(...unread.map((lane) => lane.floor)) + wanted;
    return unread.filter((lane) => lane.floor <= bound);
  }

  /** The next item; `wanted` is how many more the page could take. */
  async function next(wanted: number): Promise<Item | undefined> {
    for (;;) {
      const candidate = smallest();
      const unread = unreadBelow(candidate, wanted);
      if (unread.length > 0) {
        await Promise.all(unread.map((lane) => fetch(lane, itemsToAsk(lane, wanted, unread.length))));
        continue;
      }
      const item = candidate && headOf(candidate);
      if (!candidate || !item) return undefined;
      candidate.first++;
      candidate.given++;
      given++;
      return item;
    }
  }

  /** The item of another partition under the number that came out last, if there is one: it is at hand by then. */
  function nextUnder(number: number): Item | undefined {
    const lane = smallest();
    const item = lane && headOf(lane);
    if (!lane || !item || numberOf(item) !== number) return undefined;
    lane.first++;
    return item;
  }
  return { next, nextUnder };
}
