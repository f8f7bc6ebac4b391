import { isReadable } from "../access/readable.ts";
import { type AuditedContext, auditWritesFor } from "../audit/entry.ts";
import { vectorKeys } from "../index/write-vectors.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { retryOnConflict } from "../store/retry-on-conflict.ts";
import { type Table, writeIf } from "../store/table.ts";
import { findLearning, findOrphans, type LearningRequest, type LocatedLearning } from "./find.ts";
import { firstWords } from "./first-words.ts";
import { removeWrites } from "./record.ts";
import { releaseWrites } from "./text-owner.ts";
import { indexRefreshFailed, learningEvent, shortenedText } from "./writer.ts";

/** Nothing of the Learning is left when this returns; one that the caller cannot see stays. */
export async function deleteLearning(deps: AuditedContext, request: LearningRequest): Promise<void> {
  const { organizations, readable, id, ahead } = request;
  const isKnown = await retryOnConflict(deps, async (attempt) => {
    const held = await findLearning(deps.table, organizations, id, attempt === 0 ? ahead : undefined);
    if (held && isReadable(readable, held.learning.repository_id)) await removeRecord(deps, held);
    return held !== undefined;
  });
  try {
    if (!isKnown) await removeOrphans(deps.table, organizations, id);
  } catch (error) {
    throw indexRefreshFailed(error);
  }
}

/** The same transaction deletes the vectors: the index has nothing left to follow. */
async function removeRecord(
  deps: AuditedContext,
  { organization, learning }: LocatedLearning,
): Promise<void> {
  const { id, repository_id, file, state } = learning;
  const nowMs = deps.clock.nowMs();
  const released = await releaseWrites(deps.table, learning, nowMs);
  const before = { ...firstWords(learning), repository_id, file: shortenedText(file), state };
  await deps.table.transact([
    ...removeWrites(learning, nowMs),
    ...vectorKeys(learning).map((key) => ({ delete: key })),
    ...released,
    ...auditWritesFor(deps, learningEvent(organization, "learning.deleted", [id], { before })),
  ]);
}

/** A writer that was indexing the Learning during its deletion may have written vectors after it. */
async function removeOrphans(
  table: Table,
  organizations: readonly OrganizationItem[],
  id: string,
): Promise<void> {
  const orphans = await findOrphans(table, organizations, id);
  // Created again between the two reads: the vectors may be its own.
  if (orphans.length > 0 && (await findLearning(table, organizations, id))) return;
  for (const { revision, ...key } of orphans) {
    // Keeps the vector of a Learning that is created again from now on.
    await writeIf(table, { delete: key, when: { equals: ["revision", revision] } }, { idempotent: true });
  }
}
