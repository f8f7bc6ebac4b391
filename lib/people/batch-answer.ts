import type { Failure, Outcomes } from "./batch.ts";

type Batch = {
  readonly outcomes: Outcomes;
  /** Where a failure tells more than the outcomes do. */
  readonly failed?: readonly Failure[];
  readonly dryRun: boolean;
};

/** As the operations on seats and roles answer; `name` is what they call the elements of the batch. */
export const batchAnswer = (
  { outcomes, failed = outcomes.failed, dryRun }: Batch,
  name: "user_id" | "email",
) => ({
  status: outcomes.status,
  succeeded: outcomes.succeeded,
  failed: failed.map((failure) => ({ [name]: failure.id, ...failure })),
  ...(dryRun && { dry_run: true }),
});
