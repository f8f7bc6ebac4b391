import { indexLimits, storeLimits } from "../contract/limits.ts";
import { tableShape } from "../contract/table.ts";
import { chunksOf } from "../runtime/chunks.ts";
import type { Random } from "../runtime/random.ts";
import type { LearningItem } from "../store/items/learning.ts";
import type { VectorHead, VectorItem } from "../store/items/vector.ts";
import { learningKey, vectorKey } from "../store/layout.ts";
import type { Key, Table } from "../store/table.ts";
import { type Embedder, type Embedding, spaceOf } from "./embedder.ts";
import { piecesOf } from "./pieces.ts";
import { markStale } from "./stale.ts";

const { vectorAttribute, hashAttribute, filterAttribute } = tableShape.vectorIndex;

export type PlaceDeps = { readonly table: Table; readonly random: Random };

/** What the index should hold of one Learning, and the change that this follows from. */
export type Placement = {
  readonly organization: string;
  readonly id: string;
  /** Empty: nothing. Undefined: what is there already is right. */
  readonly vectors: readonly VectorItem[] | undefined;
  /** Vectors that are not its own any more. */
  readonly strays: readonly Key[];
  /** Revision of the record it was derived from; null when there was no record. */
  readonly follows: string | null;
  /** Markers that are settled by this. */
  readonly markers: readonly Key[];
};

/** What the index holds of a Learning: an item for each piece of its text. */
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

/** Where these items lie. */
export const vectorKeys = ({ organization, id, text }: Pick<LearningItem, "organization" | "id" | "text">) =>
  piecesOf(text).map((_, piece) => vectorKey(organization, id, piece));

/** Only shared, approved Learnings are in the index. */
export const isIndexed = ({ state }: Pick<LearningItem, "state">): boolean => state === "approved";

/** Made from this text, by this embedder. */
export const isPieceCurrent = (
  head: VectorHead | undefined,
  learning: Pick<LearningItem, "organization" | "digest">,
  embedder: Embedder,
): boolean =>
  head?.digest === learning.digest && head[hashAttribute] === spaceOf(learning.organization, embedder);

/** Every piece is there and right; `heads` are what lies at the Learning's `vectorKeys`. */
export const isIndexCurrent = (
  heads: ReadonlyArray<VectorHead | undefined>,
  learning: Pick<LearningItem, "organization" | "digest" | "text">,
  embedder: Embedder,
): boolean =>
  heads.length === piecesOf(learning.text).length &&
  heads.every((head) => isPieceCurrent(head, learning, embedder));

/**
 * The same for whoever knows of a change: the digest is of the text alone, and another `file` makes other vectors too.
 */
export const isOfRevision = (
  heads: ReadonlyArray<VectorHead | undefined>,
  { file, revision }: Pick<LearningItem, "file" | "revision">,
): boolean => file === null || heads.every((head) => head?.revision === revision);

/**
 * Writes, looks again, and only then forgets the markers. Whoever finds the record changed may have undone a newer
 * writer's vector, so it leaves a marker for the reconciler: no order of writers loses a vector for good.
 * Answers what could not be written, with the reason.
 */
export async function writeVectors(
  deps: PlaceDeps,
  placements: readonly Placement[],
): Promise<ReadonlyMap<Placement, unknown>> {
  const failed = new Map<Placement, unknown>();
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

const writesOf = ({ vectors = [], strays }: Placement): Array<{ put: VectorItem } | { delete: Key }> => [
  ...vectors.map((vector) => ({ put: vector })),
  ...strays.map((key) => ({ delete: key })),
];

const nameOf = ({ organization, id }: Placement): string => `${organization} ${id}`;

/** A marker too many costs the reconciler a look, so nothing here is worth failing for. */
async function settle({ table, random }: PlaceDeps, placed: readonly Placement[]): Promise<void> {
  if (placed.length === 0) return;
  try {
    // Together, so that a change is seen whole: one that took its vector along may show there before its record.
    const keys = new Map(placed.map((each) => [nameOf(each), learningKey(each.organization, each.id)]));
    const looks = chunksOf([...keys.values()], indexLimits.recordsReadTogetherMax).map((some) =>
      table.transactGet(some),
    );
    const records = (await Promise.all(looks)).flat();
    const revisions = new Map([...keys.keys()].map((name, index) => [name, records[index]?.revision]));
    const isSettled = (placement: Placement) =>
      (revisions.get(nameOf(placement)) ?? null) === placement.follows;
    const writes = placed.map((placement) =>
      isSettled(placement)
        ? placement.markers.map((key) => ({ delete: key }))
        : [markAgain(placement, random.uuid())],
    );
    await table.writeMany(writes.flat());
  } catch {}
}

/** A new one: its own may be gone by now, or about to go, since others index the same change too. */
const markAgain = ({ organization, id }: Placement, revision: string) =>
  markStale({ organization, id, revision }, 0);
