import * as kinds from "../contract/items.ts";
import { partsOf } from "../contract/kind.ts";
import type { TenantKey } from "../contract/tenants.ts";
import { chunksOf } from "../runtime/chunks.ts";
import { parseEntryPlace, parseRemovalPlace } from "../store/layout.ts";
import { type Item, type Key, transactIf, writeIf } from "../store/table.ts";
import { appendPlans, pauseBefore } from "./append.ts";
import { parseEntry } from "./entry.ts";
import { isSettled, readHead } from "./head.ts";
import { carriedEntry } from "./move.ts";
import { type EntryAddress, entryKeys, ownerOfCopy } from "./pending.ts";
import { planMove } from "./plan.ts";
import { type PlaceRecord, type Pointer, parsePointer, pointerItemOf, pointerUnchanged } from "./pointer.ts";
import { parseRemoval, removalPuts } from "./removal.ts";
import type { Boundaries, Mended, RepairRun, Segment } from "./repair-run.ts";
import { recoverAppend } from "./settle.ts";
import { newSpillItem, partKeys } from "./spill.ts";
import { type Dataset, datasetOf, datasets, letterOf, type StreamDeps } from "./stream.ts";

/**
 * The second part of a repair: makes pointers, entries, removals and spills agree. Readers and writers may run
 * meanwhile, because it looks only at numbers from before the restore, which no append writes any more, and because it
 * changes a pull request only while its pointer is unchanged. A pull request that lost a copy is appended again: a
 * reader may have passed its old number. Segments of the table are read in parallel, and what a page names in batches.
 */
