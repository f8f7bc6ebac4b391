import { withoutKeys } from "../contract/key-forms.ts";
import type { BatchOutcomes, ItemFailure } from "./batch.ts";

type AnsweredBatch<Failure extends ItemFailure> = {
  readonly outcomes: BatchOutcomes<Failure["code"]>;
  /** The failures, if they contain more than those of the outcomes. */
  readonly failed: readonly Failure[];
  readonly dryRun: boolean;
};

/** The field that identifies an element of the batch. */
export const byUserId = (user_id: string) => ({ user_id });
export const byEmail = (email: string) => ({ email });

/** The response of the operations on seats and roles. */
export const batchAnswer = <Failure extends ItemFailure, Named extends object>(
  { outcomes, failed, dryRun }: AnsweredBatch<Failure>,
  named: (id: string) => Named,
) => ({
  status: outcomes.status,
  succeeded: outcomes.succeeded,
  failed: failed.map((failure) => {
    const id = withoutKeys(failure.id);
    return { ...named(id), ...failure, id };
  }),
  ...(dryRun && { dry_run: true as const, unchanged: outcomes.unchanged }),
});

/** With `dry_run`: how many seats would be free. */
export const seatsLeftIn = ({ seatsLeft }: Pick<BatchOutcomes, "seatsLeft">, dryRun: boolean) =>
  dryRun && seatsLeft !== undefined && { seats_left: seatsLeft };
