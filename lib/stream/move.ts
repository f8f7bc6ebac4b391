import * as kinds from "../contract/items.ts";
import { streamLimits } from "../contract/limits.ts";
import type { TenantKey } from "../contract/tenants.ts";
import { streamEntryKey } from "../store/layout.ts";
import { type Item, queryAll, type Table } from "../store/table.ts";
import { appendPlans, pauseBefore } from "./append.ts";
import { entryBody, parseEntry } from "./entry.ts";
import { isSettled, readHead } from "./head.ts";
import { type ChangePlan, type PlannedEntry, planMove } from "./plan.ts";
import { type PlaceRecord, type Pointer, parsePointer } from "./pointer.ts";
import { recoverAppend } from "./settle.ts";
import { type Dataset, datasets, letterOf, type StreamDeps } from "./stream.ts";
import { sweepSpill } from "./sweep.ts";

export type Move = {
  readonly organization: string;
  /** Every tenant whose stream may still hold its entries: all it belonged to since it was last `ready`. */
  readonly from: readonly TenantKey[];
  readonly to: TenantKey;
  /** Where an earlier call stopped, and where this call notes how far it got; without it, a call begins at the start. */
  readonly progress?: StreamMoveProgress;
};

/** All pull requests up to the pointer `after` are in the new tenant's stream. */
export type StreamMoveProgress = {
  readonly after: string | undefined;
  readonly reach: (after: string) => Promise<void>;
};

export type MoveResult = { readonly isComplete: boolean; readonly moved: number };

/**
 * Moves an organization's pull requests into the stream of its new tenant. Call it after the organization's item names
 * the new tenant, which blocks every append to the old one, and before its metrics are `ready` again. It can be
 * interrupted and called again. It is incomplete only if the organization moved once more.
 */
export async function moveOrganization(deps: StreamDeps, move: Move): Promise<MoveResult> {
  const { organization, from, to, progress } = move;
  // An append to the old stream may be committed and not visible: `recoverAppend` reads in a transaction and waits.
  for (const tenant of from) await recoverAppend(deps, tenant);
  let moved = 0;
  let after = progress?.after;
  for (let attempt = 0; ; attempt++) {
    await pauseBefore(deps, attempt);
    const pass = await movePass(deps, { organization, to, after, reach: progress?.reach.bind(progress) });
    moved += pass.moved;
    after = pass.after;
    if (pass.isElsewhere) return { isComplete: false, moved };
    if (pass.moved > 0) attempt = 0;
    if (pass.hasLeftovers) continue;
    // Entries that an interrupted run appended are already in the right stream, but may not be published.
    await recoverAppend(deps, to);
    return { isComplete: true, moved };
  }
}

type Pass = Pick<Move, "organization" | "to"> & {
  readonly after: string | undefined;
  readonly reach: StreamMoveProgress["reach"] | undefined;
};

type PassResult = {
  readonly moved: number;
  readonly hasLeftovers: boolean;
  readonly isElsewhere: boolean;
  /** All pull requests up to this pointer have moved: the next pass begins behind it. */
  readonly after: string | undefined;
};

/**
 * Reads the pointers once. No pull request returns to a stream that its organization has left, so a part without
 * leftovers stays moved. Ends at the first leftover: somebody else writes to the stream, and the caller pauses.
 */
async function movePass(deps: StreamDeps, pass: Pass): Promise<PassResult> {
  const { organization, to, reach } = pass;
  const { movedTogetherMax, moveProgressEvery } = deps.limits ?? streamLimits;
  let { after } = pass;
  let [moved, movedSinceReach] = [0, 0];
  let batch: Pointer[] = [];
  const flush = async (last: string): Promise<Pick<PassResult, "hasLeftovers" | "isElsewhere">> => {
    const result = await moveBatch(deps, to, batch);
    moved += result.moved;
    movedSinceReach += result.moved;
    const hasLeftovers = result.moved < batch.length;
    batch = [];
    if (hasLeftovers) return { hasLeftovers, isElsewhere: result.isElsewhere };
    after = last;
    if (movedSinceReach >= moveProgressEvery) {
      movedSinceReach = 0;
      await reach?.(last);
    }
    return { hasLeftovers, isElsewhere: false };
  };
  const range = { pk: kinds.pointer.partition({ organization }), ...(after !== undefined && { after }) };
  for await (const item of queryAll(deps.table, range)) {
    const pointer = parsePointer(item, organization);
    if (pointer.tenant === to || placesOf(pointer).length === 0) continue;
    batch.push(pointer);
    if (batch.length < movedTogetherMax) continue;
    const flushed = await flush(item.sk);
    if (flushed.hasLeftovers) return { moved, after, ...flushed };
  }
  const rest = batch.at(-1);
  const end = rest ? await flush(rest.id) : { hasLeftovers: false, isElsewhere: false };
  return { moved, after, ...end };
}

async function moveBatch(
  deps: StreamDeps,
  to: TenantKey,
  pointers: readonly Pointer[],
): Promise<{ moved: number; isElsewhere: boolean }> {
  const [head, plans] = await Promise.all([readHead(deps.table, to), planBatch(deps.table, pointers)]);
  if (!isSettled(head)) {
    await recoverAppend(deps, to);
    return { moved: 0, isElsewhere: false };
  }
  const result = await appendPlans(deps, to, head, plans);
  for (const { organization, pointerId, entries } of plans) {
    for (const { spill } of entries) {
      // A sweep stopped after it marked the spill for removal and before it decided: decide here instead.
      if (spill && result.spillsMarked.has(spill.id))
        await sweepSpill(deps, { ...spill, organization, pointerId, isMarkedForRemoval: true });
    }
  }
  return { moved: result.appended.size, isElsewhere: result.organizationsElsewhere.size > 0 };
}

type PlacedDataset = { readonly dataset: Dataset; readonly place: PlaceRecord };

/**
 * Plans the moves that are possible now. If an entry is missing, it was superseded since its pointer was read, or is
 * not visible yet: the next pass handles it. An entry that exists never changes, and the pointer is a condition of the
 * append.
 */
async function planBatch(table: Table, pointers: readonly Pointer[]): Promise<ChangePlan[]> {
  const placed = pointers.flatMap((pointer) => placesOf(pointer).map((each) => ({ pointer, ...each })));
  const keys = placed.map(({ pointer: { tenant }, dataset, place }) =>
    streamEntryKey(
      { tenant, organization: undefined, dataset: letterOf(dataset), week: place.week },
      place.number,
    ),
  );
  const items = await table.getMany(keys);
  return pointers.flatMap((pointer) => {
    const entries = placed.flatMap((each, index): PlannedEntry[] => {
      const item = each.pointer === pointer ? items[index] : undefined;
      return item ? [carriedEntry(pointer, each, item)] : [];
    });
    return entries.length === placesOf(pointer).length ? [planMove(pointer, entries)] : [];
  });
}

const placesOf = ({ places }: Pointer): PlacedDataset[] =>
  datasets.flatMap((dataset) => {
    const place = places[dataset];
    return place ? [{ dataset, place }] : [];
  });

/** The same content, including its parts, for another place. */
export function carriedEntry(
  { id, organization }: Pointer,
  { dataset, place }: PlacedDataset,
  item: Item,
): PlannedEntry {
  const { entry } = parseEntry(item, organization);
  const { week, fingerprint, spill } = place;
  return { dataset, week, fingerprint, spill, body: entryBody(id, entry, spill) };
}
