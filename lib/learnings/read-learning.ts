import type * as z from "zod";
import { isReadable } from "../access/readable.ts";
import { ApiError } from "../contract/api-error.ts";
import type { learningDetail } from "../contract/records-learnings.ts";
import type { Table } from "../store/table.ts";
import { findLearning, type LearningRequest, type LocatedLearning } from "./find.ts";
import { readNames, toLearningRecord } from "./present.ts";

export type LearningDetail = z.input<typeof learningDetail>;

/** Unknown, foreign and unreadable Learnings get the same answer. */
export async function heldLearning(
  table: Table,
  { organizations, readable, id, ahead }: LearningRequest,
): Promise<LocatedLearning> {
  const held = await findLearning(table, organizations, id, ahead);
  if (held && isReadable(readable, held.learning.repository_id)) return held;
  throw new ApiError("LEARNING_NOT_FOUND", "No Learning of the key's scope has this id.");
}

/** The record in any state. */
export const readLearning = async (table: Table, request: LearningRequest): Promise<LearningDetail> =>
  await detailOf(table, await heldLearning(table, request));

export async function detailOf(
  table: Table,
  { organization, learning }: LocatedLearning,
): Promise<LearningDetail> {
  const names = await readNames(table, [learning]);
  return { ...toLearningRecord(learning, organization, names), state: learning.state };
}
