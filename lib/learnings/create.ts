import type * as z from "zod";
import { isReadable } from "../access/readable.ts";
import { type ItemErrorCode, itemErrorCodes } from "../contract/errors.ts";
import type { createAnswer } from "../contract/operations/learnings.ts";
import { followChanged } from "../index/follow.ts";
import { parseRepository } from "../store/items/repository.ts";
import { repositoryKey } from "../store/layout.ts";
import type { Table } from "../store/table.ts";
import { type BatchItem, readItems } from "./batch/item.ts";
import { type Author, readOwners, type TextOwners, type Wanted } from "./batch/plan.ts";
import { type Stored, storeTexts } from "./batch/write.ts";
import type { Content } from "./content.ts";
import { learningUuid } from "./identity.ts";
import { freeGeneration, textOwner } from "./text-owner.ts";
import type { LearningDeps } from "./writer.ts";

export type CreateAnswer = z.input<typeof createAnswer>;
type Result = CreateAnswer["results"][number];

/**
 * Creates a batch: the records first, then the index. An item fails alone; to send the same batch again is
 * safe, and mends what failed.
 */
export async function createLearnings(
  deps: LearningDeps,
  author: Author,
  data: readonly unknown[],
): Promise<CreateAnswer> {
  const items = readItems(data);
  // Whatever lies in other repositories is as if it were not there: no answer depends on it.
  const contents = items
    .flatMap(({ content }) => content ?? [])
    .filter(({ repositoryId }) => isReadable(author.readable, repositoryId));
  const { uuid } = author.organization;
  const [owners, repositories] = await Promise.all([
    readOwners(deps.table, uuid, contents),
    activeRepositories(deps.table, uuid, contents),
  ]);
  const stored = await storeTexts(deps, author, wantedTexts(items, repositories), owners);
  // One that got another text between two rounds is stored under both; the later plan knows it as it is.
  const byId = new Map([...stored.values()].map((plan) => [plan.learning.id, plan]));
  const unindexed = await followChanged(
    deps,
    [...byId.values()].flatMap(({ learning, embedding, outcome }) =>
      embedding ? [{ learning, embedding, isMarked: outcome !== "duplicate" }] : [],
    ),
  );
  const batch = { organization: uuid, owners, repositories, stored, unindexed };
  return answerOf(resultsOf(items, batch));
}

async function activeRepositories(
  table: Table,
  organization: string,
  contents: readonly Content[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(contents.map(({ repositoryId }) => repositoryId))];
  const found = await table.getMany(ids.map((id) => repositoryKey(organization, id)));
  const known = found.filter((item) => item !== undefined).map(parseRepository);
  return new Set(known.filter(({ active }) => active).map(({ repository_id }) => repository_id));
}

/** Every text once: the first item that has it decides about file and source. */
function wantedTexts(items: readonly BatchItem[], repositories: ReadonlySet<string>): Wanted[] {
  const wanted = new Map<string, Wanted>();
  for (const { content, problem, index } of items) {
    if (problem !== null || !content || !repositories.has(content.repositoryId)) continue;
    if (!wanted.has(content.digest)) wanted.set(content.digest, { content, placeInBatch: index });
  }
  return [...wanted.values()];
}

type Batch = {
  readonly organization: string;
  readonly owners: TextOwners;
  readonly repositories: ReadonlySet<string>;
  readonly stored: Stored;
  readonly unindexed: ReadonlyMap<string, unknown>;
};

function resultsOf(items: readonly BatchItem[], batch: Batch): Result[] {
  const seen = new Set<string>();
  const resultOf = ({ index, content, problem }: BatchItem): Result => {
    if (problem !== null || !content) {
      return failure(index, content && derivedId(batch, content), "INVALID_ITEM", problem ?? undefined);
    }
    if (!batch.repositories.has(content.repositoryId)) {
      return failure(index, derivedId(batch, content), "REPOSITORY_NOT_FOUND");
    }
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

/** What the caller should know of the text: these secrets were in it. */
const redactedOf = ({ content }: BatchItem): Pick<Result, "redacted"> =>
  content && content.redacted.length > 0 ? { redacted: [...content.redacted] } : {};

const failure = (
  index: number,
  id: string | null,
  code: Extract<ItemErrorCode, NonNullable<Result["error"]>["code"]>,
  message: string = itemErrorCodes[code],
): Result => ({ index, status: "failed", id, error: { code, message } });

/** The id of whoever has the text, or that a Learning made of it would get. */
function derivedId({ organization, owners }: Batch, { repositoryId, text, digest }: Content): string {
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
