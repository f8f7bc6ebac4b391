import * as kinds from "../contract/items.ts";
import { type KeyItem, type KeyLineItem, parseKey, parseKeyLine } from "../store/items/key.ts";
import type { Put, Table } from "../store/table.ts";

/** A line is a key and its rotations. It is known by the id of its first key. */
export async function lineOf(table: Table, key: KeyItem): Promise<string> {
  const before = await followRotations(table, key, "rotated_from");
  return (before.at(-1) ?? key).id;
}

/** The keys of the line in one direction, the nearest first. */
export async function followRotations(
  table: Table,
  from: KeyItem,
  direction: "rotated_from" | "rotated_to",
): Promise<KeyItem[]> {
  const found: KeyItem[] = [];
  let next = from[direction];
  while (next) {
    const item = await table.get(kinds.apiKey.key({ keyId: next }));
    if (!item) break;
    const key = parseKey(item);
    found.push(key);
    next = key[direction];
  }
  return found;
}

/** Undefined if the line never made a key. */
export async function readLine(table: Table, keyId: string): Promise<KeyLineItem | undefined> {
  const item = await table.get(kinds.keyLine.key({ keyId }));
  return item && parseKeyLine(item);
}

/** For the transaction of a change that the line must know. Its condition fails if somebody wrote the line meanwhile. */
export const lineWrite = (
  keyId: string,
  before: KeyLineItem | undefined,
  change: Partial<Pick<KeyLineItem, "made" | "ended">>,
): Put => ({
  put: {
    ...kinds.keyLine.key({ keyId }),
    ...{ made: before?.made ?? [], ended: before?.ended ?? false, ...change },
    version: (before?.version ?? 0) + 1,
  },
  when: before ? { equals: ["version", before.version] } : { absent: "pk" },
});
