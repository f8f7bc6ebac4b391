import { streamNumberKey } from "../store/layout.ts";
import type { Item, Table } from "../store/table.ts";

/** Of one week, or of the removals. All unread items have numbers of at least `floor`, none above `ceiling`. */
type PartitionCursor = {
  readonly pk: string;
  readonly ceiling: number;
  floor: number;
  waiting: readonly Item[];
  /** Index of the first item of `waiting` that was not returned yet. */
  first: number;
  isRead: boolean;
  fetches: number;
  /** How many items of this partition were returned. */
  given: number;
};

export type PartitionStart = { readonly pk: string; readonly floor: number; readonly ceiling: number };

/** A query for fewer items costs the same read unit, so asking for fewer saves nothing. */
const itemsPerFetchMin = 4;
/** Fraction of a page that the first fetch requests from all partitions together, before it is known how they interleave. */
const firstFetchShare = 0.25;

const numberOf = (item: Item): number => Number(item.sk);
const headOf = (partition: PartitionCursor): Item | undefined => partition.waiting[partition.first];

/**
 * Returns the items of many partitions in the order of their numbers, none above `upTo`. A partition is read only when
 * the merge reaches numbers that the partition may hold. An item is returned only when no partition can hold a smaller
 * unread one: everything up to the last returned number is processed, in every partition.
 */
export class MergedPartitions {
  readonly #table: Table;
  readonly #partitions: readonly PartitionCursor[];
  #given = 0;

  constructor(table: Table, starts: readonly PartitionStart[], upTo: number) {
    this.#table = table;
    this.#partitions = starts
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
  }

  /**
   * A single partition is asked for all wanted items. So is a partition that holds no more numbers than that: when events arrive
   * in the order of their dates, weeks follow one another, and a page consists of whole weeks. Of several other partitions,
   * most may begin only later: the first fetch is small, then each partition is asked for the share it had so far. Each
   * fetch asks for at least twice as many items as the one before, because a filter that skips nearly everything must
   * not cost a round trip per handful.
   */
  #itemsToAsk(partition: PartitionCursor, wanted: number, partitionsAsked: number): number {
    const atLeast = itemsPerFetchMin * 2 ** partition.fetches;
    if (this.#partitions.length === 1) return Math.max(atLeast, wanted);
    const numbers = partition.ceiling - partition.floor + 1;
    if (numbers <= wanted) return Math.max(atLeast, numbers);
    const share = partition.given === 0 ? firstFetchShare / partitionsAsked : partition.given / this.#given;
    return Math.max(atLeast, Math.ceil(wanted * share));
  }

  async #fetch(partition: PartitionCursor, pageItems: number): Promise<void> {
    partition.fetches++;
    const page = await this.#table.queryPage({
      pk: partition.pk,
      from: streamNumberKey(partition.floor),
      upTo: streamNumberKey(partition.ceiling),
      pageItems,
    });
    const last = page.items.at(-1) ?? page.resume;
    partition.waiting = page.items;
    partition.first = 0;
    if (last) partition.floor = Number(last.sk) + 1;
    // A page that ends at the last number still returns a resume key.
    partition.isRead = page.resume === undefined || partition.floor > partition.ceiling;
  }

  #smallest(): PartitionCursor | undefined {
    let found: PartitionCursor | undefined;
    let lowest = Number.POSITIVE_INFINITY;
    for (const partition of this.#partitions) {
      const item = headOf(partition);
      if (item && numberOf(item) < lowest) {
        lowest = numberOf(item);
        found = partition;
      }
    }
    return found;
  }

  /** Partitions that may hold an item smaller than the candidate; without a candidate, partitions that one page may reach. */
  #unreadBelow(candidate: PartitionCursor | undefined, wanted: number): PartitionCursor[] {
    const unread = this.#partitions.filter((partition) => !headOf(partition) && !partition.isRead);
    const item = candidate && headOf(candidate);
    const bound = item ? numberOf(item) : Math.min(...unread.map((partition) => partition.floor)) + wanted;
    return unread.filter((partition) => partition.floor <= bound);
  }

  /** Returns the next item; `wanted` is how many more items fit the page. */
  async next(wanted: number): Promise<Item | undefined> {
    for (;;) {
      const candidate = this.#smallest();
      const unread = this.#unreadBelow(candidate, wanted);
      if (unread.length > 0) {
        await Promise.all(
          unread.map((partition) =>
            this.#fetch(partition, this.#itemsToAsk(partition, wanted, unread.length)),
          ),
        );
        continue;
      }
      const item = candidate && headOf(candidate);
      if (!candidate || !item) return undefined;
      candidate.first++;
      candidate.given++;
      this.#given++;
      return item;
    }
  }

  /** The item of another partition with the number that was returned last, if there is one: it is already loaded. */
  nextUnder(number: number): Item | undefined {
    const partition = this.#smallest();
    const item = partition && headOf(partition);
    if (!partition || !item || numberOf(item) !== number) return undefined;
    partition.first++;
    return item;
  }
}
