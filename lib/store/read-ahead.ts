import { type Item, identityOf, type Key, type ReadOptions, type Table } from "./table.ts";

/**
 * Items that were read together, before it was certain that they are needed; whoever needs one asks for it by its key.
 * They may be out of date: only a first attempt may use them, and only if its writes check what it has read.
 */
export class ReadAhead {
  readonly #items = new Map<string, Item | undefined>();

  has(key: Key): boolean {
    return this.#items.has(identityOf(key));
  }

  /** Undefined also if the item was not read. */
  get(key: Key): Item | undefined {
    return this.#items.get(identityOf(key));
  }

  /** Reads the items that are not read yet, in one trip. */
  async read(table: Table, keys: readonly Key[], options?: ReadOptions): Promise<this> {
    const missing = keys.filter((key) => !this.has(key));
    const items = missing.length > 0 ? await table.getMany(missing, options) : [];
    for (const [index, key] of missing.entries()) this.#items.set(identityOf(key), items[index]);
    return this;
  }

  async readOne(table: Table, key: Key): Promise<Item | undefined> {
    const item = await table.get(key);
    this.#items.set(identityOf(key), item);
    return item;
  }
}

/** One trip, or none if all of them were read ahead. */
export async function getUnlessAhead(
  table: Table,
  keys: readonly Key[],
  ahead: ReadAhead | undefined,
): Promise<ReadonlyArray<Item | undefined>> {
  const isRead = ahead && keys.every((key) => ahead.has(key));
  return isRead ? keys.map((key) => ahead.get(key)) : table.getMany(keys);
}