export async function mendStreams(deps: StreamDeps, run: RepairRun): Promise<void> {
  const open = run.segments.filter(({ isDone }) => !isDone);
  const ends = await Promise.allSettled(open.map((segment) => mendSegment(deps, run, segment)));
  // When this throws, no segment is still being repaired.
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

async function mendSegment(deps: StreamDeps, run: RepairRun, from: Segment): Promise<void> {
  const { index, mended } = from;
  const mend = new Mend(deps, run.before, { ...mended });
  let { resume } = from;
  do {
    const page = await deps.table.scanPage({ segment: { index, of: run.segments.length } }, resume);
    for (const items of chunksOf(page.items, itemsTogetherMax)) await mend.items(items);
    resume = page.resume;
    await run.reach({ index, resume, isDone: !resume, mended: { ...mend.mended } });
  } while (resume);
}

/** Bounds the entries in memory: a page of pointers can name 18,000. */
const itemsTogetherMax = 500;

type PlacedPointer = { readonly pointer: Pointer; readonly dataset: Dataset; readonly place: PlaceRecord };

type Judged = PlacedPointer & {
  /** Copies that are missing. */
  readonly missing: number;
  /** No copy is left, or a part of its bytes is missing. */
  readonly isLost: boolean;
  /** Its spill is lost, marked for removal or dropped, although its parts exist and a pointer names them. */
  readonly lacksSpill: boolean;
};

const isBroken = ({ missing, isLost, lacksSpill }: Judged): boolean => missing > 0 || isLost || lacksSpill;

class Mend {
  readonly #deps: StreamDeps;
  readonly #before: Boundaries;
  readonly mended: Mended;

  constructor(deps: StreamDeps, before: Boundaries, mended: Mended) {
    this.#deps = deps;
    this.#before = before;
    this.mended = mended;
  }

  async items(items: readonly Item[]): Promise<void> {
    await this.#pointers(items);
    await this.#entries(items);
    await this.#removals(items);
  }

  #isOld(tenant: TenantKey, number: number): boolean {
    return number < (this.#before.get(tenant) ?? 0);
  }

  /** Deletes entries that their pull request does not name. */
  async #entries(items: readonly Item[]): Promise<void> {
    const found = items.flatMap((item) => {
      const place = parseEntryPlace(item);
      const isOld = place && this.#isOld(place.tenant, Number(item.sk));
      return isOld ? [{ item, place, ...parseEntry(item, ownerOfCopy(place)) }] : [];
    });
    const pointers = await this.#read(
      found.map(({ entry, pointerId }) => ({ organization: entry.organization, pointerId })),
    );
    const unsettled = new Set<TenantKey>();
    const stray = found.filter(({ place, entry }, index) => {
      const pointer = pointers[index];
      const named = pointer?.tenant === place.tenant ? pointer.places[datasetOf(place.dataset)] : undefined;
      if (named?.number === entry.number && named.week === place.week) return false;
      if (pointer && !this.#isOld(pointer.tenant, pointer.number)) unsettled.add(pointer.tenant);
      return true;
    });
    // An append that superseded the entry is published first: a reader must find the old entry or the new one.
    for (const tenant of unsettled) await recoverAppend(this.#deps, tenant);
    await this.#delete(stray.map(({ item }) => item));
  }

  /** A removal that is newer than its pointer belongs to half an append: the pull request was not removed. */
  async #removals(items: readonly Item[]): Promise<void> {
    const found = items.flatMap((item) => {
      const place = parseRemovalPlace(item);
      const isOld = place && this.#isOld(place.tenant, Number(item.sk));
      return isOld ? [{ item, place, removal: parseRemoval(item, ownerOfCopy(place)) }] : [];
    });
    const pointers = await this.#read(found.map(({ removal }) => removal));
    const isStray = ({ place, removal }: (typeof found)[number], pointer: Pointer | undefined): boolean =>
      !pointer || (pointer.tenant === place.tenant && pointer.number < removal.number);
    await this.#delete(found.filter((each, index) => isStray(each, pointers[index])).map(({ item }) => item));
    const kept = found.filter((each, index) => !isStray(each, pointers[index]));
    const puts = kept.flatMap(({ place, removal }) => {
      const { organization, number } = removal;
      return removalPuts(
        { tenant: place.tenant, organization, dataset: datasetOf(place.dataset), number },
        removal,
      );
    });
    const there = await this.#exist(puts.map(({ put }) => put));
    const lost = puts.filter((_, index) => !there[index]);
    await this.#deps.table.writeMany(lost.map(({ put }) => ({ put })));
    this.mended.copiesRestored += lost.length;
  }

  async #read(
    names: ReadonlyArray<{ readonly organization: string; readonly pointerId: string }>,
  ): Promise<Array<Pointer | undefined>> {
    const keys = names.map(({ organization, pointerId }) => kinds.pointer.key({ organization, pointerId }));
    const items = await this.#deps.table.getMany(keys);
    return names.map(({ organization }, index) => {
      const item = items[index];
      return item && parsePointer(item, organization);
    });
  }

  async #exist(keys: readonly Key[]): Promise<boolean[]> {
    const items = await this.#deps.table.getMany(keys, { only: ["pk", "sk"] });
    return items.map((item) => item !== undefined);
  }

  async #delete(items: readonly Item[]): Promise<void> {
    await this.#deps.table.writeMany(items.map(({ pk, sk }) => ({ delete: { pk, sk } })));
    this.mended.entriesRemoved += items.length;
  }

  async #pointers(items: readonly Item[]): Promise<void> {
    const pointers = items.flatMap((item) => {
      const found = partsOf(kinds.pointer, item);
      return found ? [parsePointer(item, found.organization)] : [];
    });
    const judged = await this.#judge(pointers.flatMap((pointer) => this.#oldPlaces(pointer)));
    const broken = new Set(judged.filter(isBroken).map(({ pointer }) => pointer));
    for (const { organization, id } of broken) await this.#mendPullRequest(organization, id);
  }

  #oldPlaces(pointer: Pointer): PlacedPointer[] {
    return datasets.flatMap((dataset): PlacedPointer[] => {
      const place = pointer.places[dataset];
      return place && this.#isOld(pointer.tenant, place.number) ? [{ pointer, dataset, place }] : [];
    });
  }

  async #judge(placed: readonly PlacedPointer[]): Promise<Judged[]> {
    const copies = placed.map((each) => entryKeys(addressOf(each)));
    const parts = placed.map(({ place: { spill } }) => (spill ? partKeys(spill) : []));
    const spilled = placed.flatMap(({ pointer, place: { spill } }) =>
      spill ? [kinds.spill.key({ organization: pointer.organization, spillId: spill.id })] : [],
    );
    const copyExists = takeFrom(await this.#exist(copies.flat()));
    const partExists = takeFrom(await this.#exist(parts.flat()));
    const spills = takeFrom(await this.#deps.table.getMany(spilled));
    return placed.map((each, index) => {
      const missing = copyExists(copies[index]?.length).filter((exists) => !exists).length;
      const isWhole = partExists(parts[index]?.length).every((exists) => exists);
      const [spill] = each.place.spill ? spills(1) : [];
      const isUsable = spill?.i !== undefined && spill.x === undefined;
      return {
        ...each,
        missing,
        isLost: missing === copies[index]?.length || !isWhole,
        lacksSpill: each.place.spill !== undefined && !isUsable,
      };
    });
  }

  /** The slow way, for the few pull requests that the last second before the restore point left half written. */
  async #mendPullRequest(organization: string, id: string): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      await pauseBefore(this.#deps, attempt);
      // In a transaction: a plain read may not see an append that has just superseded what was judged.
      const [item] = await this.#deps.table.transactGet([kinds.pointer.key({ organization, pointerId: id })]);
      const pointer = item && parsePointer(item, organization);
      const broken = pointer ? (await this.#judge(this.#oldPlaces(pointer))).filter(isBroken) : [];
      const lost = broken.filter(({ isLost }) => isLost);
      if (!pointer || broken.length === 0) return;
      if (lost.length > 0) await this.#reset(pointer, lost);
      else if (broken.some(({ lacksSpill }) => lacksSpill)) await this.#keepSpills(pointer, broken);
      else await this.#appendAgain(pointer, broken);
    }
  }

  /** The next event of the pull request is accepted as new, and writes what is lost. */
  async #reset(pointer: Pointer, lost: readonly PlacedPointer[]): Promise<void> {
    const { table } = this.#deps;
    await table.writeMany(lost.flatMap((each) => entryKeys(addressOf(each))).map((key) => ({ delete: key })));
    const left = Object.entries(pointer.places).filter(
      ([name]) => !lost.some(({ dataset }) => dataset === name),
    );
    const put = pointerItemOf({
      ...pointer,
      occurredAtMs: 0,
      occurredAtFiner: undefined,
      eventId: "",
      places: Object.fromEntries(left),
    });
    if (await writeIf(table, { put, when: pointerUnchanged(pointer) })) this.mended.pullRequestsReset++;
  }

  async #keepSpills(pointer: Pointer, broken: readonly Judged[]): Promise<void> {
    const { organization, id } = pointer;
    for (const { place, lacksSpill } of broken) {
      if (!lacksSpill || !place.spill) continue;
      await transactIf(this.#deps.table, [
        { check: kinds.pointer.key({ organization, pointerId: id }), when: pointerUnchanged(pointer) },
        { put: newSpillItem(organization, id, place.spill) },
      ]);
    }
  }

  async #appendAgain(pointer: Pointer, broken: readonly Judged[]): Promise<void> {
    const { tenant, organization } = pointer;
    const head = await readHead(this.#deps.table, tenant);
    if (!isSettled(head)) return await recoverAppend(this.#deps, tenant);
    const placed = datasets.flatMap((dataset): PlacedPointer[] => {
      const place = pointer.places[dataset];
      return place ? [{ pointer, dataset, place }] : [];
    });
    const copies = placed.map((each) => entryKeys(addressOf(each)));
    const found = takeFrom(await this.#deps.table.getMany(copies.flat()));
    const entries = placed.flatMap((each, index) => {
      const item = found(copies[index]?.length).find((copy) => copy !== undefined);
      return item ? [carriedEntry(pointer, each, item)] : [];
    });
    if (entries.length < placed.length) return;
    const result = await appendPlans(this.#deps, tenant, head, [planMove(pointer, entries)]);
    if (result.appended.size > 0)
      this.mended.copiesRestored += broken.reduce((sum, { missing }) => sum + missing, 0);
    // Its organization is moving. The move needs the copy that is lost.
    if (result.organizationsElsewhere.has(organization)) await this.#reset(pointer, broken);
  }
}

/** Takes the next so many elements, from the first on. */
function takeFrom<Element>(elements: readonly Element[]): (count: number | undefined) => Element[] {
  let next = 0;
  return (count = 0) => {
    const first = next;
    next += count;
    return elements.slice(first, next);
  };
}

const addressOf = ({ pointer: { tenant, organization }, dataset, place }: PlacedPointer): EntryAddress => ({
  tenant,
  organization,
  dataset: letterOf(dataset),
  week: place.week,
  number: place.number,
});
