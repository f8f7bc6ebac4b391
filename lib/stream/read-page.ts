/**
 * One page merges the weeks of a window by their numbers, from the cursor (`after`) up to what the head has published:
 *
 *   week 23   ──4──────9────────15───      `position`: everything up to here is read, in every week
 *   week 24   ─────7─────11──────────      the page is full, or time or bytes are used up: it ends at `position`
 *   week 25   ───5─────────13──────16      nothing is left: the head is read once more, and the page goes on if it moved
 *             after    position   published
 */
import { streamLimits } from "../contract/limits.ts";
import type { TenantKey } from "../contract/tenants.ts";
import {
  parseEntryPlace,
  parseRemovalPlace,
  streamPartition,
  streamRemovalPartition,
} from "../store/layout.ts";
import { type Item, identityOf, type Table } from "../store/table.ts";
import { parseEntry, type StoredEntry } from "./entry.ts";
import { readHead, type StreamHead } from "./head.ts";
import { MergedPartitions, type PartitionStart } from "./merge.ts";
import { copyOf, entryKeys, ownerOfCopy } from "./pending.ts";
import { dayStartMs, parseRemoval, type Removal } from "./removal.ts";
import { sizeOf } from "./size.ts";
import { readFirstPart, readSpills } from "./spill.ts";
import { type Dataset, letterOf, type StreamEntry } from "./stream.ts";
import { weekMeets } from "./weeks.ts";

export type StreamPageRequest = {
  readonly tenant: TenantKey;
  /** Of the copy that is read. Undefined: the tenant's copy, and `eligible` decides whose entries are visible. */
  readonly organization: string | undefined;
  readonly dataset: Dataset;
  /** start <= at < end. */
  readonly window: { readonly startMs: number; readonly endMs: number };
  /** The cursor: everything up to this number was processed. 0 starts a walk. */
  readonly after: number;
  /** Without it, the walk ends at the last published number, in a head that is read last. */
  readonly upTo?: number;
  /** Read the copies of these organizations instead; they have the same numbers as the tenant's copy. */
  readonly copiesOf?: readonly string[];
  readonly limit: number;
  /** The filters besides the window. The payload is undefined if it is stored in parts. */
  readonly eligible: (entry: StreamEntry) => boolean;
  /** For readers that keep a mirror: also return what left the dataset, the window or the filters. */
  readonly removals?: {
    /** The last published number when the walk began: older removals were never shown. The first page returns it. */
    readonly since: number | undefined;
    /** The filters besides the window, applied to the pull request's former facets. */
    readonly eligible: (removal: Removal) => boolean;
  };
  readonly responseBytesMax: number;
  readonly passedOverBytesMax?: number;
  /** The head, if it was read together with authentication. */
  readonly head?: StreamHead;
  /** Aborted when the request's time is up: the page ends at its current position. */
  readonly timeUp?: AbortSignal;
  /** Called before a walk is reported as finished: is the organization still in this tenant's stream? */
  readonly isStillHere?: () => Promise<boolean>;
};

export type StreamPageResult =
  | {
      readonly outcome: "page";
      readonly entries: readonly StreamEntry[];
      /** In no order; none of them is also in `entries`. */
      readonly removals: readonly Removal[];
      /** See `StreamPageRequest`. The caller keeps it until the end of the walk. */
      readonly removalsSince: number;
      /** The next cursor; null when nothing eligible is left. */
      readonly nextAfter: number | null;
      /** Everything up to this number was processed: a finished walk resumes here later. */
      readonly readUpTo: number;
    }
  /** The records are larger than a response may be. */
  | TooLargeResult
  /** Time was up before anything was processed: the next cursor would equal the received one. */
  | { readonly outcome: "no-progress" }
  /** The organization left the tenant while the page was read: its entries may already have been gone. */
  | { readonly outcome: "moved" };

export type TooLargeResult = {
  readonly outcome: "too-large";
  /** With the beginning of its payload (its first part), unless that was deleted meanwhile. */
  readonly largest: StreamEntry;
  /** A lower bound, because reading stopped when there were too many bytes. */
  readonly renderedBytes: number;
  /** The position after the last entry that was read. */
  readonly nextAfter: number;
  readonly removalsSince: number;
};

type PageInProgress = {
  /** By pull request, in the order of their numbers. */
  readonly picked: Map<string, StoredEntry>;
  /** By pull request. */
  readonly removed: Map<string, Removal>;
  readonly removalsSince: number;
  /** Everything up to this number is processed, in every partition. */
  position: number;
  passedOverBytes: number;
  renderedBytes: number;
};

