import * as kinds from "../contract/items.ts";
import { parseTeam, type TeamItem } from "../store/items/team.ts";
import { unchanged } from "../store/items/unchanged.ts";
import { retryOnConflict, type Store } from "../store/retry-on-conflict.ts";

/** The full state of one team, as the platform reports it. */
export type TeamSaved = Pick<TeamItem, "team_id" | "name" | "user_ids" | "active">;

/** The newest state wins. An inactive team stays without its members, so that an older event does not revive it. */
export async function saveTeam(
  store: Store,
  organization: string,
  { team_id, name, user_ids, active }: TeamSaved,
  version: string,
): Promise<void> {
  const key = kinds.team.key({ organization, teamId: team_id });
  await retryOnConflict(store, async () => {
    const stored = await store.table.get(key);
    if (stored && version <= parseTeam(stored).version) return;
    const members = active ? [...new Set(user_ids)].toSorted() : [];
    const put = { ...key, team_id, name, user_ids: members, active, version };
    await store.table.write({ put, when: unchanged(stored, ["version"]) }, { idempotent: true });
  });
}
