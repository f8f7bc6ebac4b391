import type * as z from "zod";
import { isReadable, type ReadableRepositories } from "../access/readable.ts";
import { auditWritesFor } from "../audit/entry.ts";
import { type ItemErrorCode, itemErrorCodes } from "../contract/errors.ts";
import * as itemKinds from "../contract/items.ts";
import type { createAnswer } from "../contract/operations/learnings.ts";
import { indexChanged } from "../index/follow.ts";
import { describeError, log } from "../runtime/log.ts";
import { required } from "../runtime/required.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { parseRepository } from "../store/items/repository.ts";
import type { Table } from "../store/table.ts";
import { type BatchItem, readItems } from "./batch/item.ts";
import {
  type BatchAuthor,
  type BatchText,
  embedOnce,
  readOwners,
  type TextOwners,
  type TextPlan,
} from "./batch/plan.ts";
import { type Stored, storeTexts } from "./batch/write.ts";
import type { LearningContent } from "./content.ts";
import { learningUuid } from "./identity.ts";
import { freeGeneration, textOwner } from "./text-owner.ts";
import { type LearningDeps, learningEvent } from "./writer.ts";

export type CreateAnswer = z.input<typeof createAnswer>;
type Result = CreateAnswer["results"][number];
type Failed = Result & { readonly error: NonNullable<Result["error"]> };

/**
 * Creates a batch: first the records, then the index. Embedding begins only when the records are stored: a text that
 * cannot be embedded in time is in the table, with a marker for the reconciler. One item can fail alone. Sending the
 * same batch again is safe and repairs what failed.
 */
export async function createLearnings(
  deps: LearningDeps,
  author: BatchAuthor,
  data: readonly unknown[],
): Promise<CreateAnswer> {
  const items = await readItems(data, deps.signal);
  // Learnings of repositories that the caller cannot read are treated as absent: no answer depends on them.
  const contents = items
    .flatMap(({ content }) => content ?? [])
    .filter(({ repositoryId }) => isReadable(author.readable, repositoryId));
  const { uuid } = author.organization;
  const [owners, repositories] = await Promise.all([
    readOwners(deps.table, uuid, contents),
    activeRepositories(deps.table, uuid, contents),
  ]);
  const known = { organization: uuid, owners, repositories };
  const failed = items
    .flatMap((each) => refusedItem(each, known) ?? [])
    .map(({ index, id, error }) => ({ index, id, code: error.code }));
  const stored = await storeTexts(deps, author, {
    wanted: wantedTexts(items, repositories),
    owners,
    failed,
  });
  // A Learning whose text changed between two rounds is stored under both texts; the later plan has its current state.
  const byId = new Map([...stored.values()].map((plan) => [plan.learning.id, plan]));
  const embed = embedOnce(deps);
  const unindexed = await indexChanged(
    deps,
    [...byId.values()]
      .filter(({ isIndexed }) => !isIndexed)
      .map(({ learning, outcome }) => ({
        learning,
        embedding: embed(learning),
        isMarked: outcome !== "duplicate",
      })),
  );
  const results = resultsOf(items, { ...known, stored, unindexed });
  await recordLateFailures(deps, author, results, [...byId.values()]);
  return answerOf(results);
}

/** In a separate entry, because the changes are already written: without it the batch is still answered. */
async function recordLateFailures(
  deps: LearningDeps,
  { organization }: BatchAuthor,
  results: readonly Result[],
  plans: readonly TextPlan[],
): Promise<void> {
  const failed = results.flatMap(({ index, id, error }) =>
    error && lateCodes.has(error.code) ? [{ index, id, code: error.code }] : [],
  );
  const changed = plans.find(({ outcome }) => outcome !== "duplicate");
  if (failed.length === 0 || !changed) return;
  const action = changed.outcome === "created" ? "learning.created" : "learning.promoted";
  try {
    const event = learningEvent(organization, action, [], { failed });
    const summary = `${action.replace(".", " ")}: ${lateFailures(failed.map(({ code }) => code))}`;
    await deps.table.transact(auditWritesFor(deps, { ...event, summary }));
  } catch (error) {
    log("warn", "The audit log does not say which Learnings of a batch failed.", {
      failed,
      error: describeError(error),
    });
  }
}

const lateCodes: ReadonlyMap<string, string> = new Map<ItemErrorCode, string>([
  ["STORAGE_FAILED", "not stored"],
  ["INDEXING_FAILED", "stored but not indexed"],
]);

