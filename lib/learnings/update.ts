import { isReadable, type ReadableRepositories } from "../access/readable.ts";
import { changeEntry } from "../audit/entry.ts";
import { Fault } from "../contract/fault.ts";
import { type Fresh, followChanged } from "../index/follow.ts";
import { isRight, vectorOf } from "../index/place.ts";
import { decideAnew } from "../store/decide.ts";
import type { LearningItem } from "../store/items/learning.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { parseVectorHead, vectorHeadAttributes } from "../store/items/vector.ts";
import { textKey, vectorKey } from "../store/layout.ts";
import { ConditionFailed, type Item, type TransactionWrite } from "../store/table.ts";
import { embedOnce } from "./batch/plan.ts";
import { findLearning, type Held } from "./find.ts";
import { contentDigest } from "./identity.ts";
import { indexRefreshFailed } from "./index-fault.ts";
import { type LearningRecord, nameKeys, namesFrom, toLearningRecord } from "./present.ts";
import { changed, moment, recordWrites, replaceWrites } from "./record.ts";
import { redact } from "./redaction/redact.ts";
import { textOwner, textWrite } from "./text-owner.ts";
import { type LearningDeps, learningEvent } from "./writer.ts";

export type UpdateRequest = {
  readonly organizations: readonly OrganizationItem[];
  readonly readable: ReadableRepositories;
  readonly id: string;
  readonly text: string;
  /** The record, where it was read with authentication. */
  readonly ahead?: Item | undefined;
};

/** Replaces the text; its id, author and state stay. The same text again only lets the index follow. */
export async function updateLearning(deps: LearningDeps, request: UpdateRequest): Promise<LearningRecord> {
  const { organizations, id } = request;
  const text = redact(request.text).text;
  const embed = embedOnce(deps);
  let { ahead } = request;
  const { record, behind } = await decideAnew(deps, async () => {
    const held = await findLearning(deps.table, organizations, id, ahead);
    ahead = undefined;
    if (!held || !isReadable(request.readable, held.learning.repository_id))
      throw new Fault("LEARNING_NOT_FOUND", "No Learning of the key's scope has this id.");
    return await replaceText(deps, held, text, embed);
  });
  if (behind) {
    const failed = await followChanged(deps, [behind]);
    for (const [, reason] of failed) throw indexRefreshFailed(reason);
  }
  return record;
}

type Replaced = {
  readonly record: LearningRecord;
  /** What the index has yet to follow; wherever the text could be embedded, it was written with the record. */
  readonly behind: Fresh | undefined;
};

async function replaceText(
  deps: LearningDeps,
  { organization, learning }: Held,
  text: string,
  embed: ReturnType<typeof embedOnce>,
): Promise<Replaced> {
  const digest = contentDigest(learning.repository_id, text);
  const isIndexed = learning.state === "approved";
  // Begun beside the reads: it takes about as long.
  const embedding = isIndexed && digest !== learning.digest ? embed({ ...learning, text }) : undefined;
  const beside = await readBeside(deps, learning, digest);
  const present = (after: LearningItem) => toLearningRecord(after, organization, namesFrom(beside.names));
  if (digest === learning.digest) {
    const isSettled = !isIndexed || isRight(beside.head, learning, deps.embedder);
    return {
      record: present(learning),
      behind: isSettled ? undefined : { learning, embedding: embed(learning), isMarked: false },
    };
  }
  const { learningId: owner } = textOwner(beside.newText);
  // It has the text already: another request made the same change since the record was read.
  if (owner === learning.id) throw new ConditionFailed(beside.newText);
  if (owner !== null) {
    throw new Fault("LEARNING_EXISTS", "Another Learning of the repository has this text.");
  }
  const at = moment({ nowMs: deps.clock.nowMs(), chance: deps.chance }, organization.tenant, {
    indexedByWriter: true,
  });
  const updated = changed(at, learning, { text, digest });
  const vector = await embedding?.catch(() => undefined);
  await deps.table.transact([
    // Without its vector the record leaves a marker, and the index follows later.
    ...(vector
      ? [...replaceWrites(learning, updated), { put: vectorOf(updated, deps.embedder, vector) }]
      : recordWrites(at, learning, updated)),
    ...moveText(learning, updated, beside),
    ...changeEntry(deps, learningEvent(organization, "learning.updated", [learning.id])),
  ]);
  const isBehind = embedding !== undefined && vector === undefined;
  return {
    record: present(updated),
    behind: isBehind ? { learning: updated, embedding, isMarked: true } : undefined,
  };
}

type Beside = {
  readonly oldText: Item | undefined;
  readonly newText: Item | undefined;
  readonly names: ReadonlyArray<Item | undefined>;
  readonly head: ReturnType<typeof parseVectorHead> | undefined;
};

async function readBeside({ table }: LearningDeps, learning: LearningItem, digest: string): Promise<Beside> {
  const { organization, id } = learning;
  const [[oldText, newText, ...names], head] = await Promise.all([
    table.getMany([
      textKey(organization, learning.digest),
      textKey(organization, digest),
      ...nameKeys(learning),
    ]),
    table.get(vectorKey(organization, id), { only: vectorHeadAttributes }),
  ]);
  return { oldText, newText, names, head: head && parseVectorHead(head) };
}

/** The id stays with the text it was made of: that text, should somebody else want it, makes the next one. */
const moveText = (
  { organization, digest, id }: LearningItem,
  after: LearningItem,
  { oldText, newText }: Beside,
): TransactionWrite[] => [
  textWrite(organization, digest, oldText, { learningId: null }),
  textWrite(organization, after.digest, newText, { learningId: id }),
];
