import { indexLimits } from "../contract/limits.ts";
import type { Clock } from "../runtime/clock.ts";
import { describeError, log } from "../runtime/log.ts";
import { parseOrganizationDirectory } from "../store/items/organization.ts";
import { CorruptItem } from "../store/items/parse.ts";
import {
  parseReconciler,
  parseReconcilerMarkers,
  parseStale,
  type ReconcilerItem,
  type StaleItem,
} from "../store/items/vector.ts";
import { organizationDirectoryPartition, reconcilerKey, reconcilerMarkersKey } from "../store/layout.ts";
import { queryAll, type Table } from "../store/table.ts";
import { differences } from "./differences.ts";
import { nothing, plus, type RefreshDeps, type Report, refresh, staleMarkers } from "./refresh.ts";
import { type Change, markStale, shardOf } from "./stale.ts";

export type ReconcileDeps = RefreshDeps & { readonly clock: Clock };

/** One scheduled run: changes that writers left unindexed, then a part of the slow full pass. */
export async function reconcileSome(deps: ReconcileDeps): Promise<Report> {
  const refreshed = await refresh(deps, await nextMarkers(deps));
  return plus(refreshed, await continueFullPass(deps));
}

/**
 * Returns some markers, starting after those of the last run: markers that always fail are tried once per round and do
 * not block the others.
 */
async function nextMarkers({ table, clock }: ReconcileDeps): Promise<readonly StaleItem[]> {
  const stored = await table.get(reconcilerMarkersKey);
  const from = stored && parseReconcilerMarkers(stored);
  const markers: StaleItem[] = [];
  for await (const marker of staleMarkers(table, { nowMs: clock.nowMs(), everything: false, from })) {
    markers.push(marker);
    if (markers.length >= indexLimits.staleMarkersPerRunMax) break;
  }
  const last = markers.at(-1);
  if (last) await table.write({ put: { ...reconcilerMarkersKey, shard: shardOf(last.id), after: last.sk } });
  return markers;
}

/** Reconciles everything at once, for the operator. Calls `onProgress` with the sum so far after every piece. */
export async function reconcileAll(
  deps: ReconcileDeps,
  onProgress: (soFar: Report) => void = () => {},
): Promise<Report> {
  const markers = await Array.fromAsync(
    staleMarkers(deps.table, { nowMs: deps.clock.nowMs(), everything: true }),
  );
  let report = await refresh(deps, markers);
  for (let place: Place | null = beginning; place !== null; ) {
    onProgress(report);
    const piece: Piece = await inspect(deps, place);
    report = plus(report, piece.report);
    place = piece.next;
  }
  return report;
}

/**
 * The place is stored in the table, because a pass takes many runs. If the embedder changes, the pass starts again
 * immediately.
 */
async function continueFullPass(deps: ReconcileDeps): Promise<Report> {
  const stored = await deps.table.get(reconcilerKey);
  const start = startOf(stored && parseReconciler(stored), deps);
  if (!start) return nothing;
  const { report, next } = await inspect(deps, start);
  await deps.table.write({
    put: {
      ...reconcilerKey,
      embedder: deps.embedder.id,
      organization: next?.organization ?? null,
      learning: next?.learning ?? "",
      ended_at_ms: next ? 0 : deps.clock.nowMs(),
    },
  });
  return report;
}

/** The organization in progress, by its place in the directory, and the last of its Learnings that was checked. */
type Place = { readonly organization: string; readonly learning: string };
type Piece = { readonly report: Report; readonly next: Place | null };

const beginning: Place = { organization: "", learning: "" };

function startOf(state: ReconcilerItem | undefined, { clock, embedder }: ReconcileDeps): Place | null {
  if (!state || state.embedder !== embedder.id) return beginning;
  if (state.organization !== null) return { organization: state.organization, learning: state.learning };
  return clock.nowMs() - state.ended_at_ms >= indexLimits.fullPassEveryMs ? beginning : null;
}

/** Sorts after every id. */
const endOfLearnings = "~";

/** Checks a limited number of Learnings and organizations, and repairs differences. `next` is null at the end. */
async function inspect(deps: ReconcileDeps, start: Place): Promise<Piece> {
  let report = nothing;
  let organizations = 0;
  for await (const { sk, uuid } of organizationsFrom(deps.table, start.organization)) {
    let learning = sk === start.organization ? start.learning : "";
    const changes: Change[] = [];
    for await (const { id, difference, damage } of differences(deps, uuid, learning)) {
      if (damage) logDamage(damage);
      report = plus(report, { ...nothing, looked_at: 1, failed: damage ? 1 : 0 });
      if (difference) changes.push(difference);
      learning = id;
      if (report.looked_at >= indexLimits.inspectedPerRunMax) break;
    }
    report = plus(report, await repair(deps, changes));
    const isFull = report.looked_at >= indexLimits.inspectedPerRunMax;
    if (isFull) return { report, next: { organization: sk, learning } };
    if (++organizations >= indexLimits.organizationsPerRunMax)
      return { report, next: { organization: sk, learning: endOfLearnings } };
  }
  return { report, next: null };
}

/** Writes the markers first: if this run ends here, or the embedder fails, a later run finds them. */
async function repair(deps: ReconcileDeps, changes: readonly Change[]): Promise<Report> {
  if (changes.length === 0) return nothing;
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
  for await (const item of queryAll(table, { pk: organizationDirectoryPartition, ...(from && { from }) })) {
    try {
      yield parseOrganizationDirectory(item);
    } catch (error) {
      if (!(error instanceof CorruptItem)) throw error;
      logDamage(error);
    }
  }
}

const logDamage = (damage: CorruptItem): void =>
  log("error", "The reconciler passed over a damaged item.", { cause: describeError(damage) });
