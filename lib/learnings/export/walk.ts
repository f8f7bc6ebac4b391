import { responseTooLarge } from "../../contract/api-error.ts";
import * as kinds from "../../contract/items.ts";
import { learningLimits, requestLimits } from "../../contract/limits.ts";
import type { TenantKey } from "../../contract/tenants.ts";
import { type Clock, toTimestamp } from "../../runtime/clock.ts";
import {
  type LearningItem,
  type LearningRemoval,
  parseLearning,
  parseLearningRemoval,
  parseMoved,
} from "../../store/items/learning.ts";
import { type Key, queryUpTo, type Range, type Table } from "../../store/table.ts";
import { itemsPerQuery } from "../../store/walk.ts";
import type { LearningFilter, RemovalFilter } from "./filter.ts";

/** How far a walk has come. */
export type LearningPosition = {
  /** The last place seen; everything up to it was read. Empty at the beginning. */
  readonly place: string;
  /** Everything up to here was certainly visible when it was read; a resumed walk begins here. */
  readonly settled: string;
};

export const firstPosition: LearningPosition = { place: "", settled: "" };

export type WalkRequest = {
  /** A tenant's Learnings, or one organization's (`o#<uuid>`). */
  readonly owner: TenantKey;
  readonly from: LearningPosition;
  /** The last place of the walk; without it the walk has no upper bound. */
  readonly upTo?: string;
  readonly limit: number;
  readonly wanted: LearningFilter;
  /** For readers that keep a mirror: deletions since this place come too, in the order of their places. */
  readonly removals?: { readonly since: string; readonly wanted: RemovalFilter };
  /** Without filters a page does not need to read more items than it returns. */
  readonly isFiltered: boolean;
  readonly signal: AbortSignal;
};

export type WalkedPage = {
  readonly learnings: readonly LearningItem[];
  readonly removed: readonly LearningRemoval[];
  readonly position: LearningPosition;
  readonly isLast: boolean;
};

/**
 * One page in write order. A Learning is listed under the time at which its writer began, and may become visible a
 * little later: the most recent part of what was read is not settled, and the position records that.
 */
export async function walkLearnings(
  { table, clock }: { readonly table: Table; readonly clock: Clock },
  { owner, from, upTo, limit, wanted, removals, isFiltered, signal }: WalkRequest,
): Promise<WalkedPage> {
  const startMs = clock.nowMs();
  const settledBefore = toTimestamp(startMs - learningLimits.settledAfterMs);
  // By Learning: a page keeps only the last entry of each.
  const found = new Map<string, LearningItem | LearningRemoval>();
  let place = from.place;
  let passedOverBytes = 0;
  let takenBytes = 0;
  const page = (isLast: boolean): WalkedPage => ({
    learnings: [...found.values()].filter((each) => "text" in each),
    removed: [...found.values()].filter((each) => "removed_at" in each),
    position: { place, settled: settledOf(from, place, settledBefore) },
    isLast,
  });
  if (upTo !== undefined && upTo <= from.place) return page(true);
  const range = {
    pk: kinds.listedLearning.partition({ tenant: owner }),
    ...(from.place !== "" && { after: from.place }),
    ...(upTo !== undefined && { upTo }),
    ...(!isFiltered && { pageItems: itemsPerQuery(limit) }),
    signal,
  };
  // Each item is taken or counts as passed over; one more shows that the page is full.
  const itemsMax = limit + Math.ceil(learningLimits.passedOverBytesMax / attributesBytes) + 2;
  const entries = listed(table, range, { settledBefore, itemsMax });
  for await (const entry of removals
    ? withRemovals(table, { owner, range, since: removals.since, itemsMax }, entries)
    : entries) {
    const { learning, removal } = entry;
    const isWanted = learning
      ? wanted(learning)
      : removal !== undefined && removals?.wanted(removal) === true;
    // One more match than fits means that another page follows.
    if (isWanted && found.size === limit) return page(false);
    const isTooMuch =
      passedOverBytes >= learningLimits.passedOverBytesMax ||
      clock.nowMs() - startMs > learningLimits.walkMsMax;
    if (isTooMuch && place !== from.place) return page(false);
    place = entry.place;
    if (!isWanted) {
      passedOverBytes += (learning ? textBytes(learning) : 0) + attributesBytes;
      continue;
    }
    const gone = learning ?? removal;
    if (!gone) continue;
    const id = `${gone.organization}#${gone.id}`;
    // The entry at the former place was passed over after all.
    if (found.delete(id)) passedOverBytes += attributesBytes;
    found.set(id, gone);
    takenBytes += (learning ? textBytes(learning) : 0) + namesBytes;
    // The answer is at least this large, so it need not be built to know that it is too large.
    if (takenBytes > requestLimits.responseBytesMax) throw responseTooLarge("Reduce limit or add filters.");
  }
  return page(true);
}

