import * as kinds from "../contract/items.ts";
import { type MadeKeysItem, parseMadeKeys } from "../store/items/key.ts";
import { getUnlessAhead, type ReadAhead } from "../store/read-ahead.ts";
import type { Condition, ConditionCheck, Put, Table } from "../store/table.ts";

/** Undefined if the key never made one. */
export async function readMadeList(
  table: Table,
  keyId: string,
  ahead?: ReadAhead,
): Promise<MadeKeysItem | undefined> {
  const [item] = await getUnlessAhead(table, [kinds.madeKeys.key({ keyId })], ahead);
  return item && parseMadeKeys(item);
}

const unchanged = (before: MadeKeysItem | undefined): Condition =>
  before ? { equals: ["version", before.version] } : { absent: "pk" };

/** For the transaction of an ending: the key made no other one since the list was read. */
export const listUnchanged = (keyId: string, before: MadeKeysItem | undefined): ConditionCheck => ({
  check: kinds.madeKeys.key({ keyId }),
  when: unchanged(before),
});

/** For the transaction that makes a key. */
export const listWrite = (
  keyId: string,
  before: MadeKeysItem | undefined,
  made: MadeKeysItem["made"],
): Put => ({
  put: { ...kinds.madeKeys.key({ keyId }), version: (before?.version ?? 0) + 1, made },
  when: unchanged(before),
});