const lateFailures = (codes: readonly string[]): string =>
  [...lateCodes]
    .map(([code, words]) => ({ words, count: codes.filter((each) => each === code).length }))
    .flatMap(({ words, count }) => (count > 0 ? [`${count} ${words}`] : []))
    .join(", ");

async function activeRepositories(
  table: Table,
  organization: string,
  contents: readonly LearningContent[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(contents.map(({ repositoryId }) => repositoryId))];
  const found = await table.getMany(
    ids.map((id) => itemKinds.repository.key({ organization, repositoryId: id })),
  );
  const known = found.filter((item) => item !== undefined).map(parseRepository);
  return new Set(known.filter(({ active }) => active).map(({ repository_id }) => repository_id));
}

/** Every text once: the first item with the text determines file and source. */
function wantedTexts(items: readonly BatchItem[], repositories: ReadonlySet<string>): BatchText[] {
  const wanted = new Map<string, BatchText>();
  for (const { content, problem, index } of items) {
    if (problem !== null || !content || !repositories.has(content.repositoryId)) continue;
    if (!wanted.has(content.digest)) wanted.set(content.digest, { content, placeInBatch: index });
  }
  return [...wanted.values()];
}

type Known = {
  readonly organization: string;
  readonly owners: TextOwners;
  readonly repositories: ReadonlySet<string>;
};

type LearningBatch = Known & {
  readonly stored: Stored;
  readonly unindexed: ReadonlyMap<string, unknown>;
};

function resultsOf(items: readonly BatchItem[], batch: LearningBatch): Result[] {
  const seen = new Set<string>();
  const resultOf = (item: BatchItem): Result => {
    const refused = refusedItem(item, batch);
    if (refused) return refused;
    const { index } = item;
    const content = required(item.content, "content of a valid item");
    const plan = batch.stored.get(content.digest);
    if (!plan) return failure(index, derivedId(batch, content), "STORAGE_FAILED");
    const { id } = plan.learning;
    if (batch.unindexed.has(id)) return failure(index, id, "INDEXING_FAILED");
    const isFirst = !seen.has(content.digest);
    seen.add(content.digest);
    if (isFirst && plan.outcome === "created") return { index, status: "created", id };
    const promoted = isFirst && plan.outcome === "promoted";
    return { index, status: "duplicate", id, ...(promoted && { promoted }) };
  };
  return items.map((each) => ({ ...resultOf(each), ...redactedOf(each) }));
}

/** Rejects an item before anything is written; undefined if the item is acceptable. */
function refusedItem({ index, content, problem }: BatchItem, known: Known): Failed | undefined {
  if (problem !== null || !content) {
    return failure(index, content && derivedId(known, content), "INVALID_ITEM", problem ?? undefined);
  }
  return known.repositories.has(content.repositoryId)
    ? undefined
    : failure(index, derivedId(known, content), "REPOSITORY_NOT_FOUND");
}

/** Reports to the caller which kinds of secrets were in the text. */
const redactedOf = ({ content }: BatchItem): Pick<Result, "redacted"> =>
  content && content.redacted.length > 0 ? { redacted: [...content.redacted] } : {};

const failure = (
  index: number,
  id: string | null,
  code: Extract<ItemErrorCode, NonNullable<Result["error"]>["code"]>,
  message: string = itemErrorCodes[code],
): Failed => ({ index, status: "failed", id, error: { code, message } });

/** The id of the Learning that has the text, or the id that a new Learning with this text would get. */
function derivedId({ organization, owners }: Known, { repositoryId, text, digest }: LearningContent): string {
  const owner = textOwner(owners.get(digest));
  return owner.learningId ?? learningUuid(organization, repositoryId, text, freeGeneration(owner));
}

function answerOf(results: Result[]): CreateAnswer {
  const count = (status: Result["status"]) => results.filter((result) => result.status === status).length;
  const failed = count("failed");
  return {
    status: failed === 0 ? "success" : failed === results.length ? "failure" : "partial_success",
    created_count: count("created"),
    duplicate_count: count("duplicate"),
    failed_count: failed,
    results,
  };
}

/** The owner of the key, in the one organization that the request acts on; never taken from an item. */
export function authorOf({
  scope,
  principal: { userId },
  readable,
}: {
  readonly scope: { readonly organizations: readonly OrganizationItem[] };
  readonly principal: { readonly userId: string | null };
  readonly readable: ReadableRepositories;
}): BatchAuthor {
  const [organization, another] = scope.organizations;
  if (!organization || another || userId === null)
    throw new TypeError("A batch is written by a person in one organization.");
  return { organization, authorId: userId, readable };
}
