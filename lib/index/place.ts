import { storeLimits } from "../contract/limits.ts";
import { tableShape } from "../contract/table.ts";
import type { Chance } from "../runtime/chance.ts";
import type { LearningItem } from "../store/items/learning.ts";
import type { VectorHead, VectorItem } from "../store/items/vector.ts";
import { learningKey, vectorKey } from "../store/layout.ts";
import type { Key, Table } from "../store/table.ts";
import { type Embedder, spaceOf } from "./embedder.ts";
import { markStale } from "./stale.ts";

const { vectorAttribute, hashAttribute, filterAttribute } = tableShape.vectorIndex;

export type PlaceDeps = { readonly table: Table; readonly chance: Chance };

/** What the index should hold of one Learning, and the change that this follows from. */
export type Placement = {
  readonly organization: string;
  readonly id: string;
  /** Null: nothing. Undefined: what is there already is right. */
  readonly vector: VectorItem | null | undefined;
  /** Revision of the record it was derived from; null when there was no record. */
  readonly follows: string | null;
  /** Markers that are settled by this. */
  readonly markers: readonly Key[];
};

export const vectorOf = (
  { organization, id, repository_id, digest, revision }: LearningItem,
  embedder: Embedder,
  vector: readonly number[],
): VectorItem => ({
  ...vectorKey(organization, id),
  [vectorAttribute]: [...vector],
  [hashAttribute]: spaceOf(organization, embedder),
  [filterAttribute]: repository_id,
  digest,
  revision,
});

/** Only shared, approved Learnings are in the index. */
export const isIndexed = ({ state }: Pick<LearningItem, "state">): boolean => state === "approved";

export const isRight = (
  head: VectorHead | undefined,
  learning: Pick<LearningItem, "organization" | "digest">,
  embedder: Embedder,
): boolean =>
  head?.digest === learning.digest && head[hashAttribute] === spaceOf(learning.organization, embedder);

/**
 * Writes, looks again, and only then forgets the markers. Whoever finds the record changed may have undone a newer
 * writer's vector, so it leaves a marker for the reconciler: no order of writers loses a vector for good.
 * Answers what could not be written, with the reason.
 */
export async function place(
  deps: PlaceDeps,
  placements: readonly Placement[],
): Promise<ReadonlyMap<Placement, unknown>> {
  const failed = new Map<Placement, unknown>();
  await Promise.all(
    chunks(placements, storeLimits.batchWriteItemsMax).map(async (chunk) => {
      try {
        await deps.table.writeMany(chunk.flatMap(writeOf));
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

function writeOf({ organization, id, vector }: Placement): Array<{ put: VectorItem } | { delete: Key }> {
  if (vector === undefined) return [];
  return [vector === null ? { delete: vectorKey(organization, id) } : { put: vector }];
}

const nameOf = ({ organization, id }: Placement): string => `${organization} ${id}`;

/** Records of the largest size, well within the 4 MiB of one reading transaction. */
const lookedAtTogetherMax = 25;

/** A marker too many costs the reconciler a look, so nothing here is worth failing for. */
async function settle({ table, chance }: PlaceDeps, placed: readonly Placement[]): Promise<void> {
  if (placed.length === 0) return;
  try {
    // Together, so that a change is seen whole: one that took its vector along may show there before its record.
    const keys = new Map(placed.map((each) => [nameOf(each), learningKey(each.organization, each.id)]));
    const looks = chunks([...keys.values()], lookedAtTogetherMax).map((some) => table.getTogether(some));
    const records = (await Promise.all(looks)).flat();
    const revisions = new Map([...keys.keys()].map((name, index) => [name, records[index]?.revision]));
    const isSettled = (placement: Placement) =>
      (revisions.get(nameOf(placement)) ?? null) === placement.follows;
    const writes = placed.map((placement) =>
      isSettled(placement)
        ? placement.markers.map((key) => ({ delete: key }))
        : [markAgain(placement, chance.uuid())],
    );
    await table.writeMany(writes.flat());
  } catch {}
}

/** A new one: its own may be gone by now, or about to go, since others index the same change too. */
const markAgain = ({ organization, id }: Placement, revision: string) =>
  markStale({ organization, id, revision }, 0);

export function chunks<Element>(elements: readonly Element[], size: number): Element[][] {
  return Array.from({ length: Math.ceil(elements.length / size) }, (_, index) =>
    elements.slice(index * size, (index + 1) * size),
  );
}
