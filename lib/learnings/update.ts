import { auditWritesFor } from "../audit/entry.ts";
import { ApiError } from "../contract/api-error.ts";
import * as kinds from "../contract/items.ts";
import type { Embedder, Embedding } from "../index/embedder.ts";
import { type ChangedLearning, indexChanged } from "../index/follow.ts";
import { isIndexCurrent, isOfRevision, vectorItems, vectorKeys } from "../index/write-vectors.ts";
import { redact, redactPath } from "../redaction/redact.ts";
import type { LearningItem } from "../store/items/learning.ts";
import { parseVectorHead, vectorHeadAttributes } from "../store/items/vector.ts";
import { retryOnConflict } from "../store/retry-on-conflict.ts";
import { ConditionFailed, type Item, type TransactionWrite } from "../store/table.ts";
import { embedOnce } from "./batch/plan.ts";
import type { LearningRequest, LocatedLearning } from "./find.ts";
import { firstWords } from "./first-words.ts";
import { contentDigest } from "./identity.ts";
import { type LearningRecord, nameKeys, namesFrom, toLearningRecord } from "./present.ts";
import { heldLearning } from "./read-learning.ts";
import { changedLearning, recordWrites, replaceWrites, writeContext } from "./record.ts";
import { textOwner, textWrite } from "./text-owner.ts";
import { indexRefreshFailed, type LearningDeps, learningEvent, shortenedText } from "./writer.ts";

export type UpdateRequest = LearningRequest & {
  readonly text: string;
  /** Null clears the field; undefined keeps the stored value. */
  readonly file?: string | null | undefined;
  readonly sourceUrl?: string | null | undefined;
};

/** Id, author and state stay. Repeating the same update only brings the index up to date. */
export async function updateLearning(deps: LearningDeps, request: UpdateRequest): Promise<LearningRecord> {
  const { file, sourceUrl } = request;
  const wanted: Wanted = {
    text: redact(request.text).text,
    ...(file !== undefined && { file: file && redactPath(file).text }),
    ...(sourceUrl !== undefined && { source_url: sourceUrl && redact(sourceUrl).text }),
  };
  const embed = embedOnce(deps);
  const { record, behind } = await retryOnConflict(deps, async (attempt) => {
    const ahead = attempt === 0 ? request.ahead : undefined;
    const held = await heldLearning(deps.table, { ...request, ahead });
    return await replace(deps, held, wanted, embed);
  });
  if (behind) {
    const failed = await indexChanged(deps, [behind]);
    for (const [, reason] of failed) throw indexRefreshFailed(reason);
  }
  return record;
}

type Replaced = {
  readonly record: LearningRecord;
  /** What the index still has to follow. If the text could be embedded, its vectors were written with the record. */
  readonly behind: ChangedLearning | undefined;
};

/** The fields to change, redacted. */
type Wanted = Pick<LearningItem, "text"> & Partial<Pick<LearningItem, "file" | "source_url">>;

