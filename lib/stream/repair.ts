import { streamLimits } from "../contract/limits.ts";
import { chunksOf } from "../runtime/chunks.ts";
import {
  parseRemovalPartition,
  parseStreamPartition,
  pointerKey,
  pointerOrganization,
  streamHeadKey,
  streamHeadTenant,
  type TenantKey,
} from "../store/layout.ts";
import { type Item, type Key, type Put, writeIf } from "../store/table.ts";
import { entryBody, entryPuts, parseEntry } from "./entry.ts";
import { readHead } from "./head.ts";
import { type EntryAddress, entryKeys, ownerOfCopy } from "./pending.ts";
import { type PlaceRecord, type Pointer, parsePointer, pointerItemOf, pointerUnchanged } from "./pointer.ts";
import { parseRemoval, removalPuts } from "./removal.ts";
import { newSpillItem, partKeys } from "./spill.ts";
import { type Dataset, datasetOf, datasets, letterOf, StreamBusy, type StreamDeps } from "./stream.ts";
import { encodeWeeks, noteWeeks, type WeekSpan } from "./weeks.ts";

export type RepairReport = {
  readonly streams: number;
  /** Deleted entries that no pointer names, and deleted removals that are newer than their pointer. */
  readonly entriesRemoved: number;
  /** Copies that were restored from the other copy. */
  readonly copiesRestored: number;
  /** Pull requests whose entry is lost: their next event is accepted as new, whatever its age. */
  readonly pullRequestsReset: number;
};

type Tally = { -readonly [Name in keyof RepairReport]: number };
/** The content of a stream as the repair found it: two numbers per week are all that the head needs. */
type StreamContent = { weeks: readonly WeekSpan[]; highest: number };

/**
 * Run it after a restore, while no writer runs. A restored table is not a snapshot: the last second before the restore
 * point may hold half an append. The repair reads everything once: it publishes appends, makes pointers and entries
 * agree, and moves every stream's numbers ahead, so that a cursor issued after the restore point cannot be beyond what
 * is written next. Afterwards, send the events since the restore point again. It can be repeated. `onItem` receives
 * every item of the table, so that other repairs need not scan the table again.
 *
 * Organizations and weeks are partitions of the table, and its segments are read in parallel. What a page names is read
 * in batches: about 0.13 round trips a pull request.
 */
export async function repairStreams(
  deps: StreamDeps,
  onItem: (item: Item) => void = () => {},
): Promise<RepairReport> {
  const { repairSegments } = deps.limits ?? streamLimits;
  const repair = new StreamRepair(deps);
  const segments = Array.from({ length: repairSegments }, (_, index) => ({ index, of: repairSegments }));
  await Promise.all(
    segments.map(async (segment) => {
      let resume: Key | undefined;
      do {
        const page = await deps.table.scanPage({ segment }, resume);
        for (const item of page.items) onItem(item);
        for (const items of chunksOf(page.items, itemsTogetherMax)) await repair.items(items);
        resume = page.resume;
      } while (resume);
    }),
  );
  for (const [tenant, found] of repair.streams) await renumber(deps, tenant, found);
  return { ...repair.tally, streams: repair.streams.size };
}

/** Bounds the entries in memory: a page of pointers can name 18,000. */
const itemsTogetherMax = 500;

type Placed = { readonly pointer: Pointer; readonly dataset: Dataset; readonly place: PlaceRecord };

class StreamRepair {
  readonly #deps: StreamDeps;
  readonly tally: Tally = { streams: 0, entriesRemoved: 0, copiesRestored: 0, pullRequestsReset: 0 };
  readonly streams = new Map<TenantKey, StreamContent>();

  constructor(deps: StreamDeps) {
    this.#deps = deps;
  }

  async items(items: readonly Item[]): Promise<void> {
    for (const item of items) {
      const tenant = streamHeadTenant(item);
      if (tenant !== undefined) this.#stream(tenant);
    }
    await this.#pointers(items);
    await this.#entries(items);
    await this.#removals(items);
  }

