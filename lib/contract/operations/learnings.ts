import * as z from "zod";
import type { itemErrorCodes } from "../errors.ts";
import { learningFile, learningSourceUrl, learningText } from "../learning-fields.ts";
import { eventLimits, learningLimits, pageLimits, requestLimits } from "../limits.ts";
import { everyKey, noLegacyKey, operation } from "../operation.ts";
import {
  choice,
  formatWords,
  identifier,
  listParameter,
  optInParameter,
  organizationSelector,
  organizationsFilter,
  pageParameters,
  repositoryIdsWords,
  repositoryNameWords,
  text,
  uuidParameter,
} from "../parameters.ts";
import { batchStatus, failureOf, pageOf, repositoryIdWords, uuid } from "../records.ts";
import {
  learningDetail,
  learningRecord,
  learningTextWords,
  listedLearning,
  removedLearning,
} from "../records-learnings.ts";
import { readLimit, writeLimit } from "./learnings-limits.ts";

const { learnings: page } = pageLimits;
const { listValuesMax, searchCharactersMax } = requestLimits;

/** One element of `data`. It is checked separately from the envelope: a bad element fails alone. */
export const learningItem = z.strictObject({
  repository_id: identifier.describe(repositoryIdWords),
  learning: learningText.describe(
    "The text: 1 to 10,000 characters after trimming. Recognized credentials are removed before it is stored.",
  ),
  file: learningFile.nullish().describe("The path of the file it is about; null, or left out, for none."),
  source_url: learningSourceUrl
    .nullish()
    .describe("Its source, an http or https URL; null, or left out, for none."),
});

const learningId = uuidParameter("must be the UUID of a Learning, as the Learnings endpoints return it");

const resultCodes = [
  "INVALID_ITEM",
  "REPOSITORY_NOT_FOUND",
  "INDEXING_FAILED",
  "STORAGE_FAILED",
] as const satisfies readonly (keyof typeof itemErrorCodes)[];

const createResult = z.strictObject({
  index: z.int().min(0).describe("The item's place in the request, from 0."),
  status: z
    .enum(["created", "duplicate", "failed"])
    .describe("`created`, `duplicate` for a text that already exists, or `failed`."),
  id: uuid
    .nullable()
    .describe("The Learning's id; null only when `repository_id` or `learning` is unusable."),
  promoted: z
    .literal(true)
    .optional()
    .describe(
      "true: the Learning was private, pending or disapproved, and is now shared and approved. Left out otherwise.",
    ),
  redacted: z
    .array(z.string())
    .min(1)
    .optional()
    .describe("The kinds of credentials that were removed from the text; left out where there were none."),
  error: z
    .strictObject(failureOf(z.enum(resultCodes)))
    .optional()
    .describe("Why it failed; left out otherwise."),
});

export const createAnswer = z.strictObject({
  status: batchStatus,
  created_count: z.int().min(0).describe("How many were created."),
  duplicate_count: z.int().min(0).describe("How many already existed."),
  failed_count: z.int().min(0).describe("How many failed."),
  results: z.array(createResult).describe("The result of each item, in the order of the request."),
});

/** A Learning and its places in the lists. */
const listed = ["learning", "listedLearning", "pending", "organizationPending"] as const;
const stored = [...listed, "text", "vector", "stale"] as const;
const exported = ["learning", "listedLearning", "organizationPending"] as const;

export const createLearnings = operation({
  id: "createLearnings",
  source: "learnings/create",
  method: "POST",
  path: "/v1/learnings",
  tag: "Learnings",
  only: "learnings:write",
  summary: "Create 1 to 100 Learnings and index them for reviews",
  description:
    "The items are processed in order, and a wrong item fails alone: check `status` and every result. Recognized " +
    "credentials are removed before anything is stored. The id is derived from organization, repository and redacted " +
    "text, so you may send the same batch again; this also repairs an item whose indexing failed.",
  query: z.strictObject({ ...organizationSelector }),
  body: z.strictObject({
    data: z
      .array(z.unknown().meta({ shows: learningItem }), { error: "must be an array of items" })
      .min(1, { error: "must have at least 1 item" })
      .max(learningLimits.batchItemsMax, {
        error: `must have at most ${learningLimits.batchItemsMax} items`,
      })
      .describe("1 to 100 Learnings, processed in order. A wrong one fails alone."),
    ...organizationSelector,
  }),
  bodyBytesMax: requestLimits.learningsBodyBytesMax,
  answer: { status: 200, description: "The result of every item, in request order", schema: createAnswer },
  keys: noLegacyKey,
  plan: "enterprise",
  needs: "learning:write",
  readableOnly: true,
  organization: "required",
  instanceScope: "home",
  rateLimit: writeLimit,
  reads: { get: stored, getMany: stored, snapshot: ["learning"] },
  writes: { put: stored, delete: stored, many: stored },
  uses: ["embedder"],
});

