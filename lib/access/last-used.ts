import * as kinds from "../contract/items.ts";
import { keyLimits } from "../contract/limits.ts";
import type { KeyItem } from "../store/items/key.ts";
import { type Item, type Table, type TransactionWrite, writeIf } from "../store/table.ts";

/** A key with the time of its last use, which is an item of its own. */
export type UsedKey = KeyItem & { readonly last_used_at_ms: number | null };

export const withUse = (key: KeyItem, use: Item | undefined): UsedKey => ({
  ...key,
  last_used_at_ms: typeof use?.at_ms === "number" ? use.at_ms : null,
});

export async function readUses(table: Table, keys: readonly KeyItem[]): Promise<UsedKey[]> {
  const uses = await table.getMany(keys.map(({ id }) => kinds.keyUse.key({ keyId: id })));
  return keys.map((key, index) => withUse(key, uses[index]));
}

/** For the transaction of a change that needs a key whose value nobody has. */
export const neverUsed = (keyId: string): TransactionWrite => ({
  check: kinds.keyUse.key({ keyId }),
  when: { absent: "pk" },
});

/** Runs beside the request's work and writes at most once a minute. Losing the race to another request is fine. */
export async function touchLastUsed(table: Table, key: UsedKey, nowMs: number): Promise<void> {
  const cutoff = nowMs - keyLimits.lastUsedEveryMs;
  if ((key.last_used_at_ms ?? 0) > cutoff) return;
  await writeIf(table, {
    update: kinds.keyUse.key({ keyId: key.id }),
    change: { set: [["at_ms", nowMs]] },
    when: { any: [{ absent: "pk" }, { atMost: ["at_ms", cutoff] }] },
  });
}
