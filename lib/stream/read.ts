import { streamLimits } from "../contract/limits.ts";
import {
  parseRemovalPartition,
  parseStreamPartition,
  streamPartition,
  streamRemovalPartition,
  type TenantKey,
} from "../store/layout.ts";
import { type Item, identityOf, type Table } from "../store/table.ts";
import { parseEntry, type StoredEntry } from "./entry.ts";
import { type Head, readHead } from "./head.ts";
import { mergePartitions, type PartitionStart } from "./merge.ts";
import { copyOf, entryKeys, ownerOfCopy } from "./pending.ts";
import { dayStartMs, parseRemoval, type Removal } from "./removal.ts";
import { sizeOf } from "./size.ts";
import { readFirstPart, readSpills } from "./spill.ts";
import { type Dataset, letterOf, type StreamEntry } from "./stream.ts";
import { weekMeets } from "./weeks.ts";

export type PageRequest = {
  readonly tenant: TenantKey;
  /** One organization: its own copy is read. Undefined: the tenant's, and `eligible` knows whose may be seen. */
  readonly organization: string | undefined;
  readonly dataset: Dataset;
  /** start <= at < end. */
  readonly window: { readonly startMs: number; readonly endMs: number };
  /** The cursor: everything up to this number was dealt with. 0 begins a walk. */
  readonly after: number;
  /** Ends the walk at this number. Without it the walk ends with what is published, in a head that is read last. */
  readonly upTo?: number;
  /** Read the copies of these organizations instead, which carry the same numbers as the tenant's. */
  readonly copiesOf?: readonly string[];
  readonly limit: number;
  /** The filters beside the window. The payload is undefined where it lies in parts. */
  readonly eligible: (entry: StreamEntry) => boolean;
  /** For readers that keep a mirror: what left the dataset, the window or the filters comes too. */
  readonly removals?: {
    /**
     * The number that was published when the walk began: what was removed before was never shown. Undefined on the
     * first page, which tells it.
     */
    readonly since: number | undefined;
    /** The filters beside the window, over what the pull request was before. */
    readonly eligible: (removal: Removal) => boolean;
  };
  readonly responseBytesMax: number;
  readonly passedOverBytesMax?: number;
  /** The head, where it was read along with authentication. */
  readonly head?: Head;
  /** The request's time is up: the page ends where it is. */
  readonly timeUp?: AbortSignal;
  /** Asked before a walk is called finished: whether what it was over is still in this tenant's stream. */
  readonly isStillHere?: () => Promise<boolean>;
};

export type PageResult =
  | {
      readonly kind: "page";
      readonly entries: readonly StreamEntry[];
      /** In no order; none of them stands among the entries. */
      readonly removals: readonly Removal[];
      /** See `PageRequest`: to be kept until the walk has come to its end. */
      readonly removalsSince: number;
      /** The next cursor; null when nothing eligible is left. */
      readonly nextAfter: number | null;
      /** Everything up to here was dealt with: where a walk that has ended resumes later. */
      readonly readUpTo: number;
    }
  /** The records are larger than an answer may be. */
  | TooLarge
  /** Time was up before anything was dealt with: a cursor would be the one that came in. */
  | { readonly kind: "no-progress" }
  /** The organization left the tenant while the page was read: its entries may have been gone already. */
  | { readonly kind: "moved" };

export type TooLarge = {
  readonly kind: "too-large";
  /** With the beginning of its payload (the first part, where it lies in parts), unless that is gone by now. */
  readonly largest: StreamEntry;
  /** At least so many, as reading ended when there were too many. */
  readonly renderedBytes: number;
  /** The place behind the last entry that was read. */
  readonly nextAfter: number;
  readonly removalsSince: number;
};

/** The page under way. */
type Walk = {
  /** By pull request, in the order of their numbers. */
  readonly picked: Map<string, StoredEntry>;
  /** By pull request. */
  readonly removed: Map<string, Removal>;
  readonly removalsSince: number;
  /** Everything up to this number is dealt with, in every partition. */
  position: number;
  passedOverBytes: number;
  renderedBytes: number;
};

export async function readPage(table: Table, request: PageRequest): Promise<PageResult> {
  let head = request.head ?? (await readHead(table, request.tenant));
  const walk: Walk = {
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
    // Begun only now: had an entry been superseded before we came to it, its new number shows in this read.
    const [again, isStillHere] = await Promise.all([
      readHead(table, request.tenant),
      request.isStillHere?.() ?? true,
    ]);
    if (!isStillHere) return { kind: "moved" };
    if (again.published <= head.published) return pageOf(walk, null, walk.position);
    head = again;
  }
}

function unfinished(request: PageRequest, walk: Walk): PageResult {
  if (walk.position === request.after) return { kind: "no-progress" };
  return pageOf(walk, walk.position, walk.position);
}

