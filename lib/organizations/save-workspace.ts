import * as kinds from "../contract/items.ts";
import { workspaceTenant } from "../contract/tenants.ts";
import { fillSeats } from "../people/seats.ts";
import { parseWorkspace, type WorkspaceItem } from "../store/items/tenant.ts";
import { unchanged } from "../store/items/unchanged.ts";
import { poolGuardKey } from "../store/layout.ts";
import { retryOnConflict, type Store } from "../store/retry-on-conflict.ts";
import { adminsEntry } from "./event-entries.ts";

/** The full state of one workspace, as the platform reports it. */
export type WorkspaceSaved = Omit<WorkspaceItem, "pk" | "sk" | "version">;

/** The newest state wins. A difference in purchased seats is added to the seat pool in the same transaction. */
export async function saveWorkspace(store: Store, saved: WorkspaceSaved, version: string): Promise<void> {
  const tenant = workspaceTenant(saved.id);
  const mayHaveRoom = await retryOnConflict(store, async () => {
    const stored = await store.table.get(kinds.tenant.key({ tenant }));
    const before = stored && parseWorkspace(stored);
    // This event was applied before: it may have freed seats and been interrupted before anybody got one.
    if (before && before.version >= version) return true;
    const bought = saved.seats_purchased - (before?.seats_purchased ?? 0);
    await store.table.transact([
      { put: { ...kinds.tenant.key({ tenant }), ...saved, version }, when: unchanged(stored, ["version"]) },
      // Adding 0 creates an attribute that does not exist yet.
      {
        update: poolGuardKey(tenant),
        change: {
          add: [
            ["seats_free", bought],
            ["seats_short", 0],
          ],
        },
      },
      ...adminsEntry(store, before, saved),
    ]);
    return bought > 0;
  });
  if (mayHaveRoom) await fillSeats(store, tenant);
}
