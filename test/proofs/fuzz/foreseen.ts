import * as z from "zod";
import type { ErrorCode } from "../../../lib/contract/errors.ts";
import { createAnswer } from "../../../lib/contract/operations/learnings.ts";
import { rolesChangeAnswer, seatsAnswer } from "../../../lib/contract/records-people.ts";
import type { Answer } from "../../support/api.ts";
import { type Draft, listValues } from "./draft.ts";
import { emailOf, type FuzzHome, members, repositories, repositoryName } from "./world.ts";

type Foreseen = readonly (ErrorCode | "done")[];

const parameterOf = ({ query }: Draft, wanted: string): string | undefined =>
  query.find(([name]) => name === wanted)?.[1];

/** The possible answers to a valid request, written by hand: any other answer is an error. */
export function foreseen(draft: Draft, home: FuzzHome): Foreseen {
  const narrowed = parameterOf(draft, "organization_ids")
    ?.split(",")
    .map((value) => value.trim());
  if (narrowed && !narrowed.some((value) => listValues("organization_ids", home).includes(value)))
    return ["ORGANIZATION_NOT_FOUND"];
  const { id } = draft.operation;
  if (parameterOf(draft, "include_removed") === "true" && hasFilterWithoutRemovals(draft))
    return ["INVALID_REQUEST"];
  if (id === "listLearnings") {
    const name = parameterOf(draft, "repository_name");
    return name === undefined || name === repositoryName ? ["done"] : ["PERMISSION_DENIED"];
  }
  if (id === "listRepositories")
    return draft.path.organization_id === home.uuid ? ["done"] : ["ORGANIZATION_NOT_FOUND"];
  if (id === "getLearning" || id === "updateLearning" || id === "decideLearning")
    return home.learningIds.includes(draft.path.learning_id ?? "")
      ? foreseenOfLearning(draft)
      : ["LEARNING_NOT_FOUND"];
  if (id === "createRole")
    return isUnknownRole(draft.body?.duplicate_from) ? ["ROLE_NOT_FOUND"] : ["done", "ROLE_NAME_TAKEN"];
  // Fewer days than the key has left, at most 50 keys, an idempotency key that was sent before: any may be met.
  if (id === "createKey") return ["done", "KEY_LIMITED", "KEY_LIMIT_REACHED", "KEY_EXISTS"];
  if (id === "rotateKey" || id === "deleteKey") return ["KEY_NOT_FOUND"];
  // Any text fits the schema, and hardly any is a URL.
  if (id === "createWebhook") return ["INVALID_REQUEST"];
  if (draft.path.webhook_id !== undefined) return ["WEBHOOK_NOT_FOUND", "INVALID_REQUEST"];
  const role = draft.path.role_id;
  if (role === undefined) return ["done"];
  if (isUnknownRole(role)) return ["ROLE_NOT_FOUND"];
  return id === "getRole" ? ["done"] : ["SYSTEM_ROLE"];
}

/** Removals from these filters are not reported, and CSV cannot represent them. */
const hasFilterWithoutRemovals = (draft: Draft): boolean =>
  parameterOf(draft, "format") === "csv" ||
  ["search", "file", "stat_filter", "state"].some((name) => parameterOf(draft, name) !== undefined);

/** For Learnings, which are all approved. */
function foreseenOfLearning({ operation, body }: Draft): Foreseen {
  if (operation.id === "updateLearning") return ["done", "LEARNING_EXISTS"];
  return body?.decision === "disapprove" ? ["LEARNING_NOT_PENDING"] : ["done"];
}

/** Custom roles that a request names never existed. */
const isUnknownRole = (role: unknown): boolean => typeof role === "string" && !role.startsWith("cr_");

const batch = z.object({ data: z.array(z.object({ repository_id: z.string() })) });

/** The problem with the elements of a batch that was accepted as a whole. */
export function elementProblem({ operation, body }: Draft, answer: Answer): string | undefined {
  if (answer.status !== 200) return undefined;
  if (operation.id === "createLearnings") return itemProblem(body, answer);
  if (operation.id !== "assignSeats" && operation.id !== "changeRoles") return undefined;
  const { succeeded, failed } = z.union([seatsAnswer, rolesChangeAnswer]).parse(answer.json);
  const known = new Set([...members, ...members.map(emailOf)]);
  const named = [body?.user_ids ?? body?.emails].flat().filter((name) => typeof name === "string");
  const missing = named.find((name) => known.has(name) && !succeeded.includes(name));
  if (missing) return `${missing} did not succeed`;
  const other = failed.find(({ code }) => code !== "USER_NOT_FOUND");
  if (other) return `an element failed with ${other.code}`;
  return succeeded.every((name) => known.has(name)) ? undefined : "somebody unknown succeeded";
}

function itemProblem(body: Draft["body"], answer: Answer): string | undefined {
  const { results } = createAnswer.parse(answer.json);
  const items = batch.parse(body).data;
  if (results.length !== items.length) return `${results.length} results for ${items.length} items`;
  const known = new Set<string>(repositories);
  const wrong = results.find(
    ({ error }, index) =>
      error?.code !== (known.has(items[index]?.repository_id ?? "") ? undefined : "REPOSITORY_NOT_FOUND"),
  );
  return wrong && `item ${wrong.index} is ${wrong.status}: ${wrong.error?.code} ${wrong.error?.message}`;
}
