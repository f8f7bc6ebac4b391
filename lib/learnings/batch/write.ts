import { auditWritesFor } from "../../audit/entry.ts";
import type { ItemErrorCode } from "../../contract/errors.ts";
import { learningLimits, storeLimits } from "../../contract/limits.ts";
import { chunksOf } from "../../runtime/chunks.ts";
import { backOff } from "../../store/retry.ts";
import { StoreUnavailable, TransactionRefused } from "../../store/table.ts";
import { type LearningDeps, learningEvent } from "../writer.ts";
import {
  type BatchAuthor,
  type BatchText,
  isExhausted,
  planTexts,
  readOwners,
  type TextOwners,
  type TextPlan,
} from "./plan.ts";

/** By the digest of the text. A missing text is one that the store refused on every attempt. */
export type Stored = ReadonlyMap<string, TextPlan>;

/** An item that nothing is written for, as the audit log identifies it: never by its text. */
export type FailedItem = { readonly index: number; readonly id: string | null; readonly code: ItemErrorCode };

type Round = {
  /** The texts that the plans are for, in their order. */
  readonly open: readonly BatchText[];
  readonly stored: Map<string, TextPlan>;
  readonly attempt: number;
  readonly failed: readonly FailedItem[];
};

/**
 * Stores the texts of a batch in parallel transactions. A text that loses a race is planned again, from then on in its
 * own transaction, so that one contested text does not block others. Throws if the outcome of a text is unknown: then
 * the batch has no answer, and sending the same batch again gives one.
 */
export async function storeTexts(
  deps: LearningDeps,
  author: BatchAuthor,
  batch: {
    readonly wanted: readonly BatchText[];
    readonly owners: TextOwners;
    readonly failed: readonly FailedItem[];
  },
): Promise<Stored> {
  const stored = new Map<string, TextPlan>();
  const waiting = { clock: deps.clock, random: deps.random, policy: storeLimits.retry };
  let open = batch.wanted;
  let { owners } = batch;
  for (let attempt = 0; open.length > 0; attempt++) {
    if (attempt >= learningLimits.attemptsMax) throw new StoreUnavailable("texts stay contested", false);
    if (attempt > 0) {
      await backOff(waiting, attempt, deps.signal);
      const contents = open.map(({ content }) => content);
      owners = await readOwners(deps.table, author.organization.uuid, contents);
    }
    open = open.filter(({ content }) => !isExhausted(owners.get(content.digest)));
    const plans = await planTexts(deps, author, { wanted: open, owners });
    open = await writePlans(deps, author, plans, { open, stored, attempt, failed: batch.failed });
  }
  return stored;
}

/** Returns the texts that lost a race. A text that the store refused is neither returned nor stored. */
async function writePlans(
  deps: LearningDeps,
  author: BatchAuthor,
  plans: ReadonlyArray<TextPlan | undefined>,
  { open, stored, attempt, failed }: Round,
): Promise<BatchText[]> {
  const lost = open.filter((_, index) => plans[index] === undefined);
  const made = plans.filter((plan) => plan !== undefined);
  for (const plan of made) if (plan.writes.length === 0) stored.set(plan.wanted.content.digest, plan);
  const together = attempt === 0 ? learningLimits.writtenTogetherMax : 1;
  const changing = made.filter(({ writes }) => writes.length > 0);
  await Promise.all(
    chunksOf(changing, together).map(async (chunk) => {
      const outcome = await writeTogether(deps, author, chunk, failed);
      if (outcome === "stored") for (const plan of chunk) stored.set(plan.wanted.content.digest, plan);
      if (outcome === "lost") lost.push(...chunk.map((plan) => plan.wanted));
    }),
  );
  return lost;
}

async function writeTogether(
  deps: LearningDeps,
  { organization }: BatchAuthor,
  chunk: readonly TextPlan[],
  failed: readonly FailedItem[],
): Promise<"stored" | "lost" | "refused"> {
  const entries = (["created", "promoted"] as const).flatMap((outcome) => {
    const ids = chunk.filter((plan) => plan.outcome === outcome).map(({ learning }) => learning.id);
    // In every entry: which of the parallel transactions will succeed is unknown.
    const more = failed.length > 0 ? { failed: failed.map((each) => ({ ...each })) } : {};
    const event = () => learningEvent(organization, `learning.${outcome}`, ids, more);
    return ids.length === 0 ? [] : auditWritesFor(deps, event());
  });
  try {
    await deps.table.transact([...chunk.flatMap(({ writes }) => writes), ...entries]);
    return "stored";
  } catch (error) {
    if (error instanceof TransactionRefused) return "lost";
    // After any other error the transaction may still have been committed.
    if (error instanceof StoreUnavailable && error.throttled) return "refused";
    throw error;
  }
}
