import { streamLimits } from "../contract/limits.ts";
import {
  type EntryPlace,
  parseRemovalPartition,
  parseStreamPartition,
  pointerKey,
  pointerOrganization,
  type RemovalPlace,
  streamHeadKey,
  streamHeadTenant,
  type TenantKey,
} from "../store/layout.ts";
import { type Item, type Key, writeIf } from "../store/table.ts";
import { entryBody, entryPuts, parseEntry } from "./entry.ts";
import { readHead } from "./head.ts";
import { entryKeys, ownerOfCopy } from "./pending.ts";
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
 */
export async function repairStreams(
  deps: StreamDeps,
  onItem: (item: Item) => void = () => {},
): Promise<RepairReport> {
  const tally: Tally = { streams: 0, entriesRemoved: 0, copiesRestored: 0, pullRequestsReset: 0 };
  const streams = new Map<TenantKey, StreamContent>();
  const stream = (tenant: TenantKey): StreamContent => {
    const found = streams.get(tenant) ?? { weeks: [], highest: 0 };
    streams.set(tenant, found);
    return found;
  };
  let resume: Key | undefined;
  do {
    const page = await deps.table.scanPage({}, resume);
    for (const item of page.items) {
      onItem(item);
      const organization = pointerOrganization(item.pk);
      const tenant = streamHeadTenant(item);
      const place = parseStreamPartition(item.pk);
      const removalPlace = parseRemovalPartition(item.pk);
      if (organization !== undefined) {
        const pointer = parsePointer(item, organization);
        await repairPointer(deps, pointer, stream(pointer.tenant), tally);
      } else if (tenant !== undefined) stream(tenant);
      else if (place) await repairEntry(deps, place, item, tally);
      else if (removalPlace) await repairRemoval(deps, removalPlace, item, tally);
    }
    resume = page.resume;
  } while (resume);
  for (const [tenant, found] of streams) await renumber(deps, tenant, found);
  return { ...tally, streams: streams.size };
}

async function repairEntry(deps: StreamDeps, place: EntryPlace, item: Item, tally: Tally): Promise<void> {
  const { tenant, dataset } = place;
  const { entry, pointerId } = parseEntry(item, ownerOfCopy(place));
  const found = await deps.table.get(pointerKey(entry.organization, pointerId));
  const pointer = found && parsePointer(found, entry.organization);
  const named = pointer?.tenant === tenant ? pointer.places[datasetOf(dataset)] : undefined;
  if (named?.number === entry.number && named.week === place.week) return;
  await deps.table.write({ delete: { pk: item.pk, sk: item.sk } });
  tally.entriesRemoved++;
}

/** A removal that is newer than its pointer belongs to half an append: the pull request was not removed. */
async function repairRemoval(deps: StreamDeps, place: RemovalPlace, item: Item, tally: Tally): Promise<void> {
  const { tenant } = place;
  const removal = parseRemoval(item, ownerOfCopy(place));
  const { organization, pointerId, number } = removal;
  const found = await deps.table.get(pointerKey(organization, pointerId));
  const pointer = found && parsePointer(found, organization);
  if (!pointer || (pointer.tenant === tenant && pointer.number < number)) {
    await deps.table.write({ delete: { pk: item.pk, sk: item.sk } });
    tally.entriesRemoved++;
    return;
  }
  const dataset = datasetOf(place.dataset);
  for (const put of removalPuts({ tenant, organization, dataset, number }, removal)) {
    if (await deps.table.get(put.put)) continue;
    await deps.table.write(put);
    tally.copiesRestored++;
  }
}

async function repairPointer(
  deps: StreamDeps,
  pointer: Pointer,
  found: StreamContent,
  tally: Tally,
): Promise<void> {
  const kept: { -readonly [Name in Dataset]?: PlaceRecord } = {};
  for (const dataset of datasets) {
    const place = pointer.places[dataset];
    if (place && (await repairPlace(deps, pointer, { dataset, ...place }, tally))) kept[dataset] = place;
  }
  const isWhole = datasets.every((dataset) => kept[dataset] === pointer.places[dataset]);
  found.weeks = noteWeeks(found.weeks, Object.values(kept));
  found.highest = Math.max(found.highest, pointer.number);
  if (isWhole) return;
  const put = pointerItemOf({
    ...pointer,
    occurredAtMs: 0,
    occurredAtFiner: undefined,
    eventId: "",
    places: kept,
  });
  await deps.table.write({ put, when: pointerUnchanged(pointer) });
  tally.pullRequestsReset++;
}

/** True if the entry exists, in both copies and with its parts, or could be restored. */
async function repairPlace(
  { table }: StreamDeps,
  { tenant, organization, id }: Pointer,
  { dataset, week, number, spill }: PlaceRecord & { readonly dataset: Dataset },
  tally: Tally,
): Promise<boolean> {
  const address = { tenant, organization, dataset: letterOf(dataset), week, number };
  const items = await table.getMany(entryKeys(address));
  const standing = items.find((item) => item !== undefined);
  if (!standing) return false;
  if (spill) {
    const parts = await table.getMany(partKeys(spill), { only: ["pk", "sk"] });
    if (parts.some((part) => part === undefined)) {
      await table.writeMany(entryKeys(address).map((key) => ({ delete: key })));
      return false;
    }
    // The spill may be lost, marked for removal or dropped after the restore. Its parts exist and a pointer names them, so it is
    // kept.
    await table.write({ put: newSpillItem(organization, id, spill) });
  }
  const { entry } = parseEntry(standing, organization);
  const puts = entryPuts(address, entryBody(id, entry, spill));
  for (const [index, put] of puts.entries()) {
    if (items[index]) continue;
    await table.write(put);
    tally.copiesRestored++;
  }
  return true;
}

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
