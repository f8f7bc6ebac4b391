import { expect } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import type { Embedder } from "../../lib/index/embedder.ts";
import { isIndexCurrent, isIndexed, vectorKeys } from "../../lib/index/write-vectors.ts";
import { effectOnLearning } from "../../lib/learnings/events/pull-request.ts";
import { learningListKeys } from "../../lib/learnings/record.ts";
import {
  type LearningItem,
  parseLearning,
  parsePullRequestLearnings,
  parseText,
} from "../../lib/store/items/learning.ts";
import { parseVector } from "../../lib/store/items/vector.ts";
import type { Item, Key, Table } from "../../lib/store/table.ts";
import { scanAll } from "../support/scan-all.ts";

/** What may be out of date while a writer is working, or after a writer was interrupted. */
export type Lag = {
  /** If given, the index is checked too. */
  readonly embedder?: Embedder;
  /** Markers of interrupted writers may remain; the reconciler checks them once more. */
  readonly markersMayRemain?: boolean;
  /** An interrupted event will be delivered again. */
  readonly eventsMayComeAgain?: boolean;
};

const identity = ({ pk, sk }: Key) => `${pk} / ${sk}`;
const byKind = (items: readonly Item[], prefix: string) => items.filter(({ pk }) => pk.startsWith(prefix));

/**
 * Checks everything that must hold for Learnings at rest, whatever happened before: one owner per text, no unknown
 * ids, copies that equal their record, and (if the embedder is given) an index that matches the records.
 */
export async function checkTable(table: Table, lag: Lag = {}): Promise<void> {
  expect(problemsOf(await scanAll(table), lag)).toEqual([]);
}

export function problemsOf(
  items: readonly Item[],
  { embedder, markersMayRemain, eventsMayComeAgain }: Lag = {},
): string[] {
  const learnings = byKind(items, "LEARNING#").map(parseLearning);
  return [
    ...textProblems(items, learnings),
    ...listProblems(items, learnings),
    ...pendingProblems(items, learnings),
    ...pullRequestProblems(items, learnings, eventsMayComeAgain ?? false),
    ...(embedder ? indexProblems(items, learnings, embedder) : []),
    ...(embedder && !markersMayRemain ? markerProblems(items) : []),
  ];
}

function* textProblems(items: readonly Item[], learnings: readonly LearningItem[]): Generator<string> {
  const owned = new Map<string, string>();
  const generations = new Map<string, string>();
  for (const { id, organization, digest, origin } of learnings) {
    const text = `${organization} ${digest}`;
    if (owned.has(text)) yield `${id} and ${owned.get(text)} have the same text`;
    owned.set(text, id);
    const generation = `${organization} ${origin.digest} ${origin.generation}`;
    if (generations.has(generation)) yield `${id} and ${generations.get(generation)} are of one generation`;
    generations.set(generation, id);
  }
  for (const stored of byKind(items, "TEXT#")) {
    const organization = stored.pk.slice("TEXT#".length);
    const { learning_id, generations: held, removed_place, dropped } = parseText(stored);
    const owner = owned.get(`${organization} ${stored.sk}`) ?? null;
    if (owner !== learning_id) yield `text ${stored.sk} says ${learning_id}, the owner is ${owner}`;
    owned.delete(`${organization} ${stored.sk}`);
    for (const generation of held)
      if (!generations.delete(`${organization} ${stored.sk} ${generation}`))
        yield `text ${stored.sk} keeps generation ${generation} for nobody`;
    if (learning_id === null && held.length === 0 && removed_place === undefined && !dropped)
      yield `text ${stored.sk} is of no use`;
  }
  for (const [text, id] of owned) yield `the text ${text} of ${id} has no owner`;
  for (const [generation, id] of generations) yield `the generation ${generation} of ${id} is not kept`;
}

function* listProblems(items: readonly Item[], learnings: readonly LearningItem[]): Generator<string> {
  const listed = new Map(
    byKind(items, "LEARNINGS#")
      .filter((copy) => !("moved_to" in copy) && !("removed_at" in copy))
      .map((copy) => [identity(copy), copy]),
  );
  for (const learning of learnings) {
    if ((learning.state === "approved") !== (learning.listed !== null))
      yield `${learning.id} is ${learning.state} and ${learning.listed ? "" : "not "}listed`;
    for (const key of learningListKeys(learning)) {
      const copy = listed.get(identity(key));
      listed.delete(identity(key));
      const same =
        copy &&
        JSON.stringify(sorted({ ...copy, pk: "", sk: "" })) ===
          JSON.stringify(sorted({ ...learning, pk: "", sk: "" }));
      if (!same) yield `the copy ${identity(key)} is not its record`;
    }
  }
  for (const key of listed.keys()) yield `the copy ${key} has no record`;
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}

function* pendingProblems(items: readonly Item[], learnings: readonly LearningItem[]): Generator<string> {
  const rows = new Set(byKind(items, "PENDING").map(identity));
  for (const { id, organization, state, approve_at } of learnings) {
    if (state !== "pending" || approve_at === null) continue;
    const place = { approveAt: approve_at, organization, learningId: id };
    for (const key of [kinds.pending.key(place), kinds.organizationPending.key(place)])
      if (!rows.delete(identity(key))) yield `${id} is pending without a row in ${key.pk}`;
  }
  for (const row of rows) yield `the row ${row} is of nobody`;
}

function* pullRequestProblems(
  items: readonly Item[],
  learnings: readonly LearningItem[],
  eventsMayComeAgain: boolean,
): Generator<string> {
  const open = new Map(
    byKind(items, "PRIVATE#").map((stored) => [identity(stored), parsePullRequestLearnings(stored)]),
  );
  for (const { id, organization, state, pull_requests } of learnings) {
    if (state === "private" && pull_requests.length === 0) yield `${id} is private for no reason`;
    for (const pullRequest of pull_requests) {
      const named = open.get(`PRIVATE#${organization} / ${pullRequest}`);
      if (!named || !Object.hasOwn(named.learnings, id)) yield `${id} is unknown to its pull request`;
      const fate = named ? effectOnLearning(named, named.learnings[id] ?? "") : "open";
      if (fate !== "open" && !eventsMayComeAgain) yield `${id} was to be ${fate} by its pull request`;
    }
  }
}

function* indexProblems(
  items: readonly Item[],
  learnings: readonly LearningItem[],
  embedder: Embedder,
): Generator<string> {
  const vectors = new Map(byKind(items, "VECTOR#").map((stored) => [identity(stored), parseVector(stored)]));
  for (const learning of learnings.filter(isIndexed)) {
    const keys = vectorKeys(learning).map(identity);
    const heads = keys.map((key) => vectors.get(key));
    if (!isIndexCurrent(heads, learning, embedder)) yield `${learning.id} is not in the index as it is`;
    for (const key of keys) vectors.delete(key);
  }
  for (const key of vectors.keys()) yield `${key} is of nobody`;
}

const markerProblems = (items: readonly Item[]): string[] =>
  byKind(items, "STALE#").map((marker) => `the marker ${identity(marker)} was left`);