/** Without learning and removal: a place that a Learning moved away from. */
type Entry = {
  readonly place: string;
  readonly learning: LearningItem | undefined;
  readonly removal?: LearningRemoval;
};

/** Merges both lists in the order of their places. */
async function* withRemovals(
  table: Table,
  {
    owner,
    range,
    since,
    itemsMax,
  }: {
    readonly owner: TenantKey;
    readonly range: Range;
    readonly since: string;
    readonly itemsMax: number;
  },
  entries: AsyncGenerator<Entry>,
): AsyncGenerator<Entry> {
  const { after = "", upTo, signal } = range;
  const removalRange = {
    pk: kinds.learningRemoval.partition({ tenant: owner }),
    after: after > since ? after : since,
    ...(upTo !== undefined && { upTo }),
    ...(signal && { signal }),
  };
  const removals = queryUpTo(table, removalRange, itemsMax);
  let entry = await entries.next();
  let removal = await removals.next();
  while (!entry.done || !removal.done) {
    if (!removal.done && (entry.done || removal.value.sk < entry.value.place)) {
      yield { place: removal.value.sk, learning: undefined, removal: parseLearningRemoval(removal.value) };
      removal = await removals.next();
    } else if (!entry.done) {
      yield entry.value;
      entry = await entries.next();
    }
  }
}

/**
 * The list in its order. Plain reads see a transaction item by item, so a Learning that moves may be missing at its old
 * and at its new place; the item left at the old place says where to look for it.
 */
async function* listed(
  table: Table,
  range: Range,
  { settledBefore, itemsMax }: { readonly settledBefore: string; readonly itemsMax: number },
): AsyncGenerator<Entry> {
  let after = range.after;
  for (let isOver = false; !isOver; ) {
    // New places that are visible by now, though perhaps not to the pages read before: passing one means reading again.
    const awaited = new Set<string>();
    const rest = { ...range, ...(after !== undefined && { after }) };
    for await (const item of queryUpTo(table, rest, itemsMax)) {
      if ([...awaited].some((place) => place < item.sk)) break;
      awaited.delete(item.sk);
      const moved = "moved_to" in item ? parseMoved(item) : undefined;
      let learning = moved ? undefined : parseLearning(item);
      if (moved && moved.moved_at >= settledBefore) {
        learning = await hiddenAt(table, { pk: item.pk, sk: moved.moved_to });
        if (!learning) awaited.add(moved.moved_to);
      }
      yield { place: item.sk, learning };
      after = item.sk;
    }
    isOver = awaited.size === 0;
  }
}

/** A Learning that is committed there but not yet visible to plain reads. */
async function hiddenAt(table: Table, key: Key): Promise<LearningItem | undefined> {
  if (await table.get(key)) return undefined;
  const [committed] = await table.transactGet([key]);
  return committed && !("moved_to" in committed) ? parseLearning(committed) : undefined;
}

/** The earliest instant of the whole walk that was not yet settled when it was read. */
function settledOf(from: LearningPosition, place: string, settledBefore: string): string {
  const here = place < settledBefore ? place : settledBefore;
  const hasUnsettled = from.settled < from.place;
  return hasUnsettled ? from.settled : here;
}

const textBytes = ({ text, file, source_url }: LearningItem): number =>
  Buffer.byteLength(text) + (file?.length ?? 0) + (source_url?.length ?? 0);

/** Bytes of an item beside its texts: in the table (`attributesBytes`), and at least in the answer (`namesBytes`). */
const attributesBytes = 700;
const namesBytes = 250;
