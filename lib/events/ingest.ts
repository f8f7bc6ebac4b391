import { eventLimits } from "../contract/limits.ts";
import { describeError } from "../runtime/log.ts";
import { TimeUp } from "../runtime/time-up.ts";
import { applyInOrder } from "./apply.ts";
import { boundedDeps } from "./bounded.ts";
import type { EventDeps, QueueMessage } from "./ports.ts";
import { isSuspect } from "./tries.ts";

/**
 * Applies a batch of the queue. Groups go side by side, each in its own order; a passing fault ends its group
 * and leaves the others alone. Groups that came back several times go last, one after another: should one of them
 * end the worker, the others are done. Answers the messages to be delivered again; all others may be forgotten.
 */
export async function ingest<Message extends QueueMessage>(
  deps: EventDeps,
  messages: readonly Message[],
  { timeBudgetMs }: { readonly timeBudgetMs?: number } = {},
): Promise<readonly Message[]> {
  const done = new Set<Message>();
  const groups = [...Map.groupBy(messages, ({ group }) => group).values()];
  const work = async (bounded: EventDeps): Promise<void> => {
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
 * A long piece of work must not take the other groups' messages with it when the function is cut off. When the time
 * is up, work that goes on can begin nothing more: not now, and not when the frozen function continues with the
 * next batch.
 */
async function inTime(
  deps: EventDeps,
  work: (bounded: EventDeps) => Promise<void>,
  timeBudgetMs: number,
): Promise<void> {
  const over = new AbortController();
  const finished = new AbortController();
  const notAfterMs = deps.clock.nowMs() + timeBudgetMs;
  const until = { signal: over.signal, isOver: () => deps.clock.nowMs() > notAfterMs };
  const outOfTime = deps.clock.sleep(timeBudgetMs, finished.signal).then(
    () => {
      over.abort(new TimeUp());
      deps.log("warn", "The time is up; what is not done will be delivered again.", { timeBudgetMs });
    },
    () => undefined,
  );
  const isLongOver = () => deps.clock.nowMs() > notAfterMs + eventLimits.workerMarginMs / 2;
  await Promise.race([work(boundedDeps(deps, until, isLongOver)), outOfTime]);
  finished.abort();
}
