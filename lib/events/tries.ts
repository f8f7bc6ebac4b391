import * as kinds from "../contract/items.ts";
import { eventLimits } from "../contract/limits.ts";
import { ConditionFailed, type Table } from "../store/table.ts";
import { ttlAfter } from "../store/ttl.ts";
import type { EventDeps, QueueMessage, TryEnd } from "./ports.ts";

/**
 * Tries of a message that was delivered several times, or met an unclear error. They are stored in the table, because
 * the queue counts something else: how often it delivered the message, also behind another message that failed.
 */

type TriesDeps = Pick<EventDeps, "table" | "triesTable" | "unrecordedEnds" | "clock" | "random">;

const tableOf = ({ table, triesTable = table }: TriesDeps): Table => triesTable;

export type Tries = {
  /** The try that begins now. */
  readonly id: string;
  /** Tries that began and whose end is not recorded, including the try that begins now. */
  readonly unfinished: number;
  /** Tries that ended with a temporary error. */
  readonly passing: number;
  /** Those of `passing` that used all the time of a delivery although the store answered quickly. */
  readonly outlasted: number;
  /** The sending that became a dead letter. */
  readonly givenUp: string | undefined;
};

const endOf = ({ clock }: TriesDeps): number => ttlAfter(clock.nowMs(), eventLimits.triesDays);

/** Every try that has begun has its own attribute: its end can be recorded late, and twice. */
const begunName = (tryId: string): string => `${begunPrefix}${tryId}`;
const begunPrefix = "begun ";

/** Counts one more try; returns all counts. */
export async function countTry(deps: TriesDeps, { id: messageId }: QueueMessage): Promise<Tries> {
  const table = tableOf(deps);
  const id = deps.random.uuid();
  const set = [
    [begunName(id), true],
    ["ttl", endOf(deps)],
  ] as const;
  const write = { update: kinds.tries.key({ messageId }), change: { set } };
  const after = await table.write(write, { returning: "new", idempotent: true });
  return {
    id,
    unfinished: Object.keys(after ?? {}).filter((name) => name.startsWith(begunPrefix)).length,
    passing: Number(after?.passing ?? 0),
    outlasted: Number(after?.outlasted ?? 0),
    givenUp: typeof after?.given_up === "string" ? after.given_up : undefined,
  };
}

const countersOf = {
  unclear: ["unclear"],
  passing: ["passing"],
  outlasted: ["passing", "outlasted"],
} as const satisfies Record<TryEnd, readonly string[]>;

const added = (end: TryEnd) => countersOf[end].map((name) => [name, 1] as const);

/** Ends a try that was counted before it began; returns the number of unclear errors. */
export async function endTry(
  deps: TriesDeps,
  { id: messageId }: QueueMessage,
  tryId: string,
  end: TryEnd,
): Promise<number> {
  deps.unrecordedEnds?.set(tryId, { messageId, end });
  const unclear = await recordEnd(deps, messageId, end, tryId);
  deps.unrecordedEnds?.delete(tryId);
  return unclear;
}

/** Counts an unclear error of a try that was not counted before it began; returns the number of unclear errors. */
export const countUnclear = (deps: TriesDeps, { id }: QueueMessage): Promise<number> =>
  recordEnd(deps, id, "unclear");

async function recordEnd(deps: TriesDeps, messageId: string, end: TryEnd, tryId?: string): Promise<number> {
  const counted = { add: added(end), set: [["ttl", endOf(deps)]] } as const;
  const table = tableOf(deps);
  const begun = tryId === undefined ? undefined : begunName(tryId);
  const update = begun
    ? { change: { ...counted, remove: [begun] }, when: { present: begun } }
    : { change: counted };
  try {
    const after = await table.write(
      { update: kinds.tries.key({ messageId }), ...update },
      { returning: "new", idempotent: begun !== undefined },
    );
    return Number(after?.unclear ?? 0);
  } catch (error) {
    // The end was recorded before, or the tries are closed.
    if (error instanceof ConditionFailed) return 0;
    throw error;
  }
}

/** Records the ends of tries that the store could not accept earlier. Call it before anything is tried. */
export async function recordLateEnds(deps: TriesDeps): Promise<void> {
  for (const [tryId, { messageId, end }] of deps.unrecordedEnds ?? []) {
    await recordEnd(deps, messageId, end, tryId);
    deps.unrecordedEnds?.delete(tryId);
  }
}

/**
 * Records that the message is a dead letter. A later message of the batch may end the worker before the queue is
 * informed: then this message is delivered again, and is neither tried nor counted again. If the same event is sent
 * again, it has all its tries.
 */
export async function noteGivenUp(deps: TriesDeps, message: QueueMessage): Promise<void> {
  const { id, sending } = message;
  if (!isSuspect(message) || sending === undefined) await forgetTries(deps, message);
  else
    await tableOf(deps).write({
      put: { ...kinds.tries.key({ messageId: id }), given_up: sending, ttl: endOf(deps) },
    });
}

export async function forgetTries(deps: TriesDeps, { id }: QueueMessage): Promise<void> {
  const table = tableOf(deps);
  await table.write({ delete: kinds.tries.key({ messageId: id }) });
}

/**
 * The message was delivered several times. It may have ended the whole worker, which then could neither report nor
 * count it: it is counted before it is tried, and tried while nothing else runs.
 */
export const isSuspect = ({ receives = 0 }: QueueMessage): boolean =>
  receives >= eventLimits.suspectFromReceives;
