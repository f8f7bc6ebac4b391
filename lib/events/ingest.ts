import { describeError } from "../runtime/log.ts";
import { applyInOrder } from "./apply.ts";
import type { EventDeps, QueueMessage } from "./ports.ts";

/**
 * Applies a batch of the queue. Groups go side by side, each in its own order; a passing fault ends its group
 * and leaves the others alone. Answers the messages to be delivered again; all others may be forgotten.
 */
export async function ingest<Message extends QueueMessage>(
  deps: EventDeps,
  messages: readonly Message[],
  { timeBudgetMs }: { readonly timeBudgetMs?: number } = {},
): Promise<readonly Message[]> {
  const done = new Set<Message>();
  const groups = [...Map.groupBy(messages, ({ group }) => group).values()];
  const work = Promise.all(groups.map((group) => ingestGroup(deps, group, done)));
  await (timeBudgetMs === undefined ? work : orOutOfTime(deps, work, timeBudgetMs));
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
 * A long piece of work (thousands of people who change tenant) must not take the other groups' messages with
 * it when the function is cut off. It goes on where it stopped at the next delivery; to come back late is safe.
 */
async function orOutOfTime(deps: EventDeps, work: Promise<unknown>, timeBudgetMs: number): Promise<void> {
  const finished = new AbortController();
  const outOfTime = deps.clock.sleep(timeBudgetMs, finished.signal).then(
    () => deps.log("warn", "The time is up; what is not done will be delivered again.", { timeBudgetMs }),
    () => undefined,
  );
  await Promise.race([work, outOfTime]);
  finished.abort();
}
