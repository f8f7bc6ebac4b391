import type { Item, Key, Range } from "../../../../lib/store/table.ts";

/** Compares UTF-8 bytes, as DynamoDB does. JavaScript compares UTF-16, which differs for surrogates. */
function compareKeys(one: string, other: string): number {
  if (surrogate.test(one) || surrogate.test(other))
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
const surrogate = /[\ud800-\udfff]/;

/** Items by partition, in the order of their sort keys. */
export class SortedItems {
  readonly partitions = new Map<string, Map<string, Item>>();
  get({ pk, sk }: Key): Item | undefined {
    return this.partitions.get(pk)?.get(sk);
  }
  set({ pk, sk }: Key, item: Item | undefined): void {
    const partition = this.partitions.get(pk) ?? new Map<string, Item>();
    this.partitions.set(pk, partition);
    if (item) partition.set(sk, item);
    else partition.delete(sk);
  }
  range({ pk, beginsWith = "", after, from, upTo, descending }: Range): Item[] {
    const found = [...(this.partitions.get(pk)?.values() ?? [])].filter(
      ({ sk }) =>
        sk.startsWith(beginsWith) &&
        (after === undefined || compareKeys(sk, after) > 0) &&
        (from === undefined || compareKeys(sk, from) >= 0) &&
        (upTo === undefined || compareKeys(sk, upTo) <= 0),
    );
    found.sort((a, b) => compareKeys(a.sk, b.sk));
    return descending ? found.reverse() : found;
  }
}
