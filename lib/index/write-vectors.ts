import * as kinds from "../contract/items.ts";
import { indexLimits, storeLimits } from "../contract/limits.ts";
import { tableShape } from "../contract/table.ts";
import { chunksOf } from "../runtime/chunks.ts";
import type { Random } from "../runtime/random.ts";
import type { LearningItem } from "../store/items/learning.ts";
import type { VectorHead, VectorItem } from "../store/items/vector.ts";
import { vectorKey } from "../store/layout.ts";
import type { Key, Table } from "../store/table.ts";
import { type Embedder, type Embedding, spaceOf } from "./embedder.ts";
import { piecesOf } from "./pieces.ts";
import { markStale } from "./stale.ts";

const { vectorAttribute, hashAttribute, filterAttribute } = tableShape.vectorIndex;

export type VectorDeps = { readonly table: Table; readonly random: Random };

/** What the index should contain for one Learning, and the change that this is based on. */
export type VectorUpdate = {
  readonly organization: string;
  readonly id: string;
  /** Empty: no vectors. Undefined: the stored vectors are correct. */
  readonly vectors: readonly VectorItem[] | undefined;
  /** Vectors that no longer belong to the Learning. */
  readonly strays: readonly Key[];
  /** Revision of the record it was derived from; null if there was no record. */
  readonly follows: string | null;
  /** Markers that are removed once this is written. */
  readonly markers: readonly Key[];
};

/** The index items of a Learning: one for each piece of its text. */
export const vectorItems = (
  { organization, id, repository_id, digest, revision }: LearningItem,
  embedder: Embedder,
  embedding: Embedding,
): VectorItem[] =>
  embedding.map((vector, piece) => ({
    ...vectorKey(organization, id, piece),
    [vectorAttribute]: [...vector],
    [hashAttribute]: spaceOf(organization, embedder),
    [filterAttribute]: repository_id,
    digest,
    revision,
  }));

export const vectorKeys = ({ organization, id, text }: Pick<LearningItem, "organization" | "id" | "text">) =>
  piecesOf(text).map((_, piece) => vectorKey(organization, id, piece));

/** Only shared, approved Learnings are in the index. */
export const isIndexed = ({ state }: Pick<LearningItem, "state">): boolean => state === "approved";

/** Whether the vector was created from this text by this embedder. */
export const isPieceCurrent = (
  head: VectorHead | undefined,
  learning: Pick<LearningItem, "organization" | "digest">,
  embedder: Embedder,
): boolean =>
  head?.digest === learning.digest && head[hashAttribute] === spaceOf(learning.organization, embedder);

/** Whether every piece is stored and correct; `heads` are the items at the Learning's `vectorKeys`. */
export const isIndexCurrent = (
  heads: ReadonlyArray<VectorHead | undefined>,
  learning: Pick<LearningItem, "organization" | "digest" | "text">,
  embedder: Embedder,
): boolean =>
  heads.length === piecesOf(learning.text).length &&
  heads.every((head) => isPieceCurrent(head, learning, embedder));

/** When a change is known: the digest covers the text alone, and another `file` gives other vectors too. */
export const isOfRevision = (
  heads: ReadonlyArray<VectorHead | undefined>,
  { file, revision }: Pick<LearningItem, "file" | "revision">,
): boolean => file === null || heads.every((head) => head?.revision === revision);

/**
 * Writes, reads the records again, and only then removes the markers. If a record has changed, this may have
 * overwritten a newer writer's vector, so it writes a marker for the reconciler: no order of writers loses a vector
 * permanently. Returns the placements that could not be written, with the reason.
 */
export async function writeVectors(
  deps: VectorDeps,
  placements: readonly VectorUpdate[],
): Promise<ReadonlyMap<VectorUpdate, unknown>> {
  const failed = new Map<VectorUpdate, unknown>();
  await Promise.all(
    chunksOf(placements, storeLimits.batchWriteItemsMax).map(async (chunk) => {
      try {
        await deps.table.writeMany(chunk.flatMap(writesOf));
      } catch (error) {
        for (const placement of chunk) failed.set(placement, error);
      }
    }),
  );
  await settle(
    deps,
    placements.filter((placement) => !failed.has(placement)),
  );
  return failed;
}

const writesOf = ({ vectors = [], strays }: VectorUpdate): Array<{ put: VectorItem } | { delete: Key }> => [
  ...vectors.map((vector) => ({ put: vector })),
  ...strays.map((key) => ({ delete: key })),
];

const nameOf = ({ organization, id }: VectorUpdate): string => `${organization} ${id}`;

/** An unnecessary marker only costs the reconciler a check, so errors here are ignored. */
async function settle({ table, random }: VectorDeps, placed: readonly VectorUpdate[]): Promise<void> {
  if (placed.length === 0) return;
  try {
    // In a transaction: a change that includes its vector may become visible there before its record does.
    const keys = new Map(
      placed.map((each) => [
        nameOf(each),
        kinds.learning.key({ organization: each.organization, learningId: each.id }),
      ]),
    );
    const looks = chunksOf([...keys.values()], indexLimits.recordsReadTogetherMax).map((some) =>
      table.transactGet(some),
    );
    const records = (await Promise.all(looks)).flat();
    const revisions = new Map([...keys.keys()].map((name, index) => [name, records[index]?.revision]));
    const isSettled = (placement: VectorUpdate) =>
      (revisions.get(nameOf(placement)) ?? null) === placement.follows;
    const writes = placed.map((placement) =>
      isSettled(placement)
        ? placement.markers.map((key) => ({ delete: key }))
        : [markAgain(placement, random.uuid())],
    );
    await table.writeMany(writes.flat());
  } catch {}
}

/** A new marker: its own marker may be deleted already or soon, since other processes index the same change too. */
const markAgain = ({ organization, id }: VectorUpdate, revision: string) =>
  markStale({ organization, id, revision }, 0);
