import type { AuditedContext } from "../audit/entry.ts";
import { ApiError } from "../contract/api-error.ts";
import { type Decision, decideLearning } from "./approval.ts";
import type { LearningRequest } from "./find.ts";
import { detailOf, heldLearning, type LearningDetail } from "./read.ts";

/** An admin's decision over HTTP. Repeating the same decision gives the same answer. */
export async function decideOverHttp(
  deps: AuditedContext,
  request: LearningRequest,
  decision: Decision,
): Promise<LearningDetail> {
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
