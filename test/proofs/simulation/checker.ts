import * as kinds from "../../../lib/contract/items.ts";
import type { TenantKey } from "../../../lib/contract/tenants.ts";
import { parseRemovalPlace } from "../../../lib/store/layout.ts";
import type { Item } from "../../../lib/store/table.ts";
import { entryBody, entryPuts } from "../../../lib/stream/entry.ts";
import { isSettled, parseHead } from "../../../lib/stream/head.ts";
import { ownerOfCopy } from "../../../lib/stream/pending.ts";
import { compareEvents } from "../../../lib/stream/plan.ts";
import { fingerprintOf, type Pointer, parsePointer, pointerIdOf } from "../../../lib/stream/pointer.ts";
import { parseRemoval } from "../../../lib/stream/removal.ts";
import {
  type Dataset,
  datasets,
  type EntryDraft,
  letterOf,
  type StreamEntry,
} from "../../../lib/stream/stream.ts";
import { weekOf } from "../../../lib/stream/weeks.ts";
import { atRest, type MirrorFault, mirrorFaults, type Possible } from "../../support/mirror-oracle.ts";
import { type HistoryEvent, nameOf, pullRequestOf, visibleText } from "./history.ts";
import { coversSeveral } from "./scope.ts";
import { lookAtOrganizations, type World } from "./world.ts";

