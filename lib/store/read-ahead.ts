import { type Item, identityOf, type Key, type Table } from "./table.ts";

/**
 * Items that were read in one trip, before it was certain that they are needed, by their identity. They may be out of
 * date: only a first attempt may use them, and only if its writes check what it has read.
 */
export type ReadAhead = ReadonlyMap<string, Item | undefined>;

/** One trip, or none if all of them were read ahead. */
export async function getUnlessAhead(
  table: Table,
  keys: readonly Key[],
  ahead: ReadAhead | undefined,
): Promise<ReadonlyArray<Item | undefined>> {
  const isRead = ahead && keys.every((key) => ahead.has(identityOf(key)));
  return isRead ? keys.map((key) => ahead.get(identityOf(key))) : table.getMany(keys);
}
