import { indexLimits } from "../contract/limits.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Table } from "../store/table.ts";
import { staleMarkers } from "./refresh.ts";

/** How far the index is behind: changes whose writer is gone and that are not indexed, and since when. */
export async function measureLag({
  table,
  clock,
}: {
  readonly table: Table;
  readonly clock: Clock;
}): Promise<{ index_stale: number; index_lag_seconds: number }> {
  const nowMs = clock.nowMs();
  let stale = 0;
  let oldestMs = nowMs;
  for await (const marker of staleMarkers(table, { nowMs, everything: false })) {
    stale++;
    oldestMs = Math.min(oldestMs, marker.left_behind_at_ms);
    // This number is enough to raise the alarm: the exact number is not needed.
    if (stale >= indexLimits.staleMarkersPerPieceMax) break;
  }
  return { index_stale: stale, index_lag_seconds: Math.round((nowMs - oldestMs) / 1000) };
}
