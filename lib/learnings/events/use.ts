import { organizationUuid } from "../../contract/identity.ts";
import * as kinds from "../../contract/items.ts";
import { parseLearning } from "../../store/items/learning.ts";
import { retryOnConflict, type Store } from "../../store/retry-on-conflict.ts";
import type { ItemChange, Key, TransactionWrite } from "../../store/table.ts";
import { learningListKeys, unchangedLearning } from "../record.ts";
import { appliedKey, appliedOnce } from "./applied-event.ts";
import type { LearningUsed } from "./schemas.ts";

/** Once per event. A use does not move the Learning in the export; that of a deleted one is ignored. */
export async function useLearning(store: Store, data: LearningUsed, version: string): Promise<void> {
  const key = kinds.learning.key({ organization: organizationUuid(data), learningId: data.learning_id });
  await retryOnConflict(store, async () => {
    const [applied, record] = await store.table.getMany([appliedKey(version), key]);
    if (applied || !record) return;
    const learning = parseLearning(record);
    const isLatest = learning.last_used_at === null || learning.last_used_at < data.used_at;
    const change: ItemChange = {
      add: [["usage_count", data.count]],
      ...(isLatest && { set: [["last_used_at", data.used_at]] }),
    };
    const copy = (copyKey: Key): TransactionWrite => ({ update: copyKey, change, when: { present: "pk" } });
    await store.table.transact([
      appliedOnce(version, store.clock.nowMs()),
      { update: key, change, when: unchangedLearning(learning) },
      ...learningListKeys(learning).map(copy),
    ]);
  });
}
