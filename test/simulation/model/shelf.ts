import type { Item, Key, Range } from "../../../lib/store/table.ts";

/** Items by partition, read in the order of their sort keys. */
export class Shelf {
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
        (after === undefined || sk > after) &&
        (from === undefined || sk >= from) &&
        (upTo === undefined || sk <= upTo),
    );
    found.sort((a, b) => (a.sk < b.sk ? -1 : 1));
    return descending ? found.reverse() : found;
  }
}