const pageOf = (walk: Walk, nextAfter: number | null, readUpTo: number): PageResult => ({
  kind: "page",
  entries: [...walk.picked.values()].map(({ entry }) => entry),
  removals: [...walk.removed.values()],
  removalsSince: walk.removalsSince,
  nextAfter,
  readUpTo,
});

async function tooLarge(table: Table, walk: Walk): Promise<TooLarge> {
  const largest = [...walk.picked.values()].reduce((one, other) =>
    other.entry.renderedBytes > one.entry.renderedBytes ? other : one,
  );
  const payload = largest.spill ? await readFirstPart(table, largest.spill) : largest.entry.payload;
  return {
    kind: "too-large",
    largest: { ...largest.entry, payload },
    renderedBytes: walk.renderedBytes,
    nextAfter: walk.position,
    removalsSince: walk.removalsSince,
  };
}

/** Deals with what is published in this head, from the walk's position on. False when the page ends before. */
async function readUpTo(table: Table, request: PageRequest, head: Head, walk: Walk): Promise<boolean> {
  const { limit, timeUp, responseBytesMax, passedOverBytesMax = streamLimits.passedOverBytesMax } = request;
  const end = Math.min(head.published, request.upTo ?? head.published);
  const lanes = [...lanesOf(request, head, walk.position), ...removalLanesOf(request, head, walk)];
  const merge = mergePartitions(table, lanes, end);
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
      unpick(walk, found);
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

/** Nobody holds anything before the first page: there is nothing to remove. */
const isFirstPage = ({ after, removals }: PageRequest): boolean =>
  after === 0 && removals?.since === undefined;

/** What one number brings: the entry where it is eligible, else a removal of what it was before. */
function foundIn(
  request: PageRequest,
  items: readonly Item[],
  isSuperseded: (item: Item) => boolean,
): StoredEntry | Removal | undefined {
  let removal: Removal | undefined;
  for (const item of items) {
    const place = request.removals && parseRemovalPartition(item.pk);
    if (place) removal = parseRemoval(item, ownerOfCopy(place));
    else {
      const stored = parseEntry(item, ownerOf(request, item));
      if (isEligible(request, stored.entry) && !isSuperseded(item)) return stored;
    }
  }
  return removal && isRemovedFrom(request, removal) ? removal : undefined;
}

/** Within a page only the newest of a pull request stays: an old entry that is not retired yet comes first. */
function pick(walk: Walk, found: StoredEntry | Removal): void {
  const id = unpick(walk, found);
  if ("pullRequest" in found) {
    walk.removed.set(id, found);
    return;
  }
  walk.picked.set(id, found);
  walk.renderedBytes += found.entry.renderedBytes;
}

function unpick(walk: Walk, found: StoredEntry | Removal): string {
  const { organization } = "entry" in found ? found.entry : found;
  const id = identityOf({ pk: organization, sk: found.pointerId });
  walk.renderedBytes -= walk.picked.get(id)?.entry.renderedBytes ?? 0;
  walk.picked.delete(id);
  walk.removed.delete(id);
  return id;
}

/** What the last append has superseded and not retired yet: its successor, or a removal, is published too. */
function supersededIn({ removals }: PageRequest, head: Head): (item: Item) => boolean {
  const isPublished = head.published === head.next - 1;
  if (!removals || !head.pending || !isPublished) return () => false;
  const keys = new Set(head.pending.dropped.flatMap(entryKeys).map(identityOf));
  return (item) => keys.has(identityOf(item));
}

const isRemovedFrom = ({ window, removals }: PageRequest, removal: Removal): boolean => {
  const atMs = dayStartMs(removal.facets.day);
  return atMs >= window.startMs && atMs < window.endMs && removals?.eligible(removal) === true;
};

const isEligible = ({ window, eligible }: PageRequest, entry: StreamEntry): boolean =>
  entry.atMs >= window.startMs && entry.atMs < window.endMs && eligible(entry);

function ownerOf(request: PageRequest, { pk }: Item): string | undefined {
  const place = request.copiesOf ? parseStreamPartition(pk) : request;
  return place && ownerOfCopy(place);
}

/** The partitions that may hold something of the window after the position. */
function lanesOf(request: PageRequest, head: Head, position: number): PartitionStart[] {
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

/** What was removed before the walk began was never shown. While an organization is caught up, nothing of it was. */
function removalLanesOf(request: PageRequest, head: Head, walk: Walk): PartitionStart[] {
  const { removals, upTo, tenant, dataset } = request;
  if (!removals || upTo !== undefined) return [];
  const organization = copyOf(request);
  const pk = streamRemovalPartition({ tenant, organization, dataset: letterOf(dataset) });
  return [{ pk, floor: Math.max(walk.position, walk.removalsSince) + 1, ceiling: head.published }];
}

/** A part that is gone takes its entry off the page: it was superseded, and comes again at its new number. */
async function loadPayloads(table: Table, walk: Walk): Promise<void> {
  const spilled = [...walk.picked].flatMap(([id, { entry, spill }]) => (spill ? [{ id, entry, spill }] : []));
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
