import { walkLimits } from "../contract/limits.ts";
import { chunksOf } from "../runtime/chunks.ts";
import type { Item, ItemPage, Range, Table } from "./table.ts";

/** All items with a prefix, or those after one of its sort keys. */
export type PrefixRange = Range & { readonly beginsWith: string };

export const rangeAfter = (range: PrefixRange, after: string | null): PrefixRange =>
  after === null ? range : { ...range, after };

/** How many items a query requests, to fill a page of `limit` and see one more. */
export const itemsPerQuery = (limit: number): number => Math.max(limit + 1, walkLimits.pageItemsMin);

/** A list in several partitions has them in the order of their names. */
export type Partition = { readonly name: string; readonly range: Range };

/** After this sort key of this partition. An empty sort key: where the partition begins. */
export type PartitionPosition = readonly [partition: string, sortKey: string];

export type FoundPage<Found, Position> = {
  readonly found: readonly Found[];
  /** Where the next page starts; null if there is none. */
  readonly next: Position | null;
};

/** Reads until the page is full and one more item was seen, or too many items or partitions were passed over. */
export async function walkPartitions<Found extends { readonly sk: string }, From extends Partition>(
  table: Table,
  partitions: readonly From[],
  page: {
    readonly after: PartitionPosition | null;
    readonly limit: number;
    readonly partitionsAtOnce: number;
  },
  select: (items: readonly Item[], from: From) => Promise<readonly Found[]>,
): Promise<FoundPage<Found, PartitionPosition>> {
  const [first, after] = page.after ?? ["", ""];
  const left = partitions
    .filter(({ name }) => name >= first)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map((each) =>
      each.name === first && after !== "" ? { ...each, range: { ...each.range, after } } : each,
    );
  const found: Array<{ readonly item: Found; readonly position: PartitionPosition }> = [];
  const pageUpTo = (next: PartitionPosition | null) => ({
    found: found.slice(0, page.limit).map(({ item }) => item),
    next,
  });
  let passedOver = 0;
  const walked = left.slice(0, walkLimits.partitionsPerPageMax);
  for await (const { from, items, isEnd } of pagesOf(table, walked, page.partitionsAtOnce)) {
    const selected = await select(items, from);
    for (const item of selected) found.push({ item, position: [from.name, item.sk] });
    const end = found[page.limit - 1];
    if (end && found.length > page.limit) return pageUpTo(end.position);
    passedOver += items.length - selected.length;
    const last = items.at(-1);
    const isLast = isEnd && from === left.at(-1);
    if (last && !isLast && passedOver >= walkLimits.passedOverMax) return pageUpTo([from.name, last.sk]);
  }
  const next = left[walked.length];
  return pageUpTo(next ? [next.name, ""] : null);
}

/** One partition after another. The first pages of some partitions are read at the same time. */
export async function* pagesOf<From extends { readonly range: Range }>(
  table: Table,
  partitions: readonly From[],
  atOnce: number,
): AsyncGenerator<{ readonly from: From; readonly items: readonly Item[]; readonly isEnd: boolean }> {
  for (const some of chunksOf(partitions, atOnce)) {
    const begun = some.map((from) => {
      const firstPage = table.queryPage(from.range);
      // It is awaited later; until then a failure must not count as unhandled.
      firstPage.catch(() => {});
      return { from, firstPage };
    });
    for (const { from, firstPage } of begun) {
      let page: ItemPage | undefined = await firstPage;
      while (page) {
        const { items, resume }: ItemPage = page;
        yield { from, items, isEnd: !resume };
        page = resume && (await table.queryPage(from.range, resume));
      }
    }
  }
}

/** The same for one partition. */
export async function walkRange<Found extends { readonly sk: string }>(
  table: Table,
  range: PrefixRange,
  limit: number,
  select: (items: readonly Item[]) => Promise<readonly Found[]>,
): Promise<FoundPage<Found, string>> {
  const only = { name: "", range: { ...range, pageItems: itemsPerQuery(limit) } };
  const page = { after: null, limit, partitionsAtOnce: 1 };
  const { found, next } = await walkPartitions(table, [only], page, select);
  return { found, next: next?.[1] ?? null };
}
