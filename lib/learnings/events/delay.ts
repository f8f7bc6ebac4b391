import { msPerDay } from "../../contract/days.ts";
import * as kinds from "../../contract/items.ts";
import { toTimestamp } from "../../runtime/clock.ts";
import { type LearningItem, parseLearning } from "../../store/items/learning.ts";
import { parseOrganization } from "../../store/items/organization.ts";
import { parseRepository } from "../../store/items/repository.ts";
import { occurredAtMsOf } from "../../store/items/version.ts";
import { retryOnConflict, type Store } from "../../store/retry-on-conflict.ts";
import { pendingLearnings } from "../approval.ts";
import { changedLearning, recordWrites, writeContext } from "../record.ts";

/** Counted from the capture. A sender's clock may be ahead of ours; no Learning waits longer than the delay. */
export const deadlineOf = (capturedAs: string, days: number, nowMs: number): string =>
  toTimestamp(Math.min(occurredAtMsOf(capturedAs), nowMs) + days * msPerDay);

/**
 * An organization or a repository has the delay of its earliest event. If that event arrives after others, the deadlines
 * of Learnings that wait follow it. A delay that the API or the operator set changes no deadline.
 */
export async function followDelay(store: Store, organization: string, repositoryId?: string): Promise<void> {
  for await (const learning of pendingLearnings(store.table, { organization })) {
    if (repositoryId !== undefined && learning.repository_id !== repositoryId) continue;
    await retryOnConflict(store, () => moveDeadline(store, learning));
  }
}

async function moveDeadline(
  { table, clock, random }: Store,
  { organization, repository_id, id }: LearningItem,
): Promise<void> {
  const [owner, repository, record] = await table.getMany([
    kinds.organization.key({ organization }),
    kinds.repository.key({ organization, repositoryId: repository_id }),
    kinds.learning.key({ organization, learningId: id }),
  ]);
  if (!owner || !repository || !record) return;
  const learning = parseLearning(record);
  const { tenant, ...ofOrganization } = parseOrganization(owner);
  const ofRepository = parseRepository(repository);
  const settings = ofRepository.approval_delay_days === null ? ofOrganization : ofRepository;
  const { waits_since, state, approve_at } = learning;
  const { approval_delay_days: days, delay_decided: isDecided } = settings;
  if (state !== "pending" || waits_since === undefined || isDecided || days === null) return;
  const nowMs = clock.nowMs();
  const deadline = deadlineOf(waits_since, days, nowMs);
  if (deadline === approve_at) return;
  const at = writeContext({ nowMs, random }, tenant);
  await table.transact(recordWrites(at, learning, changedLearning(at, learning, { approve_at: deadline })));
}
