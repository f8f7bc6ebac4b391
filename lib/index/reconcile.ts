import * as kinds from "../contract/items.ts";
import { indexLimits } from "../contract/limits.ts";
import type { Clock } from "../runtime/clock.ts";
import { describeError, log } from "../runtime/log.ts";
import { parseOrganizationDirectory } from "../store/items/organization.ts";
import type { CorruptItem } from "../store/items/parse.ts";
import { unlessDamaged } from "../store/items/unless-damaged.ts";
import {
  parseReconciler,
  parseReconcilerMarkers,
  parseStale,
  type ReconcilerItem,
  type StaleItem,
} from "../store/items/vector.ts";
import { queryAll, type Table } from "../store/table.ts";
import { differences } from "./differences.ts";
import {
  addReports,
  emptyReport,
  type ReconcileReport,
  type RefreshDeps,
  reconciler,
  refresh,
  staleMarkers,
} from "./refresh.ts";
import { type LearningRevision, markStale, shardOf } from "./stale.ts";

export type ReconcileDeps = RefreshDeps & { readonly clock: Clock };

/**
 * One scheduled run, in pieces: changes that writers left unindexed, then a part of the full pass. Ends when there is
 * nothing more to do, after `endMs`, or with the first piece that fails: the next run tries again.
 */
export async function reconcileSome(deps: ReconcileDeps, endMs = 0): Promise<ReconcileReport> {
  let report = emptyReport;
  let hasMore: boolean;
  do {
    const markers = await nextMarkers(deps);
    report = addReports(report, await refresh(deps, markers));
    const piece = await continueFullPass(deps);
    report = addReports(report, piece.report);
    hasMore = markers.length > 0 || piece.next !== null;
  } while (hasMore && report.failed === 0 && deps.clock.nowMs() < endMs);
  return report;
}

/** After those of the last run: markers that always fail are tried once per round and do not block the others. */
async function nextMarkers({ table, clock }: ReconcileDeps): Promise<readonly StaleItem[]> {
  const stored = await table.get(kinds.reconcilerMarkers.key());
  const from = stored && parseReconcilerMarkers(stored);
  const markers: StaleItem[] = [];
  for await (const marker of staleMarkers(table, { nowMs: clock.nowMs(), everything: false, from })) {
    markers.push(marker);
    if (markers.length >= indexLimits.staleMarkersPerPieceMax) break;
  }
  const last = markers.at(-1);
  if (last)
    await table.write({ put: { ...kinds.reconcilerMarkers.key(), shard: shardOf(last.id), after: last.sk } });
  return markers;
}

/** Reconciles everything at once, for the operator. Calls `onProgress` with the sum so far after every piece. */
export async function reconcileAll(
  deps: ReconcileDeps,
  onProgress: (soFar: ReconcileReport) => void = () => {},
): Promise<ReconcileReport> {
  const markers = await Array.fromAsync(
    staleMarkers(deps.table, { nowMs: deps.clock.nowMs(), everything: true }),
  );
  let report = await refresh(deps, markers);
  for (let place: ReconcilePosition | null = firstPosition; place !== null; ) {
    onProgress(report);
    const piece: Piece = await inspect(deps, place);
    report = addReports(report, piece.report);
    place = piece.next;
  }
  return report;
}

/** Stored in the table, because a pass takes many runs. If the embedder changes, the pass starts again at once. */
async function continueFullPass(deps: ReconcileDeps): Promise<Piece> {
  const stored = await deps.table.get(kinds.reconciler.key());
  const start = startOf(stored && parseReconciler(stored), deps);
  if (!start) return { report: emptyReport, next: null };
  const piece = await inspect(deps, start);
  const { next } = piece;
  await deps.table.write({
    put: {
      ...kinds.reconciler.key(),
      embedder: deps.embedder.id,
      organization: next?.organization ?? null,
      learning: next?.learning ?? "",
      ended_at_ms: next ? 0 : deps.clock.nowMs(),
    },
  });
  return piece;
}

/** The organization in progress, by its place in the directory, and the last of its Learnings that was checked. */
type ReconcilePosition = { readonly organization: string; readonly learning: string };
type Piece = { readonly report: ReconcileReport; readonly next: ReconcilePosition | null };

const firstPosition: ReconcilePosition = { organization: "", learning: "" };

function startOf(
  state: ReconcilerItem | undefined,
  { clock, embedder }: ReconcileDeps,
): ReconcilePosition | null {
  if (!state || state.embedder !== embedder.id) return firstPosition;
  if (state.organization !== null) return { organization: state.organization, learning: state.learning };
  return clock.nowMs() - state.ended_at_ms >= indexLimits.fullPassEveryMs ? firstPosition : null;
}

/** Sorts after every id. */
const endOfLearnings = "~";

/** Checks a limited number of Learnings and organizations, and repairs differences. `next` is null at the end. */
async function inspect(deps: ReconcileDeps, start: ReconcilePosition): Promise<Piece> {
  let report = emptyReport;
  let organizations = 0;
  for await (const { sk, uuid } of organizationsFrom(deps.table, start.organization)) {
    let learning = sk === start.organization ? start.learning : "";
    const changes: LearningRevision[] = [];
    for await (const { id, difference, damage } of differences(deps, uuid, learning)) {
      if (damage) logDamage(damage);
      report = addReports(report, { ...emptyReport, looked_at: 1, failed: damage ? 1 : 0 });
      if (difference) changes.push(difference);
      learning = id;
      if (report.looked_at >= indexLimits.inspectedPerPieceMax) break;
    }
    report = addReports(report, await repair(deps, changes));
    const isFull = report.looked_at >= indexLimits.inspectedPerPieceMax;
    if (isFull) return { report, next: { organization: sk, learning } };
    if (++organizations >= indexLimits.organizationsPerPieceMax)
      return { report, next: { organization: sk, learning: endOfLearnings } };
  }
  return { report, next: null };
}

/** Writes the markers first: if this run ends here, or the embedder fails, a later run finds them. */
async function repair(deps: ReconcileDeps, changes: readonly LearningRevision[]): Promise<ReconcileReport> {
  if (changes.length === 0) return emptyReport;
  const markers = changes.map((change) => markStale(change, deps.clock.nowMs()));
  await deps.table.writeMany(markers);
  const report = await refresh(
    deps,
    markers.map(({ put }) => parseStale(put)),
  );
  return { ...report, looked_at: 0 };
}

/** Skips rows that cannot be read: they would end every pass at the same place. */
async function* organizationsFrom(table: Table, from: string) {
  for await (const item of queryAll(table, {
    pk: kinds.organizationDirectory.partition(),
    ...(from && { from }),
  })) {
    const organization = unlessDamaged(parseOrganizationDirectory, item, reconciler);
    if (organization) yield organization;
  }
}

const logDamage = (damage: CorruptItem): void =>
  log("error", `${reconciler} skipped a damaged item.`, { cause: describeError(damage) });
