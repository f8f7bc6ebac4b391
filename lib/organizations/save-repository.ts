import { repositoryUuid } from "../contract/identity.ts";
import * as kinds from "../contract/items.ts";
import { followDelay } from "../learnings/events/delay.ts";
import { parseRepository, type RepositoryItem } from "../store/items/repository.ts";
import { unchanged } from "../store/items/unchanged.ts";
import { retryOnConflict, type Store } from "../store/retry-on-conflict.ts";

/** The full state of one repository, as the platform reports it. */
export type RepositorySaved = Pick<
  RepositoryItem,
  "repository_id" | "name" | "full_name" | "private" | "url" | "active" | "approval_delay_days"
>;

/** The newest state wins. The approval delay is the earliest event's, until the API or the operator sets it. */
export async function saveRepository(
  store: Store,
  organization: string,
  saved: RepositorySaved,
  version: string,
): Promise<void> {
  const key = kinds.repository.key({ organization, repositoryId: saved.repository_id });
  const isLateFirst = await retryOnConflict(store, async () => {
    const stored = await store.table.get(key);
    const before = stored && parseRepository(stored);
    const isFirst = before !== undefined && version <= before.first_version;
    if (before && before.first_version <= version && version <= before.version) return isFirst;
    const put = { ...key, ...mergeRepository(before, organization, saved, version) };
    const when = unchanged(stored, ["version", "first_version", "approval_delay_days", "delay_decided"]);
    await store.table.write({ put, when }, { idempotent: true });
    return isFirst;
  });
  // Also on a repeated delivery: the first one may have been interrupted here.
  if (isLateFirst) await followDelay(store, organization, saved.repository_id);
}

function mergeRepository(
  before: RepositoryItem | undefined,
  organization: string,
  { approval_delay_days, ...saved }: RepositorySaved,
  version: string,
): Omit<RepositoryItem, "pk" | "sk"> {
  const first = { approval_delay_days, first_version: version };
  const uuid = repositoryUuid(organization, saved.repository_id);
  if (!before) return { uuid, ...saved, ...first, version };
  const merged = {
    ...before,
    ...(version > before.version && { ...saved, version }),
    ...(version < before.first_version && first),
  };
  return before.delay_decided ? { ...merged, approval_delay_days: before.approval_delay_days } : merged;
}
