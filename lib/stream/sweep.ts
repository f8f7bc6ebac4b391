import * as kinds from "../contract/items.ts";
import { queryAll, writeIf } from "../store/table.ts";
import { parseHead } from "./head.ts";
import { type Pointer, parsePointer } from "./pointer.ts";
import {
  dropSpills,
  forgetSpill,
  markSpillForRemoval,
  parseSpill,
  type Spill,
  unmarkSpill,
} from "./spill.ts";
import { datasets, type StreamDeps } from "./stream.ts";

export type SweepResult = {
  readonly kept: number;
  readonly dropped: number;
  /** The last spill that was processed, if time was up before the end. */
  readonly stoppedAt?: string;
};

export type SweepRun = {
  /** Continues after this spill. */
  readonly after?: string;
  readonly endMs?: number;
  /** Runs the work on one spill; a caller that sweeps many spills catches the errors of each. */
  readonly each?: (work: () => Promise<void>) => Promise<void>;
};

/** Drops the parts of an organization's large entries that neither a pointer nor a pending append names. */
export async function sweepParts(
  deps: StreamDeps,
  organization: string,
  { after, endMs = Number.POSITIVE_INFINITY, each = (work) => work() }: SweepRun = {},
): Promise<SweepResult> {
  let kept = 0;
  let dropped = 0;
  const range = { pk: kinds.spill.partition({ organization }), ...(after !== undefined && { after }) };
  for await (const item of queryAll(deps.table, range)) {
    await each(async () => {
      const spill = parseSpill(item, organization);
      if (spill.pointerId === undefined) await forgetSpill(deps, spill);
      else if (await sweepSpill(deps, { ...spill, pointerId: spill.pointerId })) kept++;
      else dropped++;
    });
    if (deps.clock.nowMs() >= endMs) return { kept, dropped, stoppedAt: item.sk };
  }
  return { kept, dropped };
}

type StoredSpill = Spill & { readonly pointerId: string };

/**
 * The spill is marked for removal first: from then on no append can refer to it, so the pointer that is read afterwards is
 * final. If a writer wrote its parts and then paused, its append is refused and it writes the parts again. Returns true
 * if the spill is kept.
 */
export async function sweepSpill(deps: StreamDeps, spill: StoredSpill): Promise<boolean> {
  const { organization, pointerId, id } = spill;
  const key = kinds.pointer.key({ organization, pointerId });
  const item = await deps.table.get(key);
  if (item && !spill.isMarkedForRemoval && names(parsePointer(item, organization), id)) return true;
  await writeIf(deps.table, markSpillForRemoval(spill));
  // A transactional read waits for an append that is committed but not visible yet.
  const [now] = await deps.table.transactGet([key]);
  const pointer = now && parsePointer(now, organization);
  if (pointer && names(pointer, id)) {
    await writeIf(deps.table, unmarkSpill(spill));
    return true;
  }
  if (pointer && (await isPending(deps, pointer, id))) return true;
  await dropSpills(deps, [spill]);
  return false;
}

const names = ({ places }: Pointer, spillId: string): boolean =>
  datasets.some((dataset) => places[dataset]?.spill?.id === spillId);

/** Superseded and not yet retired: readers may still need it, and the process that settles the stream drops it. */
async function isPending({ table }: StreamDeps, { tenant }: Pointer, spillId: string): Promise<boolean> {
  const [item] = await table.transactGet([kinds.streamHead.key({ tenant })]);
  return parseHead(item).pending?.spills.some(({ id }) => id === spillId) ?? false;
}
