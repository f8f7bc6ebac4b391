import * as kinds from "../contract/items.ts";
import { eventLimits } from "../contract/limits.ts";
import { type Table, writeIf } from "../store/table.ts";
import { ttlAfter } from "../store/ttl.ts";
import type { EventDeps, QueueMessage } from "./ports.ts";

/** In the table, because the queue counts deliveries: also those behind another message that failed. */

type TriesDeps = Pick<EventDeps, "table" | "triesTable" | "triesToTakeBack" | "clock" | "random">;

const tableOf = ({ table, triesTable = table }: TriesDeps): Table => triesTable;

export type CountedTry = {
  readonly id: string;
  /** Tries that began and were not taken back, including this one. */
  readonly count: number;
  /** The sending that became a dead letter. */
  readonly givenUp: string | undefined;
};

const endOf = ({ clock }: TriesDeps): number => ttlAfter(clock.nowMs(), eventLimits.triesDays);

/** Every try has its own attribute: it can be taken back late, and twice. */
const begunName = (tryId: string): string => `${begunPrefix}${tryId}`;
const begunPrefix = "begun ";

/** Counts a try before it begins: the event may end the whole worker, which then could neither report nor count it. */
export async function countTry(deps: TriesDeps, { id: messageId }: QueueMessage): Promise<CountedTry> {
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
    count: Object.keys(after ?? {}).filter((name) => name.startsWith(begunPrefix)).length,
    givenUp: typeof after?.given_up === "string" ? after.given_up : undefined,
  };
}

/** The event is not to blame for the end of the try. If the store is away, `takeBackLate` repeats this. */
export async function takeBack(deps: TriesDeps, messageId: string, tryId: string): Promise<void> {
  deps.triesToTakeBack?.set(tryId, messageId);
  const begun = begunName(tryId);
  const table = tableOf(deps);
  await writeIf(
    table,
    { update: kinds.tries.key({ messageId }), change: { remove: [begun] }, when: { present: begun } },
    { idempotent: true },
  );
  deps.triesToTakeBack?.delete(tryId);
}

/** Call it before anything is tried. */
export async function takeBackLate(deps: TriesDeps): Promise<void> {
  for (const [tryId, messageId] of deps.triesToTakeBack ?? []) await takeBack(deps, messageId, tryId);
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

/** The message was delivered several times: its tries are counted, and nothing else runs meanwhile. */
export const isSuspect = ({ receives = 0 }: QueueMessage): boolean =>
  receives >= eventLimits.suspectFromReceives;
