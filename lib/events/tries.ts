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

/** Counts one more; answers how many there are. */
export async function countTry(deps: Deps, { id }: QueueMessage): Promise<number> {
  const table = tableOf(deps);
  const ttl = Math.ceil(deps.clock.nowMs() / 1000) + eventLimits.triesDays * secondsPerDay;
  const change = { add: [["tries", 1]], set: [["ttl", ttl]] } as const;
  const after = await table.write({ update: triesKey(id), change }, { returning: "new" });
  return Number(after?.tries ?? 0);
}

/** The try that was counted before it began met a passing fault: it says nothing about the message. */
export async function takeTryBack(deps: Deps, { id }: QueueMessage): Promise<void> {
  const table = tableOf(deps);
  await table.write({ update: triesKey(id), change: { add: [["tries", -1]] } });
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
