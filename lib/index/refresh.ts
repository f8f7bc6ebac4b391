import * as kinds from "../contract/items.ts";
import { indexLimits, storeLimits } from "../contract/limits.ts";
import { chunksOf } from "../runtime/chunks.ts";
import { type LearningItem, parseLearning } from "../store/items/learning.ts";
import { unlessDamaged } from "../store/items/unless-damaged.ts";
import {
  parseStale,
  parseVectorHead,
  type StaleItem,
  type VectorHead,
  vectorHeadAttributes,
} from "../store/items/vector.ts";
import { type Item, identityOf, type Key, queryAll, type Range, type Table } from "../store/table.ts";
import { type Embedder, embedAll, embeddedTexts } from "./embedder.ts";
import {
  isIndexCurrent,
  isIndexed,
  isOfRevision,
  type VectorDeps,
  type VectorUpdate,
  vectorItems,
  vectorKeys,
  writeVectors,
} from "./write-vectors.ts";

export const reconciler = "The reconciler";

export type RefreshDeps = VectorDeps & { readonly embedder: Embedder };

/** The number of faults that were repaired, by kind, and of those that could not be. */
export type ReconcileReport = {
  readonly looked_at: number;
  readonly missing: number;
  readonly stale: number;
  readonly orphaned: number;
  readonly failed: number;
};
export const emptyReport: ReconcileReport = { looked_at: 0, missing: 0, stale: 0, orphaned: 0, failed: 0 };
export const addReports = (one: ReconcileReport, other: ReconcileReport): ReconcileReport => ({
  looked_at: one.looked_at + other.looked_at,
  missing: one.missing + other.missing,
  stale: one.stale + other.stale,
  orphaned: one.orphaned + other.orphaned,
  failed: one.failed + other.failed,
});

/** The position of a reader of the markers: a shard, and the last marker it has read there. */
export type MarkerPlace = { readonly shard: number; readonly after: string };

/**
 * Returns markers whose writers are gone; with `everything`, also those of writers that may still be working. Reads all
 * markers once, starting after `from`. A damaged marker is logged and does not stop the others.
 */
export async function* staleMarkers(
  table: Table,
  { nowMs, everything, from }: { nowMs: number; everything: boolean; from?: MarkerPlace | undefined },
): AsyncGenerator<StaleItem> {
  for (const range of markerRanges(from)) {
    for await (const item of queryAll(table, range)) {
      const marker = unlessDamaged(parseStale, item, reconciler);
      if (marker && (everything || marker.left_behind_at_ms <= nowMs)) yield marker;
    }
  }
}

/** All shards. The first shard is split: the part after the place comes first, the part up to it comes last. */
function markerRanges(from: MarkerPlace | undefined): Range[] {
  const { staleShards } = indexLimits;
  const { shard: first, after } = from ?? { shard: 0, after: "" };
  const others = Array.from({ length: staleShards - 1 }, (_, index) => ({
    pk: kinds.stale.partition({ shard: (first + 1 + index) % staleShards }),
  }));
  const pk = kinds.stale.partition({ shard: first % staleShards });
  return after === "" ? [{ pk }, ...others] : [{ pk, after }, ...others, { pk, upTo: after }];
}

/** Updates the index to match the records. Safe while writers are running: see `writeVectors`. */
export async function refresh(deps: RefreshDeps, markers: readonly StaleItem[]): Promise<ReconcileReport> {
  const byLearning = [...Map.groupBy(markers, ({ organization, id }) => `${organization}#${id}`).values()];
  let report = emptyReport;
  for (const some of chunksOf(byLearning, indexLimits.refreshedTogetherMax)) {
    report = addReports(report, await refreshSome(deps, some));
  }
  return report;
}

type IndexProblem = "missing" | "stale" | "orphaned";
type Planned = { readonly problem: IndexProblem | undefined; readonly placement: VectorUpdate };

