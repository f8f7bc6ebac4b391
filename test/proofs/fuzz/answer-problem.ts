import * as z from "zod";
import { createAnswer } from "../../../lib/contract/operations/learnings.ts";
import type { Answer } from "../../support/api.ts";
import type { Spoiled } from "./spoiled.ts";

const problem = z.object({ code: z.string(), message: z.string() });
const problems = z.union([
  z.object({ error: problem }).transform(({ error }) => [error]),
  z.object({ errors: z.array(problem) }).transform(({ errors }) => errors),
]);
const codes: readonly string[] = ["INVALID_REQUEST", "INVALID_CURSOR", "BATCH_SIZE_EXCEEDED"];

/** `user_ids: …` and `user_ids[3]: …` are both about `user_ids`. */
const isAbout = (field: string | undefined, message: string): boolean =>
  field === undefined || (message.startsWith(field) && /^[:.[ ]/.test(message.slice(field.length)));

/** The problem with the answer to a request that has one mistake. */
export function answerProblem({ status = 400, field, item }: Spoiled, answer: Answer): string | undefined {
  if (item !== undefined) return itemProblem(field, item, answer);
  if (answer.status !== status) return "invalid input is accepted";
  const reported = problems.parse(answer.json);
  if (status === 400 && reported.some(({ code }) => !codes.includes(code)))
    return "it is refused as something else";
  if (reported.some(({ message }) => message.includes("Invalid input"))) return "the words are a library's";
  return reported.some(({ message }) => isAbout(field, message)) ? undefined : `nothing is said of ${field}`;
}

/** The bad element fails, and no other does. */
function itemProblem(field: string | undefined, item: number, answer: Answer): string | undefined {
  if (answer.status !== 200) return "a bad element refuses the batch";
  const { results } = createAnswer.parse(answer.json);
  const { error } = results[item] ?? {};
  if (error?.code !== "INVALID_ITEM") return "a bad element is accepted";
  if (!isAbout(field, error.message)) return `of ${field} it says: ${error.message}`;
  const other = results.find(({ status }, index) => index !== item && status === "failed");
  return other && `element ${other.index} failed with it: ${other.error?.message}`;
}
