import type { ReadableRepositories } from "../../access/readable.ts";
import { learningLimits } from "../../contract/limits.ts";
import { type Embedding, embedAll, embeddedText, embeddedTexts } from "../../index/embedder.ts";
import { isIndexCurrent, vectorKeys } from "../../index/write-vectors.ts";
import { toTimestamp } from "../../runtime/clock.ts";
import { type LearningItem, parseLearning } from "../../store/items/learning.ts";
import type { OrganizationItem } from "../../store/items/organization.ts";
import { parseVectorHead, vectorHeadAttributes } from "../../store/items/vector.ts";
import { learningKey, textKey } from "../../store/layout.ts";
import type { Item, Table, TransactionWrite } from "../../store/table.ts";
import type { Content } from "../content.ts";
import { approved, newLearning, recordWrites, writeContext } from "../record.ts";
import { freeGeneration, textOwner, textWrite } from "../text-owner.ts";
import type { LearningDeps } from "../writer.ts";

/** A text of the batch, once however often it is in it, with the place of its first item. */
export type Wanted = { readonly content: Content; readonly placeInBatch: number };

/** Everything a batch needs to know of the caller. */
export type Author = {
  readonly organization: OrganizationItem;
  readonly authorId: string;
  readonly readable: ReadableRepositories;
};

/** What is to become of a wanted text. */
export type Plan = {
  readonly wanted: Wanted;
  readonly outcome: "created" | "promoted" | "duplicate";
  readonly learning: LearningItem;
  /** Empty for a duplicate. */
  readonly writes: readonly TransactionWrite[];
  /** Undefined where the index is right already. */
  readonly embedding: Promise<Embedding> | undefined;
};

export type TextOwners = ReadonlyMap<string, Item | undefined>;

/** So many Learnings began with this text that no further one can. */
export function isExhausted(owner: Item | undefined): boolean {
  const { learningId, generations } = textOwner(owner);
  return learningId === null && generations.length >= learningLimits.generationsMax;
}

export async function readOwners(
  table: Table,
  organization: string,
  contents: readonly Content[],
): Promise<TextOwners> {
  const digests = [...new Set(contents.map(({ digest }) => digest))];
  const items = await table.getMany(digests.map((digest) => textKey(organization, digest)));
  return new Map(digests.map((digest, index) => [digest, items[index]]));
}

/** Undefined in the place of a text that is to be decided anew: its owner changed while we looked, or its item is full. */
export async function planTexts(
  deps: LearningDeps,
  author: Author,
  embed: Embed,
  { wanted, owners }: { readonly wanted: readonly Wanted[]; readonly owners: TextOwners },
): Promise<ReadonlyArray<Plan | undefined>> {
  const ids = wanted.map(({ content }) => textOwner(owners.get(content.digest)).learningId);
  const held = wanted.flatMap(({ content: { text } }, index) => {
    const id = ids[index] ?? null;
    return id === null ? [] : [{ id, text }];
  });
  const existing = await readExisting(deps, author, held);
  const planning = { deps, author, embed, nowMs: deps.clock.nowMs() };
  const plans = wanted.map((each, index): Plan | undefined => {
    const id = ids[index] ?? null;
    if (id === null) return planNew(planning, each, owners.get(each.content.digest));
    const found = existing.get(id);
    if (found?.learning.digest !== each.content.digest) return undefined;
    return planExisting(planning, each, found);
  });
  // Owners are not read together: a Learning that got another text meanwhile may be seen under both.
  const first = new Map(plans.toReversed().map((plan) => [plan?.learning.id, plan]));
  return plans.map((plan) => (plan === first.get(plan?.learning.id) ? plan : undefined));
}

type Embed = (learning: LearningItem) => Promise<Embedding>;

/** What the plans of a batch share. */
type Planning = {
  readonly deps: LearningDeps;
  readonly author: Author;
  readonly embed: Embed;
  readonly nowMs: number;
};

function planNew(
  { deps, author: { organization, authorId }, embed, nowMs }: Planning,
  wanted: Wanted,
  owner: Item | undefined,
): Plan {
  const { content, placeInBatch } = wanted;
  const at = writeContext({ nowMs, random: deps.random }, organization.tenant, {
    placeInBatch,
    indexedByWriter: true,
  });
  const known = textOwner(owner);
  const generation = freeGeneration(known);
  const learning = newLearning(at, organization.uuid, content, {
    generation,
    removedPlace: known.removedPlace,
    state: "approved",
    pull_requests: [],
    approve_at: null,
    author_id: authorId,
    created_at: toTimestamp(nowMs),
  });
  const claim = textWrite(organization.uuid, content.digest, owner, {
    learningId: learning.id,
    takes: generation,
  });
  const writes = [...recordWrites(at, undefined, learning), claim];
  return { wanted, outcome: "created", learning, writes, embedding: embed(learning) };
}

type Existing = { readonly learning: LearningItem; readonly isIndexedRight: boolean };

/** Private, pending or disapproved until now: whoever posts it publishes it. */
function planExisting(
  { deps, author: { organization }, embed, nowMs }: Planning,
  wanted: Wanted,
  { learning: before, isIndexedRight }: Existing,
): Plan {
  if (before.state === "approved") {
    const embedding = isIndexedRight ? undefined : embed(before);
    return { wanted, outcome: "duplicate", learning: before, writes: [], embedding };
  }
  const { placeInBatch } = wanted;
  const at = writeContext({ nowMs, random: deps.random }, organization.tenant, {
    placeInBatch,
    indexedByWriter: true,
  });
  const learning = approved(at, before);
  const writes = recordWrites(at, before, learning);
  return { wanted, outcome: "promoted", learning, writes, embedding: embed(learning) };
}

/** The records behind texts that somebody has, and whether the index follows them. */
async function readExisting(
  { table, embedder }: LearningDeps,
  { organization }: Author,
  held: ReadonlyArray<{ readonly id: string; readonly text: string }>,
): Promise<ReadonlyMap<string, Existing>> {
  if (held.length === 0) return new Map();
  const keys = held.map((each) => vectorKeys({ ...each, organization: organization.uuid }));
  const [records, heads] = await Promise.all([
    table.getMany(held.map(({ id }) => learningKey(organization.uuid, id))),
    table.getMany(keys.flat(), { only: vectorHeadAttributes }),
  ]);
  const found = heads.values();
  const existing = new Map<string, Existing>();
  for (const [index, { id }] of held.entries()) {
    const own = [...found.take(keys[index]?.length ?? 0)];
    const record = records[index];
    if (!record) continue;
    const learning = parseLearning(record);
    const isIndexedRight = isIndexCurrent(
      own.map((head) => head && parseVectorHead(head)),
      learning,
      embedder,
    );
    existing.set(id, { learning, isIndexedRight });
  }
  return existing;
}

/** One embedding per text, however often its plan is made anew; its failure is heard when it is waited for. */
export function embedOnce({ embedder, signal }: LearningDeps): Embed {
  const known = new Map<string, Promise<Embedding>>();
  return (learning) => {
    const text = embeddedText(learning);
    const before = known.get(text);
    if (before) return before;
    const embedding = untilAborted(signal, embedAll(embedder, embeddedTexts(learning), signal));
    embedding.catch(() => {});
    known.set(text, embedding);
    return embedding;
  };
}

/** The record must be stored in time, also when an embedder does not listen to the signal. */
function untilAborted<Answer>(signal: AbortSignal, work: Promise<Answer>): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  work.then(resolve, reject);
  return promise;
}