const ofOne = {
  tag: "Learnings",
  pathParameters: z.strictObject({ learning_id: learningId.describe("`id` of the Learning.") }),
  query: z.strictObject({ ...organizationSelector }),
  keys: noLegacyKey,
  plan: "enterprise",
  readableOnly: true,
  organization: "required",
  instanceScope: "authorized",
  rateLimit: writeLimit,
} as const;

const fileOfUpdated = "The path of the file it is about; null for none. Left out, it stays as it is.";
const sourceOfUpdated = "Its source, an http or https URL; null for none. Left out, it stays as it is.";

export const updateLearning = operation({
  ...ofOne,
  id: "updateLearning",
  source: "learnings/update",
  method: "PATCH",
  path: "/v1/learnings/{learning_id}",
  only: "learnings:write",
  summary: "Replace the text of a Learning, and its file and source",
  description:
    "The text is trimmed and redacted; the id stays. `file` and `source_url` stay as they are when left out; null clears " +
    "them. A shared Learning is indexed again; if only the indexing failed, the same request repairs it.",
  body: z.strictObject({
    learning: learningText.describe(learningTextWords),
    file: learningFile.nullable().optional().describe(fileOfUpdated),
    source_url: learningSourceUrl.nullable().optional().describe(sourceOfUpdated),
    ...organizationSelector,
  }),
  answer: {
    status: 200,
    description: "The Learning as it is now",
    schema: learningRecord.extend({
      file: learningRecord.shape.file.describe(fileOfUpdated),
      source_url: learningRecord.shape.source_url.describe(sourceOfUpdated),
    }),
  },
  needs: "learning:write",
  reads: createLearnings.reads,
  writes: createLearnings.writes,
  uses: ["embedder"],
  errors: ["LEARNING_NOT_FOUND", "LEARNING_EXISTS", "INDEX_REFRESH_FAILED"],
});

export const deleteLearning = operation({
  ...ofOne,
  id: "deleteLearning",
  source: "learnings/delete",
  method: "DELETE",
  path: "/v1/learnings/{learning_id}",
  only: "learnings:write",
  summary: "Delete a Learning",
  description: "You may repeat the request: an id that does not exist also returns 204.",
  answer: { status: 204, description: "The Learning is deleted" },
  needs: "learning:write",
  reads: { getMany: [...listed, "text", "vector"] },
  writes: { put: [...listed, "text", "vector"], delete: [...listed, "text", "vector"] },
  errors: ["INDEX_REFRESH_FAILED"],
});

export const getLearning = operation({
  ...ofOne,
  id: "getLearning",
  source: "learnings/get",
  method: "GET",
  path: "/v1/learnings/{learning_id}",
  only: "learnings:read",
  summary: "Read one Learning in any state",
  description:
    "The record as in the export, and `state`: `approved` (shared), `pending` (waits for an admin), `private` (from an " +
    "open pull request) or `disapproved`.",
  answer: { status: 200, description: "The Learning", schema: learningDetail },
  keys: everyKey,
  needs: null,
  needsOfKind: { user: "learning:read" },
  rateLimit: readLimit,
  reads: { getMany: ["learning"] },
  errors: ["LEARNING_NOT_FOUND"],
});

export const decideLearning = operation({
  ...ofOne,
  id: "decideLearning",
  source: "learnings/approval",
  method: "POST",
  path: "/v1/learnings/{learning_id}/approval",
  only: "learnings:write",
  summary: "Approve or disapprove a pending Learning",
  description:
    "`GET /v1/learnings?state=pending` lists the pending ones. An approved Learning is in the export at once and in the " +
    "review index within a minute. The same decision again returns 200.",
  body: z.strictObject({
    decision: choice(["approve", "disapprove"]).describe("`approve` shares it, `disapprove` rejects it."),
    ...organizationSelector,
  }),
  answer: { status: 200, description: "The Learning as it is now", schema: learningDetail },
  needs: "admin",
  reads: { getMany: [...listed, "stale"] },
  writes: { put: [...listed, "stale"], delete: [...listed, "stale"] },
  errors: ["LEARNING_NOT_FOUND", "LEARNING_NOT_PENDING"],
});

