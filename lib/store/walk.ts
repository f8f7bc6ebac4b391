import { walkLimits } from "../contract/limits.ts";
import type { Item, Key, Table } from "./table.ts";

/** All items with a prefix, or those after one of its sort keys. */
export type PrefixRange = { readonly pk: string; readonly beginsWith: string; readonly after?: string };

export const rangeAfter = (
  range: { readonly pk: string; readonly beginsWith: string },
  after: string | null,
): PrefixRange => (after === null ? range : { ...range, after });

/** How many items a query requests, to fill a page of `limit` and see one more. */
export const itemsPerQuery = (limit: number): number => Math.max(limit + 1, walkLimits.pageItemsMin);

/**
 * One page of the items that `select` keeps: it reads until the page is full and one more item was seen, or too many
 * items were skipped.
 */
export async function walkRange<Found extends { readonly sk: string }>(
  table: Table,
  range: PrefixRange,
  limit: number,
  select: (items: readonly Item[]) => Promise<readonly Found[]>,
): Promise<{ readonly found: readonly Found[]; readonly next: string | null }> {
  const found: Found[] = [];
  let passedOver = 0;
  let resume: Key | undefined;
  do {
    const page = await table.queryPage({ ...range, pageItems: itemsPerQuery(limit) }, resume);
    const selected = await select(page.items);
    found.push(...selected);
    passedOver += page.items.length - selected.length;
    const end = found[limit - 1];
    if (end && found.length > limit) return { found: found.slice(0, limit), next: end.sk };
    resume = page.resume;
    const last = page.items.at(-1);
    if (resume && last && passedOver >= walkLimits.passedOverMax) return { found, next: last.sk };
  } while (resume);
  return { found, next: null };
}
