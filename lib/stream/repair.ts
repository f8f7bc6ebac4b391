import * as kinds from "../contract/items.ts";
import { partsOf } from "../contract/kind.ts";
import { streamLimits } from "../contract/limits.ts";
import type { TenantKey } from "../contract/tenants.ts";
import { inChunks } from "../runtime/chunks.ts";
import { type Item, type Key, writeIf } from "../store/table.ts";
import { readHead } from "./head.ts";
import { parsePointer } from "./pointer.ts";
import { type Begun, type Boundaries, RepairRun } from "./repair-run.ts";
import { StreamBusy, type StreamDeps } from "./stream.ts";
import { encodeWeeks, noteWeeks, type WeekSpan } from "./weeks.ts";

/** The content of a stream as the repair found it: two numbers per week are all that the head needs. */
type StreamContent = { weeks: readonly WeekSpan[]; highest: number };

/**
 * The first part of a repair after a restore, while nothing else runs. A restored table is not a snapshot: the last
 * second before the restore point may hold half an append. This part scans the table once, publishes appends, and moves
 * every stream's numbers ahead, so that a cursor issued after the restore point cannot be beyond what is written next.
 * It can be repeated. `onItem` receives every item of the table, so that other repairs need not scan it again. The
 * second part, `mendStreams`, needs the boundaries: numbers from before the restore are below them.
 */
export async function renumberStreams(
  deps: StreamDeps,
  onItem: (item: Item) => void = () => {},
): Promise<Boundaries> {
  const { repairSegments } = deps.limits ?? streamLimits;
  const streams = new Map<TenantKey, StreamContent>();
  const segments = Array.from({ length: repairSegments }, (_, index) => ({ index, of: repairSegments }));
  await Promise.all(
    segments.map(async (segment) => {
      let resume: Key | undefined;
      do {
        const page = await deps.table.scanPage({ segment }, resume);
        for (const item of page.items) {
          onItem(item);
          noteItem(streams, item);
        }
        resume = page.resume;
      } while (resume);
    }),
  );
  const before = new Map<TenantKey, number>();
  await inChunks([...streams], repairSegments, async ([tenant, found]) =>
    before.set(tenant, await renumber(deps, tenant, found)),
  );
  return before;
}

function noteItem(streams: Map<TenantKey, StreamContent>, item: Item): void {
  const place = partsOf(kinds.pointer, item);
  const pointer = place && parsePointer(item, place.organization);
  const tenant = pointer?.tenant ?? partsOf(kinds.streamHead, item)?.tenant;
  if (tenant === undefined) return;
  const found = streams.get(tenant) ?? { weeks: [], highest: 0 };
  streams.set(tenant, found);
  if (!pointer) return;
  found.weeks = noteWeeks(found.weeks, Object.values(pointer.places));
  found.highest = Math.max(found.highest, pointer.number);
}

/** Stores what the second part needs, so that it can be stopped and continued. */
export const startRepair = (deps: StreamDeps, begun: Begun, before: Boundaries): Promise<RepairRun> =>
  RepairRun.start(deps.table, begun, before, (deps.limits ?? streamLimits).repairSegments);

async function renumber(
  deps: StreamDeps,
  tenant: TenantKey,
  { weeks, highest }: StreamContent,
): Promise<number> {
  const { attemptsMax, repairNumbersGap } = deps.limits ?? streamLimits;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const head = await readHead(deps.table, tenant);
    const next = Math.max(highest + 1, head.next) + repairNumbersGap;
    const set = [
      ["n", next],
      ["p", next - 1],
      ["w", encodeWeeks(mergeWeeks(head.weeks, weeks))],
    ] as const;
    const isWritten = await writeIf(deps.table, {
      update: kinds.streamHead.key({ tenant }),
      change: { set, remove: ["q"] },
      when: { any: [{ absent: "n" }, { equals: ["n", head.next] }] },
    });
    if (isWritten) return next;
  }
  throw new StreamBusy("A repair needs the writers to stand still.");
}

const mergeWeeks = (one: readonly WeekSpan[], other: readonly WeekSpan[]): WeekSpan[] =>
  noteWeeks(
    one,
    other.flatMap(({ week, lowest, highest }) => [
      { week, number: lowest },
      { week, number: highest },
    ]),
  );