export async function readPage(table: Table, request: StreamPageRequest): Promise<StreamPageResult> {
  let head = request.head ?? (await readHead(table, request.tenant));
  const walk: PageInProgress = {
    picked: new Map(),
    removed: new Map(),
    removalsSince: request.removals?.since ?? head.published,
    position: request.after,
    passedOverBytes: 0,
    renderedBytes: 0,
  };
  for (;;) {
    const isAllRead = await readUpTo(table, request, head, walk);
    if (walk.renderedBytes > request.responseBytesMax) return tooLarge(table, walk);
    await loadPayloads(table, walk);
    if (!isAllRead) return unfinished(request, walk);
    if (request.upTo !== undefined) return pageOf(walk, null, request.upTo);
    // Only now: if an entry was superseded before the walk reached it, this head shows its new number.
    const [again, isStillHere] = await Promise.all([
      readHead(table, request.tenant),
      request.isStillHere?.() ?? true,
    ]);
    if (!isStillHere) return { outcome: "moved" };
    if (again.published <= head.published) return pageOf(walk, null, walk.position);
    head = again;
  }
}

function unfinished(request: StreamPageRequest, walk: PageInProgress): StreamPageResult {
  if (walk.position === request.after) return { outcome: "no-progress" };
  return pageOf(walk, walk.position, walk.position);
}

const pageOf = (walk: PageInProgress, nextAfter: number | null, readUpTo: number): StreamPageResult => ({
  outcome: "page",
  entries: [...walk.picked.values()].map(({ entry }) => entry),
  removals: [...walk.removed.values()],
  removalsSince: walk.removalsSince,
  nextAfter,
  readUpTo,
});

async function tooLarge(table: Table, walk: PageInProgress): Promise<TooLargeResult> {
  const largest = [...walk.picked.values()].reduce((one, other) =>
    other.entry.renderedBytes > one.entry.renderedBytes ? other : one,
  );
  const payload = largest.spill ? await readFirstPart(table, largest.spill) : largest.entry.payload;
  return {
    outcome: "too-large",
    largest: { ...largest.entry, payload },
    renderedBytes: walk.renderedBytes,
    nextAfter: walk.position,
    removalsSince: walk.removalsSince,
  };
}

/** Processes what this head has published, starting at the walk's position. Returns false if the page ends before. */
async function readUpTo(
  table: Table,
  request: StreamPageRequest,
  head: StreamHead,
  walk: PageInProgress,
): Promise<boolean> {
  const { limit, timeUp, responseBytesMax, passedOverBytesMax = streamLimits.passedOverBytesMax } = request;
  const end = Math.min(head.published, request.upTo ?? head.published);
  const starts = [
    ...partitionStartsOf(request, head, walk.position),
    ...removalPartitionStartsOf(request, head, walk),
  ];
  const merge = new MergedPartitions(table, starts, end);
  const isSuperseded = supersededIn(request, head);
  for (;;) {
    if (timeUp?.aborted) return false;
    const item = await merge.next(limit + 1 - walk.picked.size - walk.removed.size);
    if (!item) break;
    const number = Number(item.sk);
    const beside = request.removals && merge.nextUnder(number);
    const items = beside ? [item, beside] : [item];
    const found = foundIn(request, items, isSuperseded);
    if (!found) {
      walk.passedOverBytes += items.reduce((sum, each) => sum + sizeOf(each), 0);
    } else if ("pullRequest" in found && isFirstPage(request)) {
      removeFromPage(walk, found);
    } else {
      if (walk.picked.size + walk.removed.size === limit) {
        walk.position = number - 1;
        return false;
      }
      pick(walk, found);
    }
    walk.position = number;
    if (walk.passedOverBytes > passedOverBytesMax || walk.renderedBytes > responseBytesMax) return false;
  }
  walk.position = Math.max(walk.position, end);
  return true;
}

/** Before the first page a reader has no records: there is nothing to remove. */
const isFirstPage = ({ after, removals }: StreamPageRequest): boolean =>
  after === 0 && removals?.since === undefined;

