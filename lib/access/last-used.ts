import { keyLimits } from "../contract/limits.ts";
import type { KeyItem } from "../store/items/key.ts";
import { apiKeyKey } from "../store/layout.ts";
import { type Table, writeIf } from "../store/table.ts";

/** Runs beside the request's work and writes at most once a minute. Losing the race to another request is fine. */
export async function touchLastUsed(table: Table, key: KeyItem, nowMs: number): Promise<void> {
  const cutoff = nowMs - keyLimits.lastUsedEveryMs;
  if ((key.last_used_at_ms ?? 0) > cutoff) return;
  await writeIf(table, {
    update: apiKeyKey(key.id),
    change: { set: [["last_used_at_ms", nowMs]] },
    when: {
      all: [
        { present: "pk" },
        { any: [{ equals: ["last_used_at_ms", null] }, { atMost: ["last_used_at_ms", cutoff] }] },
      ],
    },
  });
}
