import { eventLimits } from "../contract/limits.ts";
import { triesKey } from "../store/layout.ts";
import type { Table } from "../store/table.ts";
import type { EventDeps, QueueMessage } from "./ports.ts";

/**
 * Tries of a message that ended without an answer or with an unclear fault. They are kept in the table, because the
 * queue counts something else: how often it handed the message out, also behind another that failed.
 */

const secondsPerDay = 86_400;

type Deps = Pick<EventDeps, "table" | "triesTable" | "clock">;

const tableOf = ({ table, triesTable = table }: Deps): Table => triesTable;

export type Tries = {
  /** Without an answer, or with an unclear fault; the one that begins now included. */
  readonly failed: number;
  /** That a passing fault ended. */
  readonly passing: number;
  /** Of those, the ones that took all the time of a delivery although the store answered quickly. */
  readonly outlasted: number;
  /** The sending that became a dead letter. */
  readonly givenUp: string | undefined;
};

const endOf = ({ clock }: Deps): number =>
  Math.ceil(clock.nowMs() / 1000) + eventLimits.triesDays * secondsPerDay;

/** Counts one more; answers how many there are. */
export async function countTry(deps: Deps, { id }: QueueMessage): Promise<Tries> {
  const table = tableOf(deps);
  const change = { add: [["tries", 1]], set: [["ttl", endOf(deps)]] } as const;
  const after = await table.write({ update: triesKey(id), change }, { returning: "new" });
  return {
    failed: Number(after?.tries ?? 0),
    passing: Number(after?.passing ?? 0),
    outlasted: Number(after?.outlasted ?? 0),
    givenUp: typeof after?.given_up === "string" ? after.given_up : undefined,
  };
}

/** The try that was counted before it began met a passing fault: it is no failed one. */
export async function countPassing(deps: Deps, { id }: QueueMessage, isOutlasted: boolean): Promise<void> {
  const table = tableOf(deps);
  const add = [
    ["tries", -1],
    ["passing", 1],
    ["outlasted", isOutlasted ? 1 : 0],
  ] as const;
  await table.write({ update: triesKey(id), change: { add } });
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
