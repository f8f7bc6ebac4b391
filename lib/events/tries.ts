import { eventLimits } from "../contract/limits.ts";
import { triesKey } from "../store/layout.ts";
import { ConditionFailed, type Table } from "../store/table.ts";
import { ttlAfter } from "../store/ttl.ts";
import type { EventDeps, QueueMessage, TryEnd } from "./ports.ts";

/**
 * Tries of a message that came back several times, or met an unclear fault. They are kept in the table, because the
 * queue counts something else: how often it handed the message out, also behind another that failed.
 */

type Deps = Pick<EventDeps, "table" | "triesTable" | "untoldEnds" | "clock" | "random">;

const tableOf = ({ table, triesTable = table }: Deps): Table => triesTable;

export type Tries = {
  /** The try that begins now. */
  readonly id: string;
  /** Tries that began and whose end nobody told; the one that begins now included. */
  readonly untold: number;
  /** That a passing fault ended. */
  readonly passing: number;
  /** Of those, the ones that took all the time of a delivery although the store answered quickly. */
  readonly outlasted: number;
  /** The sending that became a dead letter. */
  readonly givenUp: string | undefined;
};

const endOf = ({ clock }: Deps): number => ttlAfter(clock.nowMs(), eventLimits.triesDays);

/** Every try that has begun is an attribute of its own: its end can be told late, and twice. */
const begunName = (tryId: string): string => `${begunPrefix}${tryId}`;
const begunPrefix = "begun ";

/** Counts one more; answers how many there are. */
export async function countTry(deps: Deps, { id: messageId }: QueueMessage): Promise<Tries> {
  const table = tableOf(deps);
  const id = deps.random.uuid();
  const set = [
    [begunName(id), true],
    ["ttl", endOf(deps)],
  ] as const;
  const write = { update: triesKey(messageId), change: { set } };
  const after = await table.write(write, { returning: "new", idempotent: true });
  return {
    id,
    untold: Object.keys(after ?? {}).filter((name) => name.startsWith(begunPrefix)).length,
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

/** The try that was counted before it began has ended so; answers how many of them were unclear. */
export async function endTry(
  deps: Deps,
  { id: messageId }: QueueMessage,
  tryId: string,
  end: TryEnd,
): Promise<number> {
  deps.untoldEnds?.set(tryId, { messageId, end });
  const unclear = await tellEnd(deps, messageId, end, tryId);
  deps.untoldEnds?.delete(tryId);
  return unclear;
}

/** An unclear fault of a try that was not counted before it began; answers how many there were. */
export const countUnclear = (deps: Deps, { id }: QueueMessage): Promise<number> =>
  tellEnd(deps, id, "unclear");

async function tellEnd(deps: Deps, messageId: string, end: TryEnd, tryId?: string): Promise<number> {
  const counted = { add: added(end), set: [["ttl", endOf(deps)]] } as const;
  const table = tableOf(deps);
  const begun = tryId === undefined ? undefined : begunName(tryId);
  const update = begun
    ? { change: { ...counted, remove: [begun] }, when: { present: begun } }
    : { change: counted };
  try {
    const after = await table.write(
      { update: triesKey(messageId), ...update },
      { returning: "new", idempotent: begun !== undefined },
    );
    return Number(after?.unclear ?? 0);
  } catch (error) {
    // It was told before, or the tries are closed.
    if (error instanceof ConditionFailed) return 0;
    throw error;
  }
}

/** Before anything is tried: what the store could not take when the tries ended. */
export async function tellUntoldEnds(deps: Deps): Promise<void> {
  for (const [tryId, { messageId, end }] of deps.untoldEnds ?? []) {
    await tellEnd(deps, messageId, end, tryId);
    deps.untoldEnds?.delete(tryId);
  }
}

/**
 * The message is a dead letter. What comes after it in the batch may end the worker before the queue hears so: then it
 * comes again, and is neither tried nor counted anew. The same event, sent again, has all its tries.
 */
export async function noteGivenUp(deps: Deps, message: QueueMessage): Promise<void> {
  const { id, sending } = message;
  if (!isSuspect(message) || sending === undefined) await forgetTries(deps, message);
  else await tableOf(deps).write({ put: { ...triesKey(id), given_up: sending, ttl: endOf(deps) } });
}

export async function forgetTries(deps: Deps, { id }: QueueMessage): Promise<void> {
  const table = tableOf(deps);
  await table.write({ delete: triesKey(id) });
}

/**
 * It came back several times. Perhaps it ended the whole worker, which then could neither say so nor count it: it is
 * counted before it is tried, and tried when nothing else is under way.
 */
export const isSuspect = ({ receives = 0 }: QueueMessage): boolean =>
  receives >= eventLimits.suspectReceivesMin;