/** A promise of the stream that did not hold. */
export class Violation extends Error {
  override readonly name = "Violation";
  readonly kind: ViolationKind;
  constructor(kind: ViolationKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * missed: a walk ended without a state that it had to return · foreign: an entry that was never sent or not requested ·
 * unpublished: acknowledged too early · unsettled: a head at rest with work left · lost: not the newest state · orphan:
 * entries or parts that nothing names · left-behind: in the wrong tenant's stream · paging · endless · stale: a mirror
 * holds a deleted entry
 */
export type ViolationKind =
  | "missed"
  | "foreign"
  | "unpublished"
  | "unsettled"
  | "lost"
  | "orphan"
  | "left-behind"
  | "paging"
  | "stale"
  | "endless";

/** The scope and filters of a walk. */
export type WalkScope = {
  readonly tenant: TenantKey;
  readonly organization: string | undefined;
  readonly dataset: Dataset;
  readonly window: { readonly startMs: number; readonly endMs: number };
  readonly authorId: string | undefined;
  /** Only for `reviews`. */
  readonly status?: string | undefined;
};

export const isWanted = (scope: WalkScope, draft: EntryDraft | undefined): draft is EntryDraft =>
  draft !== undefined &&
  draft.atMs >= scope.window.startMs &&
  draft.atMs < scope.window.endMs &&
  (scope.authorId === undefined || draft.authorId === scope.authorId) &&
  (scope.status === undefined || draft.status === scope.status);

const byPullRequest = (events: readonly HistoryEvent[]): Map<string, HistoryEvent[]> =>
  Map.groupBy(events, ({ pullRequest }) => nameOf(pullRequest));

/** Every entry shown is a state that was sent, of an organization and a window that were requested. */
export function checkShown(
  events: readonly HistoryEvent[],
  scope: WalkScope,
  organizations: ReadonlySet<string>,
  entry: StreamEntry,
): void {
  if (!organizations.has(entry.organization))
    throw new Violation("foreign", "an organization outside the scope appears");
  const name = pullRequestOf(entry.payload);
  if (!name.startsWith(`${entry.organization} `))
    throw new Violation("foreign", `a payload of another organization: ${name}`);
  const isSent = events.some((event) => {
    const draft = event.change.datasets[scope.dataset];
    if (nameOf(event.pullRequest) !== name || event.firstDelivered === Infinity) return false;
    return isWanted(scope, draft) && visibleText(draft) === visibleText(entry);
  });
  if (!isSent) throw new Violation("foreign", `${name} appears in a state that nobody sent or asked for`);
}

/** What was known about the organizations of a scope when the last page of a walk began. */
export type KnownScope = {
  /** In the scope: the walk must return all their entries. */
  readonly owed: ReadonlySet<string>;
  /** Out of the scope. The other organizations are just changing: nothing is checked for them. */
  readonly gone: ReadonlySet<string>;
};

/** When a walk ends, it must have returned what a new walk returns that begins with its last page. */
export function checkWalk(
  events: readonly HistoryEvent[],
  scope: WalkScope,
  known: KnownScope,
  lastPageBegan: number,
  { shown, appliesRemovals }: { shown: ReadonlyMap<string, string>; appliesRemovals: boolean },
): void {
  const fresh = possibleThings(events, scope, known, lastPageBegan);
  const [fault] = mirrorFaults(shown, fresh, { followsRemovals: appliesRemovals });
  if (fault) throw violationOf(fault, "a walk");
}

const words = { missed: "lacks", outdated: "has an outdated state of", stale: "keeps" } as const;

export const violationOf = ({ kind, name }: MirrorFault, who: string): Violation =>
  new Violation(kind === "stale" ? "stale" : "missed", `${who} ${words[kind]} ${name}`);

/** The state that was acknowledged by then, and all states sent since: a new walk returns one of them. */
function possibleThings(
  events: readonly HistoryEvent[],
  scope: WalkScope,
  { owed, gone }: KnownScope,
  momentKnown: number,
): Map<string, Possible> {
  const things = new Map<string, Possible>();
  for (const [name, sent] of byPullRequest(events)) {
    const owner = sent[0]?.pullRequest.organization ?? "";
    if (gone.has(owner)) continue;
    const isOwed = owed.has(owner);
    // A walk of one organization still owes what left it.
    if (!isOwed && coversSeveral(scope)) {
      things.set(name, { states: undefined, mayBeAbsent: true });
      continue;
    }
    const known = sent.findLastIndex(({ acknowledged }) => acknowledged < momentKnown);
    const possible = sent.filter(
      (event, index) => index === known || (index > known && event.firstDelivered < Infinity),
    );
    const drafts = possible.map(({ change }) => change.datasets[scope.dataset]);
    const wanted = drafts.filter((draft) => isWanted(scope, draft));
    if (wanted.length === 0) continue;
    things.set(name, {
      states: isOwed ? new Set(wanted.map(visibleText)) : undefined,
      mayBeAbsent: !isOwed || known < 0 || wanted.length < drafts.length,
    });
  }
  return things;
}

/**
 * A cursor means that everything up to its number was handled: an entry that is there now was there all the time since
 * its publication, so it must have been shown.
 */
export async function checkCursor(
  world: World,
  scope: WalkScope,
  organizations: ReadonlySet<string>,
  cursor: number,
  shown: ReadonlyMap<string, string>,
): Promise<void> {
  const pointers = await lookAtPointers(world);
  for (const [name, sent] of byPullRequest(world.events)) {
    const [first] = sent;
    if (!first || !organizations.has(first.change.organization)) continue;
    const pointer = pointers.get(name);
    const place = pointer?.tenant === scope.tenant ? pointer.places[scope.dataset] : undefined;
    if (!place || place.number > cursor) continue;
    const drafts = sent.flatMap(({ change }) => change.datasets[scope.dataset] ?? []);
    const draft = drafts.find((each) => fingerprintOf(each) === place.fingerprint);
    if (isWanted(scope, draft) && shown.get(name) !== visibleText(draft)) {
      throw new Violation("missed", `the cursor passed ${name}`);
    }
  }
}

/** When an event is acknowledged, its state, or a newer one, is stored and published in the stream of its tenant. */
export async function checkAcknowledged(
  world: World,
  { change }: HistoryEvent,
  tenant: TenantKey,
): Promise<void> {
  const name = `${change.organization} ${change.pullRequest}`;
  const key = kinds.pointer.key({
    organization: change.organization,
    pointerId: pointerIdOf(change.pullRequest),
  });
  const [item, head] = await world.look([key, kinds.streamHead.key({ tenant })]);
  if (!item) throw new Violation("lost", `acknowledged, but ${name} has no pointer`);
  const pointer = parsePointer(item, change.organization);
  const order = compareEvents(pointer, change);
  if (order < 0) throw new Violation("lost", `acknowledged, but ${name} has an older state`);
  if (order === 0 && pointer.tenant === tenant && parseHead(head).published < pointer.number) {
    throw new Violation("unpublished", `acknowledged ${name} before it was published`);
  }
}

async function lookAtPointers(world: World): Promise<Map<string, Pointer>> {
  const pullRequests = [...new Set(world.events.map(({ pullRequest }) => pullRequest))];
  const keys = pullRequests.map(({ organization, url }) =>
    kinds.pointer.key({ organization, pointerId: pointerIdOf(url) }),
  );
  const items = await world.look(keys);
  return new Map(
    pullRequests.flatMap((pullRequest, index) => {
      const item = items[index];
      return item ? [[nameOf(pullRequest), parsePointer(item, pullRequest.organization)] as const] : [];
    }),
  );
}

/** What a new walk returns when everything is at rest: the newest state of every pull request. */
export function thingsAtRest(
  events: readonly HistoryEvent[],
  scope: WalkScope,
  organizations: ReadonlySet<string>,
): Map<string, Possible> {
  const newest = [...byPullRequest(events)].flatMap(([name, sent]): Array<[string, string]> => {
    const last = sent.at(-1);
    const draft = last?.change.datasets[scope.dataset];
    if (!last || !organizations.has(last.change.organization) || !isWanted(scope, draft)) return [];
    return [[name, visibleText(draft)]];
  });
  return atRest(new Map(newest));
}

/** No work is left: pointers, entries, copies, parts and heads are exactly as they should be. */
export async function checkAtRest(world: World): Promise<void> {
  const [items, pointers, states] = await Promise.all([
    world.everything(),
    lookAtPointers(world),
    lookAtOrganizations(world),
  ]);
  for (const item of items) {
    if (item.sk === "HEAD" && !isSettled(parseHead(item)))
      throw new Violation("unsettled", `${item.pk} is not settled`);
  }
  const expected = new Map<string, Item>();
  const spills = new Set<string>();
  for (const [name, sent] of byPullRequest(world.events)) {
    const newest = sent.at(-1)?.change;
    const pointer = pointers.get(name);
    if (!newest) continue;
    if (!pointer) throw new Violation("lost", `${name} has no pointer at rest`);
    if (pointer.eventId !== newest.eventId)
      throw new Violation("lost", `${name}: ${pointer.eventId} won over ${newest.eventId}`);
    for (const dataset of datasets) {
      const draft = newest.datasets[dataset];
      const place = pointer.places[dataset];
      if ((draft && fingerprintOf(draft)) !== place?.fingerprint)
        throw new Violation("lost", `${name} has another state`);
      if (!draft || !place) continue;
      const { tenant, organization } = pointer;
      if (tenant !== states.get(organization)?.tenant)
        throw new Violation("left-behind", `${name} stayed behind in ${tenant}`);
      const week = weekOf(draft.atMs);
      const address = { tenant, organization, dataset: letterOf(dataset), week, number: place.number };
      for (const { put } of entryPuts(address, entryBody(pointer.id, draft, place.spill))) {
        expected.set(`${put.pk} ${put.sk}`, put);
      }
      if (place.spill) spills.add(place.spill.id);
    }
  }
  checkRemovals(items, pointers);
  checkEntries(items, expected);
  checkParts(items, spills);
}

/**
 * No removal is ahead of its pull request, and no copy is missing: two, or one in a stand-alone organization's stream.
 */
function checkRemovals(items: readonly Item[], pointers: ReadonlyMap<string, Pointer>): void {
  const numbers = new Map([...pointers.values()].map((each) => [`${each.organization} ${each.id}`, each]));
  const twins = new Map<string, number>();
  for (const item of items) {
    const place = parseRemovalPlace(item);
    if (!place) continue;
    const removal = parseRemoval(item, ownerOfCopy(place));
    const pointer = numbers.get(`${removal.organization} ${removal.pointerId}`);
    if (!pointer || (pointer.tenant === place.tenant && pointer.number < removal.number))
      throw new Violation("orphan", `a removal ahead of its pull request: ${item.pk} ${item.sk}`);
    const id = `${place.tenant} ${place.dataset} ${removal.number}`;
    twins.set(id, (twins.get(id) ?? 0) + 1);
  }
  for (const [id, count] of twins)
    if (count !== (id.startsWith("o#") ? 1 : 2))
      throw new Violation("orphan", `a removal without its twin: ${id}`);
}

function checkEntries(items: readonly Item[], expected: ReadonlyMap<string, Item>): void {
  const entries = items.filter(
    (item) => item.pk.startsWith("S#") && item.sk !== "HEAD" && !parseRemovalPlace(item),
  );
  for (const entry of entries) {
    const id = `${entry.pk} ${entry.sk}`;
    const wanted = expected.get(id);
    if (!wanted) throw new Violation("orphan", `an entry without a pointer: ${id}`);
    if (JSON.stringify(sorted(entry)) !== JSON.stringify(sorted(wanted)))
      throw new Violation("orphan", `a wrong entry: ${id}`);
  }
  if (entries.length !== expected.size) throw new Violation("lost", "a pointer without its entry");
}

const sorted = (item: Item) => Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1));

function checkParts(items: readonly Item[], named: ReadonlySet<string>): void {
  const found = new Set(
    items.filter(({ pk }) => pk.startsWith("PART#")).map(({ pk }) => pk.split("#")[1] ?? ""),
  );
  for (const id of found) if (!named.has(id)) throw new Violation("orphan", `parts without a pointer: ${id}`);
  for (const id of named)
    if (!found.has(id)) throw new Violation("lost", `an entry without its parts: ${id}`);
}