/** For one number: the entry if it is eligible, else a removal of the pull request's former state. */
function foundIn(
  request: StreamPageRequest,
  items: readonly Item[],
  isSuperseded: (item: Item) => boolean,
): StoredEntry | Removal | undefined {
  let removal: Removal | undefined;
  for (const item of items) {
    const place = request.removals && parseRemovalPlace(item);
    if (place) removal = parseRemoval(item, ownerOfCopy(place));
    else {
      const stored = parseEntry(item, ownerOf(request, item));
      if (isEligible(request, stored.entry) && !isSuperseded(item)) return stored;
    }
  }
  return removal && isRemovedFrom(request, removal) ? removal : undefined;
}

/** Only the newest result per pull request: an old entry that is not retired yet has the smaller number. */
function pick(walk: PageInProgress, found: StoredEntry | Removal): void {
  const id = removeFromPage(walk, found);
  if ("pullRequest" in found) {
    walk.removed.set(id, found);
    return;
  }
  walk.picked.set(id, found);
  walk.renderedBytes += found.entry.renderedBytes;
}

function removeFromPage(walk: PageInProgress, found: StoredEntry | Removal): string {
  const { organization } = "entry" in found ? found.entry : found;
  const id = identityOf({ pk: organization, sk: found.pointerId });
  walk.renderedBytes -= walk.picked.get(id)?.entry.renderedBytes ?? 0;
  walk.picked.delete(id);
  walk.removed.delete(id);
  return id;
}

/** Superseded by the last append and not retired yet: their successor, or a removal, is also published. */
function supersededIn({ removals }: StreamPageRequest, head: StreamHead): (item: Item) => boolean {
  const isPublished = head.published === head.next - 1;
  if (!removals || !head.pending || !isPublished) return () => false;
  const keys = new Set(head.pending.dropped.flatMap(entryKeys).map(identityOf));
  return (item) => keys.has(identityOf(item));
}

const isRemovedFrom = ({ window, removals }: StreamPageRequest, removal: Removal): boolean => {
  const atMs = dayStartMs(removal.facets.day);
  return atMs >= window.startMs && atMs < window.endMs && removals?.eligible(removal) === true;
};

const isEligible = ({ window, eligible }: StreamPageRequest, entry: StreamEntry): boolean =>
  entry.atMs >= window.startMs && entry.atMs < window.endMs && eligible(entry);

function ownerOf(request: StreamPageRequest, item: Item): string | undefined {
  const place = request.copiesOf ? parseEntryPlace(item) : request;
  return place && ownerOfCopy(place);
}

/** The partitions that may hold entries of the window after the position. */
function partitionStartsOf(request: StreamPageRequest, head: StreamHead, position: number): PartitionStart[] {
  const { tenant, dataset, window } = request;
  const copies = request.copiesOf?.map((organization) => copyOf({ tenant, organization })) ?? [
    copyOf(request),
  ];
  return head.weeks
    .filter(({ week, highest }) => highest > position && weekMeets(week, window.startMs, window.endMs))
    .flatMap(({ week, lowest, highest }) =>
      copies.map((organization) => ({
        pk: streamPartition({ tenant, organization, dataset: letterOf(dataset), week }),
        floor: Math.max(lowest, position + 1),
        ceiling: highest,
      })),
    );
}

/** What was removed before the walk began was never shown, nor was an organization that is being caught up. */
function removalPartitionStartsOf(
  request: StreamPageRequest,
  head: StreamHead,
  walk: PageInProgress,
): PartitionStart[] {
  const { removals, upTo, tenant, dataset } = request;
  if (!removals || upTo !== undefined) return [];
  const organization = copyOf(request);
  const pk = streamRemovalPartition({ tenant, organization, dataset: letterOf(dataset) });
  return [{ pk, floor: Math.max(walk.position, walk.removalsSince) + 1, ceiling: head.published }];
}

/** If a part is missing, its entry is dropped from the page: it was superseded, and appears again at its new number. */
async function loadPayloads(table: Table, walk: PageInProgress): Promise<void> {
  const spilled = [...walk.picked].flatMap(([id, { entry, spill }]) => (spill ? [{ id, entry, spill }] : []));
  if (spilled.length === 0) return;
  const payloads = await readSpills(
    table,
    spilled.map(({ spill }) => spill),
  );
  for (const { id, entry, spill } of spilled) {
    const payload = payloads.get(spill);
    const known = walk.picked.get(id);
    if (payload && known) walk.picked.set(id, { ...known, entry: { ...entry, payload }, spill: undefined });
    else walk.picked.delete(id);
  }
  walk.renderedBytes = [...walk.picked.values()].reduce((sum, { entry }) => sum + entry.renderedBytes, 0);
}
