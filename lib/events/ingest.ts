import { eventLimits } from "../contract/limits.ts";
import { describeError } from "../runtime/log.ts";
import { TimeUp } from "../runtime/time-up.ts";
import { applyInOrder } from "./apply.ts";
import { boundedDeps } from "./bounded.ts";
import type { EventDeps, QueueMessage } from "./ports.ts";
import { isSuspect, takeBackLate } from "./tries.ts";

/**
 * Applies a batch of the queue. Groups run in parallel, each in its own order; a temporary error ends its group and
 * does not affect the others. Groups that were delivered several times run last, one after another: if one of them ends
 * the worker, the others are done. Returns the messages to be delivered again; the queue may delete all others.
 */
export async function ingest<Message extends QueueMessage>(
  deps: EventDeps,
  messages: readonly Message[],
  { timeBudgetMs }: { readonly timeBudgetMs?: number } = {},
): Promise<readonly Message[]> {
  const done = new Set<Message>();
  const groups = [...Map.groupBy(messages, ({ group }) => group).values()];
  const work = async (bounded: EventDeps): Promise<void> => {
    await takeBackLate(bounded).catch((error: unknown) =>
      deps.log("warn", "Earlier tries could not be taken back yet.", {
        error: describeError(error),
      }),
    );
    const isLast = (group: readonly Message[]) => group.slice(0, 1).some(isSuspect);
    const others = groups.filter((group) => !isLast(group));
    await Promise.all(others.map((group) => ingestGroup(bounded, group, done)));
    for (const group of groups.filter(isLast)) await ingestGroup(bounded, group, done);
  };
  await (timeBudgetMs === undefined ? work(deps) : inTime(deps, work, timeBudgetMs));
  return messages.filter((message) => !done.has(message));
}

async function ingestGroup<Message extends QueueMessage>(
  deps: EventDeps,
  messages: readonly Message[],
  done: Set<Message>,
): Promise<void> {
  try {
    await applyInOrder(deps, messages, (message) => {
      done.add(message);
    });
  } catch (error) {
    deps.log("error", "A group of events waits for its next delivery.", {
      group: messages[0]?.group,
      messageIds: messages.filter((message) => !done.has(message)).map(({ id }) => id),
      error: describeError(error),
    });
  }
}

/**
 * Long work must not affect the messages of other groups when the function is cut off. When the time is up, work in
 * progress cannot start anything more: not now, and not when the frozen function continues with the next batch. It has
 * a short time to record its result: to take a try back, or to write a dead letter.
 */
async function inTime(
  deps: EventDeps,
  work: (bounded: EventDeps) => Promise<void>,
  timeBudgetMs: number,
): Promise<void> {
  const { clock } = deps;
  const over = new AbortController();
  const finished = new AbortController();
  const notAfterMs = clock.nowMs() + timeBudgetMs;
  const wrapUpMs = eventLimits.workerMarginMs / 2;
  const until = { signal: over.signal, isOver: () => clock.nowMs() > notAfterMs };
  const isLongOver = () => clock.nowMs() > notAfterMs + wrapUpMs;
  const outOfTime = clock
    .sleep(timeBudgetMs, finished.signal)
    .then(() => {
      over.abort(new TimeUp());
      deps.log("warn", "The time is up. Unfinished events will be delivered again.", { timeBudgetMs });
      return clock.sleep(wrapUpMs, finished.signal);
    })
    // The work finished before the time was up.
    .catch(() => undefined);
  await Promise.race([work(boundedDeps(deps, timeBudgetMs, until, isLongOver)), outOfTime]);
  finished.abort();
}
