import type { ReadableRepositories } from "../../access/readable.ts";
import * as kinds from "../../contract/items.ts";
import { learningLimits } from "../../contract/limits.ts";
import { type Embedding, embedAll, embeddedText, embeddedTexts } from "../../index/embedder.ts";
import { isIndexCurrent, vectorKeys } from "../../index/write-vectors.ts";
import { toTimestamp } from "../../runtime/clock.ts";
import { type LearningItem, parseLearning } from "../../store/items/learning.ts";
import type { OrganizationItem } from "../../store/items/organization.ts";
import { parseVectorHead, vectorHeadAttributes } from "../../store/items/vector.ts";
import type { Item, Table, TransactionWrite } from "../../store/table.ts";
import type { LearningContent } from "../content.ts";
import { approvedLearning, newLearning, recordWrites, type WriteContext, writeContext } from "../record.ts";
import { freeGeneration, textOwner, textWrite } from "../text-owner.ts";
import type { LearningDeps } from "../writer.ts";

/** A text of the batch, listed once even if it occurs several times, with the index of its first item. */
export type BatchText = { readonly content: LearningContent; readonly placeInBatch: number };

/** What a batch needs to know about the caller. */
export type BatchAuthor = {
  readonly organization: OrganizationItem;
  readonly authorId: string;
  readonly readable: ReadableRepositories;
};

/** What happens to a wanted text. */
export type TextPlan = {
  readonly wanted: BatchText;
  readonly outcome: "created" | "promoted" | "duplicate";
  readonly learning: LearningItem;
  /** Empty for a duplicate. */
  readonly writes: readonly TransactionWrite[];
  /** True if the index already has the text. */
  readonly isIndexed: boolean;
};

export type TextOwners = ReadonlyMap<string, Item | undefined>;

/** This text has used up its generations: no further Learning can be created from it. */
export function isExhausted(owner: Item | undefined): boolean {
  const { learningId, generations } = textOwner(owner);
  return learningId === null && generations.length >= learningLimits.generationsMax;
}

export async function readOwners(
  table: Table,
  organization: string,
  contents: readonly LearningContent[],
): Promise<TextOwners> {
  const digests = [...new Set(contents.map(({ digest }) => digest))];
  const items = await table.getMany(digests.map((digest) => kinds.text.key({ organization, digest })));
  return new Map(digests.map((digest, index) => [digest, items[index]]));
}

/** Undefined for a text that must be planned again: its owner changed during the reads. */
export async function planTexts(
  deps: LearningDeps,
  author: BatchAuthor,
  { wanted, owners }: { readonly wanted: readonly BatchText[]; readonly owners: TextOwners },
): Promise<ReadonlyArray<TextPlan | undefined>> {
  const ids = wanted.map(({ content }) => textOwner(owners.get(content.digest)).learningId);
  const held = wanted.flatMap(({ content: { text } }, index) => {
    const id = ids[index] ?? null;
    return id === null ? [] : [{ id, text }];
  });
  const existing = await readExisting(deps, author, held);
  const nowMs = deps.clock.nowMs();
  const planning: Planning = {
    author,
    nowMs,
    at: ({ placeInBatch }) =>
      writeContext({ nowMs, random: deps.random }, author.organization.tenant, {
        placeInBatch,
        indexedByWriter: true,
      }),
  };
  const plans = wanted.map((each, index): TextPlan | undefined => {
    const id = ids[index] ?? null;
    if (id === null) return planNew(planning, each, owners.get(each.content.digest));
    const found = existing.get(id);
    if (found?.learning.digest !== each.content.digest) return undefined;
    return planExisting(planning, each, found);
  });
  // The owners are not read in one snapshot: a Learning whose text changed in the meantime may appear under both texts.
  const first = new Map(plans.toReversed().map((plan) => [plan?.learning.id, plan]));
  return plans.map((plan) => (plan === first.get(plan?.learning.id) ? plan : undefined));
}

type Embed = (learning: LearningItem) => Promise<Embedding>;

/** What the plans of a batch share. */
type Planning = {
  readonly author: BatchAuthor;
  readonly nowMs: number;
  at(wanted: BatchText): WriteContext;
};

function planNew(
  { author: { organization, authorId }, nowMs, ...planning }: Planning,
  wanted: BatchText,
  owner: Item | undefined,
): TextPlan {
  const { content } = wanted;
  const at = planning.at(wanted);
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
  return { wanted, outcome: "created", learning, writes, isIndexed: false };
}

type Existing = { readonly learning: LearningItem; readonly isIndexedRight: boolean };

/** Private, pending or disapproved until now: posting the text publishes it. */
function planExisting(
  planning: Planning,
  wanted: BatchText,
  { learning: before, isIndexedRight }: Existing,
): TextPlan {
  if (before.state === "approved") {
    return { wanted, outcome: "duplicate", learning: before, writes: [], isIndexed: isIndexedRight };
  }
  const at = planning.at(wanted);
  const learning = approvedLearning(at, before);
  const writes = recordWrites(at, before, learning);
  return { wanted, outcome: "promoted", learning, writes, isIndexed: false };
}

/** The records of texts that already have an owner, and whether their vectors are current. */
async function readExisting(
  { table, embedder }: LearningDeps,
  { organization }: BatchAuthor,
  held: ReadonlyArray<{ readonly id: string; readonly text: string }>,
): Promise<ReadonlyMap<string, Existing>> {
  if (held.length === 0) return new Map();
  const keys = held.map((each) => vectorKeys({ ...each, organization: organization.uuid }));
  const [records, heads] = await Promise.all([
    table.getMany(
      held.map(({ id }) => kinds.learning.key({ organization: organization.uuid, learningId: id })),
    ),
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

/** One embedding per text, even if its plan is made several times; a failure surfaces when the embedding is awaited. */
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

/** The record must be stored in time, even if an embedder ignores the signal. */
function untilAborted<Answer>(signal: AbortSignal, work: Promise<Answer>): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  work.then(resolve, reject);
  return promise;
}
