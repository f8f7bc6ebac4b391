import { AwsError, cancellationCodes, NoAnswer } from "../runtime/aws-error.ts";
import { type BackOffPolicy, backOffMs } from "../runtime/back-off.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Random } from "../runtime/random.ts";
import { TimeUp } from "../runtime/time-up.ts";
import { DecisionsExhausted, StoreUnavailable, type Until, WriteExpired } from "./table.ts";

/** What a failed call means for the next try. */
export type StoreErrorKind = "throttled" | "conflict" | "ambiguous" | "permanent";

const conflicts = new Set(["TransactionConflictException", "TransactionInProgressException"]);

export function classify(error: unknown): StoreErrorKind {
  if (error instanceof NoAnswer) return "ambiguous";
  if (!(error instanceof AwsError)) return "permanent";
  if (conflicts.has(error.name)) return "conflict";
  if (error.name === "TransactionCanceledException") return classifyCancellation(error);
  if (error.kind === "throttled") return "throttled";
  // The call was refused before it did anything, as in a conflict.
  if (error.kind === "skewed") return "conflict";
  return error.kind === "unavailable" ? "ambiguous" : "permanent";
}

/** A cancelled transaction wrote nothing: it is retried if every reason is temporary. */
function classifyCancellation(error: AwsError): StoreErrorKind {
  const codes = [...cancellationCodes(error)];
  if (codes.length === 0 || codes.includes("ConditionalCheckFailed")) return "permanent";
  if (codes.every((code) => code === "TransactionConflict")) return "conflict";
  const passing = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);
  return codes.every((code) => passing.has(code)) ? "throttled" : "permanent";
}

/** The error is temporary and not caused by the input: the same call may succeed later. */
export const isTemporaryStoreError = (error: unknown): boolean =>
  error instanceof TimeUp ||
  error instanceof NoAnswer ||
  (error instanceof StoreUnavailable && !(error instanceof DecisionsExhausted)) ||
  // If AWS refuses a call not because of the item (no permission, expired credentials), an operator must fix it.
  (error instanceof AwsError && !refusesInput(error));

/** The table never accepts this item or expression: it is too large or malformed. */
export function refusesInput(error: unknown): boolean {
  if (!(error instanceof AwsError)) return false;
  return [error.name, ...cancellationCodes(error)].some((code) => refusals.has(code));
}

const refusals = new Set(["ValidationException", "ValidationError", "ItemCollectionSizeLimitExceeded"]);

export type RetryPolicy = BackOffPolicy & { readonly attemptsMax: number };

export type RetryDeps = { readonly clock: Clock; readonly random: Random; readonly policy: RetryPolicy };

export async function backOff(waiting: RetryDeps, attempt: number, signal?: AbortSignal): Promise<void> {
  const { clock, random, policy } = waiting;
  await clock.sleep(1 + backOffMs(random, policy, attempt), signal);
}

/** What ends the attempts of a write early. */
export type WriteBounds = {
  readonly until?: Until | undefined;
  /** How long after `momentMs` an attempt may begin: a caller that decides again takes a new moment. */
  readonly ageMsMax?: number;
  /** When the write was decided; without it, the time of the first attempt counts. */
  readonly momentMs?: number | undefined;
  /** If a call may have happened, repeat it until `until` is over: only its own answer shows the result. */
  readonly untilAnswered?: boolean;
};

export type StoreRetryOptions = WriteBounds & {
  /** Whether to repeat a call if it is unknown whether it happened. */
  readonly repeatAmbiguous: boolean;
  readonly signal?: AbortSignal | undefined;
};

/** Throws if the time is up, according to the signal or the clock. */
export function checkTime(until: Until | undefined): void {
  until?.signal.throwIfAborted();
  if (until?.isOver()) throw new TimeUp();
}

/** Runs `call` until it succeeds, fails permanently, or has no attempts left. */
export async function retryStoreCall<Answer>(
  waiting: RetryDeps,
  {
    repeatAmbiguous,
    signal,
    until,
    momentMs,
    ageMsMax = Number.POSITIVE_INFINITY,
    untilAnswered = false,
  }: StoreRetryOptions,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const { clock, policy } = waiting;
  const begunMs = clock.nowMs();
  const isTooOld = () => clock.nowMs() - Math.min(begunMs, momentMs ?? begunMs) > ageMsMax;
  let mayHaveHappened = false;
  checkTime(until);
  if (isTooOld()) throw new WriteExpired("It was decided too long ago.");
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const kind = classify(error);
      if (kind === "permanent") throw error;
      mayHaveHappened ||= kind === "ambiguous";
      // Many writers of one item refuse each other in turn, and one always succeeds: who has time waits and tries again.
      const mayGoOn = kind === "conflict" || (untilAnswered && mayHaveHappened);
      const hasTries = attempt + 1 < policy.attemptsMax || (mayGoOn && until);
      const giveUp = !hasTries || (kind === "ambiguous" && !repeatAmbiguous);
      if (giveUp) throw new StoreUnavailable(error, kind === "throttled" && !mayHaveHappened);
      await backOff(waiting, attempt, signal);
      checkTime(until);
      if (isTooOld()) throw new WriteExpired(error);
    }
  }
}
