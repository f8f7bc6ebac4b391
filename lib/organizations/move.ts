import { moveLearnings } from "../learnings/move-learnings.ts";
import { movePeople } from "../people/move-people.ts";
import type { Store } from "../store/decide.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { organizationKey, type TenantKey } from "../store/layout.ts";
import { ConditionFailed } from "../store/table.ts";

/**
 * Takes one kind of an organization's data from the tenant it left to the one it is in. It is begun again
 * after a crash, so it must find by itself what is already there.
 */
type Mover = (store: Store, organization: OrganizationItem, from: TenantKey) => Promise<void>;

/** Everything that hangs on the tenant and not on the organization alone: what is not here stays behind. */
const movers: readonly Mover[] = [movePeople, moveLearnings];

/** Finishes a change of tenant; nothing to do where none is under way. */
export async function completeMove(store: Store, organization: OrganizationItem): Promise<void> {
  const { uuid, tenant, leaving, version } = organization;
  if (leaving === undefined) return;
  for (const move of movers) await move(store, organization, leaving);
  // The version too: one that comes back late must not end another move between the same two tenants.
  const stillThisMove = {
    all: [
      { equals: ["leaving", leaving] as const },
      { equals: ["tenant", tenant] as const },
      { equals: ["version", version] as const },
    ],
  };
  try {
    await store.table.write(
      { update: organizationKey(uuid), change: { remove: ["leaving"] }, when: stillThisMove },
      { repeatable: true },
    );
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
