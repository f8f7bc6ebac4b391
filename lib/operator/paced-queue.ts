import { queueLimits } from "../contract/platform.ts";
import { importGroup } from "../events/import-group.ts";
import type { EventQueue } from "../events/ports.ts";
import type { Clock } from "../runtime/clock.ts";
import { OperatorError } from "../runtime/operator-error.ts";

/** Fewer than this cannot fill the queue, so a short file is sent without counting. */
const countEvery = 1_000;
const pollMs = 2_000;
const standstillMsMax = 15 * 60_000;

/**
 * Everything that one command sends is one group, in the order of its file. Groups by organization would take every
 * worker at once, and workers of one workspace only wait for each other: its events go through one head.
 */
export function importQueue(queue: EventQueue, importId: string): EventQueue {
  const group = importGroup(importId);
  return { send: (messages) => queue.send(messages.map((message) => ({ ...message, group }))) };
}

/**
 * A long import must not stand in front of everybody else's events: sending waits while the queue is long. It ends with
 * an error if the queue gets no shorter: then no worker runs, and more messages would only expire there.
 */
export function pacedQueue(
  queue: EventQueue,
  countMessages: () => Promise<number>,
  clock: Clock,
): EventQueue {
  let uncounted = 0;
  return {
    async send(messages) {
      uncounted += messages.length;
      if (uncounted >= countEvery) {
        await waitForRoom(countMessages, clock);
        uncounted = 0;
      }
      await queue.send(messages);
    },
  };
}

async function waitForRoom(countMessages: () => Promise<number>, clock: Clock): Promise<void> {
  let shortest = Number.POSITIVE_INFINITY;
  let shortenedAtMs = clock.nowMs();
  for (;;) {
    const count = await countMessages();
    if (count < queueLimits.backlogMax) return;
    if (count < shortest) [shortest, shortenedAtMs] = [count, clock.nowMs()];
    if (clock.nowMs() - shortenedAtMs >= standstillMsMax)
      throw new OperatorError(
        `The queue holds ${count} events and has not become shorter for 15 minutes, so the rest was not sent. Look for the alarms of the workers; then send the same file again: what is applied already is not applied twice.`,
      );
    await clock.sleep(pollMs);
  }
}