async function replace(
  deps: LearningDeps,
  { organization, learning }: LocatedLearning,
  wanted: Wanted,
  embed: ReturnType<typeof embedOnce>,
): Promise<Replaced> {
  const digest = contentDigest(learning.repository_id, wanted.text);
  const isIndexed = learning.state === "approved";
  const target = { ...learning, ...wanted };
  const isSame = fields.every((name) => target[name] === learning[name]);
  // Started in parallel with the reads, as soon as the limiter has admitted the call: it takes about as long.
  const embedding = isIndexed && !isSame ? embed(target) : undefined;
  const beside = await readRelated(deps, learning, digest);
  const present = (after: LearningItem) => toLearningRecord(after, organization, namesFrom(beside.names));
  if (isSame) {
    const isCurrent =
      isIndexCurrent(beside.heads, learning, deps.embedder) && isOfRevision(beside.heads, learning);
    const isSettled = !isIndexed || isCurrent;
    return {
      record: present(learning),
      behind: isSettled ? undefined : { learning, embedding: embed(learning), isMarked: false },
    };
  }
  if (digest !== learning.digest) checkOwner(learning, beside.newText);
  const at = writeContext({ nowMs: deps.clock.nowMs(), random: deps.random }, organization.tenant, {
    indexedByWriter: true,
  });
  const updated = changedLearning(at, learning, { ...wanted, digest, captured_as: undefined });
  const vector = await embedding?.catch(() => undefined);
  await deps.table.transact([
    // Without its vectors the record leaves a marker, and the index follows later.
    ...(vector
      ? [...replaceWrites(learning, updated), ...replaceVectors(learning, updated, deps.embedder, vector)]
      : recordWrites(at, learning, updated)),
    ...(digest === learning.digest ? [] : moveText(learning, updated, beside)),
    ...auditWritesFor(
      deps,
      learningEvent(organization, "learning.updated", [learning.id], changesOf(learning, updated)),
    ),
  ]);
  const isBehind = embedding !== undefined && vector === undefined;
  return {
    record: present(updated),
    behind: isBehind ? { learning: updated, embedding, isMarked: true } : undefined,
  };
}

const fields = ["text", "file", "source_url"] as const;

/** Only the fields that differ, under their API names. */
function changesOf(before: LearningItem, after: LearningItem) {
  const changed = fields.filter((name) => before[name] !== after[name]);
  const entriesOf = (from: LearningItem, name: (typeof fields)[number]) =>
    name === "text" ? Object.entries(firstWords(from)) : [[name, shortenedText(from[name])]];
  const valuesOf = (from: LearningItem) =>
    Object.fromEntries(changed.flatMap((name) => entriesOf(from, name)));
  return { before: valuesOf(before), after: valuesOf(after) };
}

/** A shorter text has fewer pieces: surplus vectors are deleted. */
const replaceVectors = (
  before: LearningItem,
  after: LearningItem,
  embedder: Embedder,
  embedding: Embedding,
): TransactionWrite[] => [
  ...vectorItems(after, embedder, embedding).map((item) => ({ put: item })),
  ...vectorKeys(before)
    .slice(embedding.length)
    .map((key) => ({ delete: key })),
];

function checkOwner({ id }: LearningItem, newText: Item | undefined): void {
  const { learningId: owner } = textOwner(newText);
  // This Learning already has the text: another request made the same change since the record was read.
  if (owner === id) throw new ConditionFailed(newText);
  if (owner !== null)
    throw new ApiError("LEARNING_EXISTS", "Another Learning of the repository has this text.");
}

type RelatedItems = {
  readonly oldText: Item | undefined;
  readonly newText: Item | undefined;
  readonly names: ReadonlyArray<Item | undefined>;
  readonly heads: ReadonlyArray<ReturnType<typeof parseVectorHead> | undefined>;
};

async function readRelated(
  { table }: LearningDeps,
  learning: LearningItem,
  digest: string,
): Promise<RelatedItems> {
  const { organization } = learning;
  const [[oldText, newText, ...names], heads] = await Promise.all([
    table.getMany([
      kinds.text.key({ organization, digest: learning.digest }),
      kinds.text.key({ organization, digest }),
      ...nameKeys(learning),
    ]),
    Promise.all(vectorKeys(learning).map((key) => table.get(key, { only: vectorHeadAttributes }))),
  ]);
  return { oldText, newText, names, heads: heads.map((head) => head && parseVectorHead(head)) };
}

/** The id stays with the text it was derived from: another Learning with that text gets the next generation. */
const moveText = (
  { organization, digest, id }: LearningItem,
  after: LearningItem,
  { oldText, newText }: RelatedItems,
): TransactionWrite[] => [
  textWrite(organization, digest, oldText, { learningId: null }),
  textWrite(organization, after.digest, newText, { learningId: id }),
];
