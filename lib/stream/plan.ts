import type { TenantKey } from "../contract/tenants.ts";
import { type EntryBody, entryBody } from "./entry.ts";
import type { DroppedSpill, EntryAddress } from "./pending.ts";
import { fingerprintOf, type PlaceRecord, type Pointer, type SpillRef } from "./pointer.ts";
import { type Facets, facetsDiffer, facetsOf, type PlannedRemoval } from "./removal.ts";
import { type Dataset, datasets, type EntryDraft, letterOf, type PullRequestChange } from "./stream.ts";
import { weekOf } from "./weeks.ts";

/** A new entry of one dataset; it gets its number in the transaction. */
export type PlannedEntry = {
  readonly dataset: Dataset;
  readonly week: number;
  readonly fingerprint: string;
  readonly body: EntryBody;
  readonly spill: SpillRef | undefined;
};

/** The change of one pull request to the stream. It takes one number, whatever it adds, keeps or removes. */
export type ChangePlan = {
  readonly organization: string;
  readonly pointerId: string;
  readonly before: Pointer | undefined;
  readonly occurredAtMs: number;
  readonly occurredAtFiner: string | undefined;
  readonly eventId: string;
  readonly entries: readonly PlannedEntry[];
  readonly kept: ReadonlyArray<readonly [Dataset, PlaceRecord]>;
  readonly dropped: readonly EntryAddress[];
  readonly spills: readonly DroppedSpill[];
  readonly removals: readonly PlannedRemoval[];
  readonly facets: Facets | undefined;
};

export type Verdict = "append" | "touch" | "duplicate" | "older";

type EventOrder = Pick<Pointer, "occurredAtMs" | "occurredAtFiner" | "eventId">;

/** The newer `occurred_at` wins, compared to the last digit that was sent; then the greater event id wins. */
export function compareEvents(a: EventOrder, b: EventOrder): number {
  return (
    orderOf(a.occurredAtMs, b.occurredAtMs) ||
    orderOf(a.occurredAtFiner ?? "", b.occurredAtFiner ?? "") ||
    orderOf(a.eventId, b.eventId)
  );
}

function orderOf<Value extends number | string>(one: Value, other: Value): number {
  if (one < other) return -1;
  return one > other ? 1 : 0;
}

export function classifyChange(change: PullRequestChange, before: Pointer, tenant: TenantKey): Verdict {
  const order = compareEvents(change, before);
  if (order < 0) return "older";
  // The pull request is still in the stream of a tenant that its organization has left: this event moves it.
  if (before.tenant !== tenant) return "append";
  if (order === 0) return "duplicate";
  const isEqual = datasets.every((dataset) => {
    const draft = change.datasets[dataset];
    return (draft && fingerprintOf(draft)) === before.places[dataset]?.fingerprint;
  });
  return isEqual ? "touch" : "append";
}

/** A dataset whose entry would not change keeps the entry and its number: readers need not see it again. */
export const staysInPlace = (
  before: Pointer | undefined,
  tenant: TenantKey,
  dataset: Dataset,
  draft: EntryDraft,
): boolean => before?.tenant === tenant && before.places[dataset]?.fingerprint === fingerprintOf(draft);

export type ChangeInput = {
  readonly change: PullRequestChange;
  readonly pointerId: string;
  /** The pull request's pointer before the change; a new one has none. */
  readonly before?: Pointer | undefined;
  readonly tenant: TenantKey;
  /** Returns the reference of a draft whose bytes were written as parts. */
  readonly spillOf?: (draft: EntryDraft) => SpillRef | undefined;
};

export function planChange({ change, pointerId, before, tenant, spillOf }: ChangeInput): ChangePlan {
  const entries: PlannedEntry[] = [];
  const kept: Array<readonly [Dataset, PlaceRecord]> = [];
  for (const dataset of datasets) {
    const draft = change.datasets[dataset];
    if (!draft) continue;
    const place = before?.places[dataset];
    if (place && staysInPlace(before, tenant, dataset, draft)) {
      kept.push([dataset, place]);
      continue;
    }
    const spill = spillOf?.(draft);
    entries.push({
      dataset,
      week: weekOf(draft.atMs),
      fingerprint: fingerprintOf(draft),
      body: entryBody(pointerId, draft, spill),
      spill,
    });
  }
  const { organization, occurredAtMs, occurredAtFiner, eventId } = change;
  const unchanged = new Set(kept.map(([dataset]) => dataset));
  // An event that comes again after its organization moved has the spill that it already wrote.
  const leaves = leftBehind(before, unchanged, new Set(entries.map(({ spill }) => spill?.id)));
  const event = { occurredAtMs, occurredAtFiner, eventId };
  const facets = facetsAfter(change);
  const removals = before?.tenant === tenant ? removalsOf(change, before, facets, unchanged) : [];
  return { organization, pointerId, before, ...event, entries, kept, ...leaves, removals, facets };
}

/** All datasets of a pull request have the same day, repository and author; only `reviews` also has a status. */
function facetsAfter({ datasets: drafts }: PullRequestChange): Facets | undefined {
  const draft = drafts.reviews ?? drafts["review-comments"] ?? drafts.mcp;
  return draft && facetsOf(draft);
}

/** For datasets that the pull request leaves, or where its facets changed. In another tenant no reader has it. */
function removalsOf(
  { pullRequest, datasets: drafts }: PullRequestChange,
  { places, facets: old }: Pointer,
  now: Facets | undefined,
  unchanged: ReadonlySet<Dataset>,
): PlannedRemoval[] {
  if (!old) return [];
  return datasets.flatMap((dataset) => {
    if (unchanged.has(dataset)) return [];
    const isGone = places[dataset] && (!drafts[dataset] || !now || facetsDiffer(dataset, old, now));
    const facets = dataset === "reviews" ? old : { ...old, status: undefined };
    return isGone ? [{ dataset, pullRequest, facets }] : [];
  });
}

/** Plans a pull request's move to another tenant's stream: the same content, including parts, under new numbers. */
export function planMove(before: Pointer, entries: readonly PlannedEntry[]): ChangePlan {
  const { organization, id: pointerId, occurredAtMs, occurredAtFiner, eventId } = before;
  const carried = new Set(entries.map(({ spill }) => spill?.id));
  const leaves = leftBehind(before, new Set(), carried);
  const event = { occurredAtMs, occurredAtFiner, eventId };
  const { facets } = before;
  return { organization, pointerId, before, ...event, entries, kept: [], ...leaves, removals: [], facets };
}

function leftBehind(
  before: Pointer | undefined,
  kept: ReadonlySet<Dataset>,
  carriedSpills: ReadonlySet<string | undefined>,
): Pick<ChangePlan, "dropped" | "spills"> {
  const dropped: EntryAddress[] = [];
  const spills: DroppedSpill[] = [];
  for (const dataset of datasets) {
    const place = before?.places[dataset];
    if (!place || kept.has(dataset)) continue;
    const { tenant, organization } = before;
    dropped.push({
      tenant,
      organization,
      dataset: letterOf(dataset),
      week: place.week,
      number: place.number,
    });
    if (place.spill && !carriedSpills.has(place.spill.id)) spills.push({ organization, ...place.spill });
  }
  return { dropped, spills };
}