  #stream(tenant: TenantKey): StreamContent {
    const found = this.streams.get(tenant) ?? { weeks: [], highest: 0 };
    this.streams.set(tenant, found);
    return found;
  }

  /** Deletes entries that their pull request does not name. */
  async #entries(items: readonly Item[]): Promise<void> {
    const found = items.flatMap((item) => {
      const place = parseStreamPartition(item.pk);
      return place ? [{ item, place, ...parseEntry(item, ownerOfCopy(place)) }] : [];
    });
    const pointers = await this.#read(
      found.map(({ entry, pointerId }) => ({ organization: entry.organization, pointerId })),
    );
    const stray = found.filter(({ place, entry }, index) => {
      const pointer = pointers[index];
      const named = pointer?.tenant === place.tenant ? pointer.places[datasetOf(place.dataset)] : undefined;
      return named?.number !== entry.number || named.week !== place.week;
    });
    await this.#delete(stray.map(({ item }) => item));
  }

  /** A removal that is newer than its pointer belongs to half an append: the pull request was not removed. */
  async #removals(items: readonly Item[]): Promise<void> {
    const found = items.flatMap((item) => {
      const place = parseRemovalPartition(item.pk);
      return place ? [{ item, place, removal: parseRemoval(item, ownerOfCopy(place)) }] : [];
    });
    const pointers = await this.#read(found.map(({ removal }) => removal));
    const isStray = ({ place, removal }: (typeof found)[number], pointer: Pointer | undefined): boolean =>
      !pointer || (pointer.tenant === place.tenant && pointer.number < removal.number);
    await this.#delete(found.filter((each, index) => isStray(each, pointers[index])).map(({ item }) => item));
    const kept = found.filter((each, index) => !isStray(each, pointers[index]));
    await this.#restore(
      kept.flatMap(({ place, removal }) => {
        const { organization, number } = removal;
        return removalPuts(
          { tenant: place.tenant, organization, dataset: datasetOf(place.dataset), number },
          removal,
        );
      }),
    );
  }

  async #read(
    names: ReadonlyArray<{ readonly organization: string; readonly pointerId: string }>,
  ): Promise<Array<Pointer | undefined>> {
    const keys = names.map(({ organization, pointerId }) => pointerKey(organization, pointerId));
    const items = await this.#deps.table.getMany(keys);
    return names.map(({ organization }, index) => {
      const item = items[index];
      return item && parsePointer(item, organization);
    });
  }

  async #delete(items: readonly Item[]): Promise<void> {
    await this.#deps.table.writeMany(items.map(({ pk, sk }) => ({ delete: { pk, sk } })));
    this.tally.entriesRemoved += items.length;
  }

  /** Writes the copies that are absent. */
  async #restore(puts: readonly Put[]): Promise<void> {
    const { table } = this.#deps;
    const there = await table.getMany(
      puts.map(({ put }) => put),
      { only: ["pk", "sk"] },
    );
    const lost = puts.filter((_, index) => there[index] === undefined);
    await table.writeMany(lost.map(({ put }) => ({ put })));
    this.tally.copiesRestored += lost.length;
  }

  async #pointers(items: readonly Item[]): Promise<void> {
    const pointers = items.flatMap((item) => {
      const organization = pointerOrganization(item.pk);
      return organization === undefined ? [] : [parsePointer(item, organization)];
    });
    const placed = pointers.flatMap((pointer) =>
      datasets.flatMap((dataset): Placed[] => {
        const place = pointer.places[dataset];
        return place ? [{ pointer, dataset, place }] : [];
      }),
    );
    const whole = new Set((await this.#places(placed)).map(({ place }) => place));
    for (const pointer of pointers) await this.#pointer(pointer, whole);
  }

  async #pointer(pointer: Pointer, whole: ReadonlySet<PlaceRecord>): Promise<void> {
    const places = Object.entries(pointer.places).filter(([, place]) => whole.has(place));
    const found = this.#stream(pointer.tenant);
    found.weeks = noteWeeks(
      found.weeks,
      places.map(([, place]) => place),
    );
    found.highest = Math.max(found.highest, pointer.number);
    if (places.length === Object.keys(pointer.places).length) return;
    const reset = { occurredAtMs: 0, occurredAtFiner: undefined, eventId: "" };
    const put = pointerItemOf({ ...pointer, ...reset, places: Object.fromEntries(places) });
    await this.#deps.table.write({ put, when: pointerUnchanged(pointer) });
    this.tally.pullRequestsReset++;
  }

  /** Returns those whose entry exists, in both copies and with its parts, or could be restored. */
  async #places(placed: readonly Placed[]): Promise<Placed[]> {
    const { table } = this.#deps;
    const keysOf = (each: Placed): Key[] => entryKeys(addressOf(each));
    const keys = placed.map(keysOf);
    const found = await table.getMany(keys.flat());
    let next = 0;
    const standing = placed.flatMap((each, index) => {
      const first = next;
      next += keys[index]?.length ?? 0;
      const copies = found.slice(first, next);
      const [item] = copies.filter((copy) => copy !== undefined);
      return item ? [{ ...each, item, isWhole: copies.every((copy) => copy !== undefined) }] : [];
    });
    const partless = await this.#partless(standing);
    const kept = standing.filter((each) => !partless.has(each));
    await table.writeMany([...partless].flatMap(keysOf).map((key) => ({ delete: key })));
    // The spill may be lost, marked for removal or dropped after the restore. Its parts exist and a pointer names them,
    // so it is kept.
    await table.writeMany(
      kept.flatMap(({ pointer: { organization, id }, place: { spill } }) =>
        spill ? [{ put: newSpillItem(organization, id, spill) }] : [],
      ),
    );
    await this.#restore(
      kept
        .filter(({ isWhole }) => !isWhole)
        .flatMap(({ item, ...each }) => {
          const { id, organization } = each.pointer;
          const { entry } = parseEntry(item, organization);
          return entryPuts(addressOf(each), entryBody(id, entry, each.place.spill));
        }),
    );
    return kept;
  }

  /** Those that lost a part of their bytes. */
  async #partless<Each extends Placed>(placed: readonly Each[]): Promise<Set<Each>> {
    const parts = placed.flatMap((each) =>
      each.place.spill ? partKeys(each.place.spill).map((key) => ({ each, key })) : [],
    );
    const found = await this.#deps.table.getMany(
      parts.map(({ key }) => key),
      { only: ["pk", "sk"] },
    );
    return new Set(parts.filter((_, index) => found[index] === undefined).map(({ each }) => each));
  }
}

const addressOf = ({ pointer: { tenant, organization }, dataset, place }: Placed): EntryAddress => ({
  tenant,
  organization,
  dataset: letterOf(dataset),
  week: place.week,
  number: place.number,
});

async function renumber(
  deps: StreamDeps,
  tenant: TenantKey,
  { weeks, highest }: StreamContent,
): Promise<void> {
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
      update: streamHeadKey(tenant),
      change: { set, remove: ["q"] },
      when: { any: [{ absent: "n" }, { equals: ["n", head.next] }] },
    });
    if (isWritten) return;
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
