import * as kinds from "../contract/items.ts";
import { instanceTenant } from "../contract/tenants.ts";
import { type InstanceItem, parseInstance } from "../store/items/tenant.ts";
import { unchanged } from "../store/items/unchanged.ts";
import { retryOnConflict, type Store } from "../store/retry-on-conflict.ts";

/** The full state of one self-hosted Git-provider instance, as the platform reports it. */
export type InstanceSaved = Omit<InstanceItem, "pk" | "sk" | "version">;

/** The newest state wins. */
export async function saveInstance(store: Store, saved: InstanceSaved, version: string): Promise<void> {
  const key = kinds.tenant.key({ tenant: instanceTenant(saved.id) });
  await retryOnConflict(store, async () => {
    const stored = await store.table.get(key);
    if (stored && parseInstance(stored).version >= version) return;
    const put = { ...key, ...saved, version };
    await store.table.write({ put, when: unchanged(stored, ["version"]) }, { idempotent: true });
  });
}
