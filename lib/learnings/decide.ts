import type { AuditedContext } from "../audit/entry.ts";
import { ApiError } from "../contract/api-error.ts";
import { decideLearning } from "./approval.ts";
import type { LearningRequest } from "./find.ts";
import { detailOf, heldLearning, type LearningDetail } from "./read-learning.ts";

/** The decision of an admin or of the operator. Repeating the same decision gives the same answer. */
export async function decideRequested(
  deps: AuditedContext,
  request: LearningRequest,
  word: "approve" | "disapprove",
): Promise<LearningDetail> {
  const decision = `${word}d` as const;
  const { organization } = await heldLearning(deps.table, request);
  await decideLearning(deps, organization.uuid, request.id, decision);
  const { ahead: _before, ...again } = request;
  const held = await heldLearning(deps.table, again);
  if (held.learning.state !== decision) {
    throw new ApiError(
      "LEARNING_NOT_PENDING",
      `The Learning does not wait for approval: its state is ${held.learning.state}.`,
    );
  }
  return await detailOf(deps.table, held);
}
