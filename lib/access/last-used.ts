import * as kinds from "../contract/items.ts";
import { keyLimits } from "../contract/limits.ts";
import type { KeyItem } from "../store/items/key.ts";
import { type Item, type Table, writeIf } from "../store/table.ts";

/** A key with the last uses of its values, which are an item of their own. */
export type UsedKey = KeyItem & { readonly uses: Uses };
/** In milliseconds, by the attribute of the value. */
type Uses = Readonly<Record<string, number>>;

/** The last release stored one time for the key. */
const ofKey = "at_ms";
const attributeOf = (hash: string): string => `v_${hash.slice(0, 8)}`;

export const withUse = (key: KeyItem, use: Item | undefined): UsedKey => ({
  ...key,
  uses: Object.fromEntries(
    Object.entries(use ?? {}).filter(
      (entry): entry is [string, number] => /^(?:at_ms|v_)/.test(entry[0]) && typeof entry[1] === "number",
    ),
  ),
});

/** Of any of its values. */
export function lastUseMs({ uses }: UsedKey): number | null {
  const times = Object.values(uses);
  return times.length === 0 ? null : Math.max(...times);
}

export const oldValueUseMs = ({ old_hash, uses }: UsedKey): number | null =>
  old_hash === undefined ? null : (uses[attributeOf(old_hash)] ?? null);

export async function readUses(table: Table, keys: readonly KeyItem[]): Promise<UsedKey[]> {
  const uses = await table.getMany(keys.map(({ id }) => kinds.keyUse.key({ keyId: id })));
  return keys.map((key, index) => withUse(key, uses[index]));
}

/**
 * Runs beside the request's work and writes at most once a minute, and for the first use of the old value after a
 * rotation, which must be seen. Losing the race to another request is fine.
 */
export async function touchLastUsed(
  table: Table,
  key: UsedKey,
  { hash, nowMs }: { readonly hash: string; readonly nowMs: number },
): Promise<void> {
  const value = attributeOf(hash);
  const isOld = key.old_hash !== undefined && value === attributeOf(key.old_hash);
  const rotatedMs = isOld && key.rotated_at ? Date.parse(key.rotated_at) : 0;
  const cutoff = Math.max(nowMs - keyLimits.lastUsedEveryMs, rotatedMs);
  if ((key.uses[value] ?? 0) > cutoff) return;
  // Values that no longer work need no time of their own, so that rotations do not make the item grow.
  const kept = [ofKey, value, attributeOf(key.hash), attributeOf(key.old_hash ?? key.hash)];
  await writeIf(table, {
    update: kinds.keyUse.key({ keyId: key.id }),
    change: { set: [[value, nowMs]], remove: Object.keys(key.uses).filter((name) => !kept.includes(name)) },
    when: { any: [{ absent: value }, { atMost: [value, cutoff] }] },
  });
}
