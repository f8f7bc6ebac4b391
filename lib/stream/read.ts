import { streamLimits } from "../contract/limits.ts";
import { parseStreamPartition, streamPartition, type TenantKey } from "../store/layout.ts";
import { type Item, identityOf, type Table } from "../store/table.ts";
import { parseEntry, type StoredEntry } from "./entry.ts";
import { type Head, readHead } from "./head.ts";
import { type LaneStart, mergeLanes } from "./merge.ts";
import { copyOf, ownerOfCopy } from "./pending.ts";
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
};

/** The page under way. */
type Walk = {
  /** By pull request, in the order of their numbers. */
  readonly picked: Map<string, StoredEntry>;
  /** Everything up to this number is dealt with, in every partition. */
  position: number;
  passedOverBytes: number;
  renderedBytes: number;
};

export async function readPage(table: Table, request: PageRequest): Promise<PageResult> {
  let head = request.head ?? (await readHead(table, request.tenant));
  const walk: Walk = {
    picked: new Map(),
    position: request.after,
    passedOverBytes: 0,
    renderedBytes: 0,
  };
  for (;;) {
    const isAllRead = await readUpTo(table, request, head, walk);
    if (walk.renderedBytes > request.responseBytesMax) return tooLarge(table, walk);
    await loadPayloads(table, walk);
    if (!isAllRead) return unfinished(request, walk);
    if (request.upTo !== undefined)
      return { kind: "page", entries: entriesOf(walk), nextAfter: null, readUpTo: request.upTo };
    // Begun only now: had an entry been superseded before we came to it, its new number shows in this read.
    const [again, isStillHere] = await Promise.all([
      readHead(table, request.tenant),
      request.isStillHere?.() ?? true,
    ]);
    if (!isStillHere) return { kind: "moved" };
    if (again.published <= head.published) {
      return { kind: "page", entries: entriesOf(walk), nextAfter: null, readUpTo: walk.position };
    }
    head = again;
  }
}

function unfinished(request: PageRequest, walk: Walk): PageResult {
  if (walk.position === request.after) return { kind: "no-progress" };
  return { kind: "page", entries: entriesOf(walk), nextAfter: walk.position, readUpTo: walk.position };
}

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
  };
}

const entriesOf = ({ picked }: Walk): StreamEntry[] => [...picked.values()].map(({ entry }) => entry);

/** Deals with what is published in this head, from the walk's position on. False when the page ends before. */
async function readUpTo(table: Table, request: PageRequest, head: Head, walk: Walk): Promise<boolean> {
  const { limit, timeUp, responseBytesMax, passedOverBytesMax = streamLimits.passedOverBytesMax } = request;
  const end = Math.min(head.published, request.upTo ?? head.published);
  const merge = mergeLanes(table, lanesOf(request, head, walk.position), end);
  const ownerOf = request.copiesOf ? ownerByPartition : () => ownerOfCopy(request);
  for (;;) {
    if (timeUp?.aborted) return false;
    const item = await merge.next(limit + 1 - walk.picked.size);
    if (!item) break;
    const stored = parseEntry(item, ownerOf(item));
    if (isEligible(request, stored.entry)) {
      if (walk.picked.size === limit) {
        walk.position = stored.entry.number - 1;
        return false;
      }
      pick(walk, stored);
    } else {
      walk.passedOverBytes += sizeOf(item);
    }
    walk.position = stored.entry.number;
    if (walk.passedOverBytes > passedOverBytesMax || walk.renderedBytes > responseBytesMax) return false;
  }
  walk.position = Math.max(walk.position, end);
  return true;
}

/** An old entry that is not retired yet comes before its successor: within a page only the newest stays. */
function pick(walk: Walk, stored: StoredEntry): void {
  const id = identityOf({ pk: stored.entry.organization, sk: stored.pointerId });
  const older = walk.picked.get(id);
  walk.picked.delete(id);
  walk.picked.set(id, stored);
  walk.renderedBytes += stored.entry.renderedBytes - (older?.entry.renderedBytes ?? 0);
}

const isEligible = ({ window, eligible }: PageRequest, entry: StreamEntry): boolean =>
  entry.atMs >= window.startMs && entry.atMs < window.endMs && eligible(entry);

const ownerByPartition = ({ pk }: Item): string | undefined => {
  const place = parseStreamPartition(pk);
  return place && ownerOfCopy(place);
};

/** The partitions that may hold something of the window after the position. */
function lanesOf(request: PageRequest, head: Head, position: number): LaneStart[] {
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
