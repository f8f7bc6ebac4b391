import { withoutKeys } from "../contract/key-forms.ts";
import type { BatchOutcomes, ItemFailure } from "./batch.ts";

type AnsweredBatch = {
  readonly outcomes: BatchOutcomes;
  /** Set if the failures contain more than the outcomes do. */
  readonly failed?: readonly ItemFailure[];
  readonly dryRun: boolean;
};

/** The response of the operations on seats and roles; `name` is the field that identifies an element of the batch. */
export const batchAnswer = (
  { outcomes, failed = outcomes.failed, dryRun }: AnsweredBatch,
  name: "user_id" | "email",
) => ({
  status: outcomes.status,
  succeeded: outcomes.succeeded,
  failed: failed.map((failure) => {
    const id = withoutKeys(failure.id);
    return { [name]: id, ...failure, id };
  }),
  ...(dryRun && { dry_run: true, unchanged: outcomes.unchanged }),
  ...(dryRun && outcomes.seatsLeft !== undefined && { seats_left: outcomes.seatsLeft }),
});