async function refreshSome(
  { table, random, embedder }: RefreshDeps,
  groups: readonly (readonly StaleItem[])[],
): Promise<ReconcileReport> {
  const [pairs, found] = await Promise.all([
    readTogether(table, groups),
    Promise.all(groups.map(([first]) => first && readVectors(table, first))),
  ]);
  const planned = await Promise.allSettled(
    groups.map((group, index) => plan(embedder, group, pairs[index], found[index] ?? [])),
  );
  const plans = planned.flatMap((outcome) =>
    outcome.status === "fulfilled" && outcome.value ? [outcome.value] : [],
  );
  const notPlaced = await writeVectors(
    { table, random },
    plans.map(({ placement }) => placement),
  );
  const repaired = (problem: IndexProblem) =>
    plans.filter((each) => each.problem === problem && !notPlaced.has(each.placement)).length;
  return {
    looked_at: groups.length,
    missing: repaired("missing"),
    stale: repaired("stale"),
    orphaned: repaired("orphaned"),
    failed: planned.filter(({ status }) => status === "rejected").length + notPlaced.size,
  };
}

/**
 * Reads marker and record in one snapshot. To plain reads a transaction becomes visible item by item: if the marker of
 * a change were read with the record from before the change, the marker would be deleted without the change being
 * indexed.
 */
async function readTogether(
  table: Table,
  groups: readonly (readonly StaleItem[])[],
): Promise<ReadonlyArray<{ record: Item | undefined; markers: readonly Item[] }>> {
  return await Promise.all(
    groups.map(async ([first, ...others]) => {
      if (!first) return { record: undefined, markers: [] };
      const [record, ...markers] = await table.transactGet([
        kinds.learning.key({ organization: first.organization, learningId: first.id }),
        first,
        // If a Learning has more markers than this, the next run finds the others.
        ...others.slice(0, storeLimits.transactionReadsMax - 2),
      ]);
      return { record, markers: markers.filter((marker) => marker !== undefined) };
    }),
  );
}

/** A vector that the index stores for a Learning; without `head` it is damaged and treated as missing. */
type FoundVector = { readonly key: Key; readonly head: VectorHead | undefined };

/** All vectors of the Learning, including pieces of an earlier text. */
async function readVectors(table: Table, { organization, id }: StaleItem): Promise<readonly FoundVector[]> {
  const pk = kinds.vector.partition({ organization });
  const found: FoundVector[] = [];
  for await (const item of queryAll(table, { pk, beginsWith: id, only: vectorHeadAttributes }))
    found.push({ key: { pk, sk: item.sk }, head: unlessDamaged(parseVectorHead, item, reconciler) });
  return found;
}

async function plan(
  embedder: Embedder,
  [marker]: readonly StaleItem[],
  pair: { record: Item | undefined; markers: readonly Item[] } | undefined,
  found: readonly FoundVector[],
): Promise<Planned | undefined> {
  // Another process has indexed it since the marker was found.
  if (!marker || !pair || pair.markers.length === 0) return undefined;
  const { organization, id } = marker;
  const learning = pair.record && parseLearning(pair.record);
  const common = { organization, id, follows: learning?.revision ?? null, markers: pair.markers };
  const isNone = found.every(({ head }) => head === undefined);
  if (!learning || !isIndexed(learning)) {
    const strays = found.map(({ key }) => key);
    return { problem: isNone ? undefined : "orphaned", placement: { ...common, vectors: [], strays } };
  }
  const heads = new Map(found.map(({ key, head }) => [identityOf(key), head]));
  const own = vectorKeys(learning).map(identityOf);
  const strays = found.map(({ key }) => key).filter((key) => !own.includes(identityOf(key)));
  const ownHeads = own.map((key) => heads.get(key));
  const isWhole = isIndexCurrent(ownHeads, learning, embedder) && isOfRevision(ownHeads, learning);
  const problem = isNone ? "missing" : isWhole && strays.length === 0 ? undefined : "stale";
  const vectors = isWhole ? undefined : await vectorsFor(embedder, learning);
  return { problem, placement: { ...common, vectors, strays } };
}

const vectorsFor = async (embedder: Embedder, learning: LearningItem) =>
  vectorItems(learning, embedder, await embedAll(embedder, embeddedTexts(learning)));
