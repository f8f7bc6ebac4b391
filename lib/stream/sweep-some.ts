import * as z from "zod";
import * as kinds from "../contract/items.ts";
import { streamLimits } from "../contract/limits.ts";
import type { ErrorCollector } from "../runtime/error-collector.ts";
import { parseOrganizationDirectory } from "../store/items/organization.ts";
import { itemSchema, parseItem } from "../store/items/parse.ts";
import { queryAll } from "../store/table.ts";
import type { StreamDeps } from "./stream.ts";
import { sweepParts } from "./sweep.ts";

/** Where the last run stopped: an organization's place in the directory, and its last processed spill. */
const sweeperItem = itemSchema({
  /** Null when the run reached the end. */
  organization: z.string().nullable(),
  spill: z.string(),
});
export const parseSweeper = parseItem("sweeper's place", sweeperItem);

/** Sorts after every spill id. */
const endOfSpills = "~";

/** One scheduled run. A failure of one spill or organization is recorded in `pieces` and does not stop the others. */
export async function sweepSome(
  deps: StreamDeps,
  pieces: ErrorCollector,
): Promise<{ readonly dropped: number }> {
  const { table, clock, limits = streamLimits } = deps;
  const endMs = clock.nowMs() + limits.sweepMsMax;
  const stored = await table.get(kinds.sweeper.key());
  const place = stored && parseSweeper(stored);
  let dropped = 0;
  const stopAt = (organization: string | null, spill: string) =>
    table.write({ put: { ...kinds.sweeper.key(), organization, spill } });
  const range = {
    pk: kinds.organizationDirectory.partition(),
    ...(place?.organization && { from: place.organization }),
  };
  for await (const item of queryAll(table, range)) {
    const after = item.sk === place?.organization ? { after: place.spill } : {};
    let stoppedAt = endOfSpills;
    await pieces.run(async () => {
      const { uuid } = parseOrganizationDirectory(item);
      const swept = await sweepParts(deps, uuid, { ...after, endMs, each: (work) => pieces.run(work) });
      dropped += swept.dropped;
      stoppedAt = swept.stoppedAt ?? endOfSpills;
    });
    if (clock.nowMs() < endMs) continue;
    await stopAt(item.sk, stoppedAt);
    return { dropped };
  }
  if (place?.organization) await stopAt(null, "");
  return { dropped };
}