const statFilters = ["total", "active", "never_used", "created_this_week"] as const;

export const listLearnings = operation({
  id: "listLearnings",
  source: "learnings/list",
  method: "GET",
  path: "/v1/learnings",
  tag: "Learnings",
  only: "learnings:read",
  summary: "Export Learnings",
  description:
    "Shared, approved Learnings in write order: a Learning that is created, promoted, approved or changed moves to the " +
    "end; use does not move it. The last page carries `x-resume-cursor`: send it later as `cursor` to read only new " +
    "ones. Learnings may repeat, but none is missed: keep the last one per `id`. `include_removed=true` also names " +
    "deleted ones. For admins `state=pending` lists the pending Learnings instead, the next deadline first, each with " +
    "`approve_at`.",
  query: z
    .strictObject({
      repository_ids: listParameter(listValuesMax).optional().describe(repositoryIdsWords),
      user_ids: listParameter(listValuesMax)
        .optional()
        .describe("Only Learnings of these authors, by the Git provider's user ids."),
      repository_name: text(1, eventLimits.fullNameCharactersMax).optional().describe(repositoryNameWords),
      search: text(1, searchCharactersMax)
        .optional()
        .describe(
          "Only Learnings whose text has all of these words, as parts of words too, in any letter case.",
        ),
      file: z
        .array(text(1, learningLimits.fileCharactersMax))
        .max(learningLimits.filesMax, { error: `must be given at most ${learningLimits.filesMax} times` })
        .optional()
        .describe("Only Learnings of exactly this file; may be given several times."),
      stat_filter: choice(statFilters)
        .optional()
        .describe(
          "All Learnings (default `total`), those used in the last 30 days, those never used, or those created in the last 7 days.",
        ),
      state: choice(["approved", "pending"])
        .optional()
        .describe("Approved Learnings (default `approved`), or pending ones."),
      ...pageParameters(page),
      format: choice(["json", "csv", "ndjson"]).optional().describe(formatWords),
      include_removed: optInParameter
        .optional()
        .describe(
          "Default `false`. With `true` the array `removed` names what was deleted or no longer matches the filters; both arrays count against `limit`. If you start " +
            "with it, and apply all pages of the first and of every later sync in order, your copy holds what a first read would return. " +
            "In NDJSON these are records with `removed`. Not with CSV, `search`, `file`, `stat_filter` or `state`.",
        ),
      ...organizationSelector,
      ...organizationsFilter,
    })
    .refine(({ include_removed, format }) => !include_removed || format !== "csv", {
      error: "must not be sent with format=csv",
      path: ["include_removed"],
    })
    .refine(
      (query) => !query.include_removed || !(query.search ?? query.file ?? query.stat_filter ?? query.state),
      {
        error:
          "must not be sent with search, file, stat_filter or state: removals are not known for those filters",
        path: ["include_removed"],
      },
    ),
  repeatableParameters: ["file"],
  answer: {
    status: 200,
    description: "One page of Learnings",
    schema: pageOf(
      z
        .array(listedLearning)
        .describe(
          "The Learnings of this page, in write order. It can be empty and still not be the last page.",
        ),
      removedLearning,
    ),
  },
  keys: everyKey,
  keysOfParameter: {
    repository_name: ["user"],
    "state=pending": ["organization", "user", "workspace", "instance"],
  },
  plan: "enterprise",
  needs: null,
  needsOfKind: { user: "learning:read" },
  needsOfParameter: { "state=pending": "admin" },
  readableOnly: true,
  organization: "optional",
  instanceScope: "authorized",
  rateLimit: readLimit,
  paging: { bindsPageSize: false, resumable: true, endsWithRestore: true, defaultSize: page.default },
  streaming: true,
  reads: { get: exported, getMany: exported, query: exported, snapshot: ["listedLearning"] },
  errors: ["PERMISSION_DENIED", "RESPONSE_TOO_LARGE"],
});

/** In the order of the reference. */
export const learningOperations = [
  createLearnings,
  getLearning,
  updateLearning,
  deleteLearning,
  decideLearning,
] as const;
