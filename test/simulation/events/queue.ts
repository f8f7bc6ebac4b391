import { eventLimits } from "../../../lib/contract/limits.ts";
import type { QueueMessage } from "../../../lib/events/ports.ts";
import type { Dice, Scheduler } from "../model/scheduler.ts";

type Message = QueueMessage & { receives: number };
type Group = { readonly messages: Message[]; blockedUntil: number };

export const queueRules = {
  batchMessagesMax: 10,
  /** In steps: three times what a worker has. */
  visibility: 3_600,
  /**
   * Fewer than on AWS, as two days are to one, so that what would be given up there after a day is given up within a
   * simulated life: by the worker itself, and by the queue where the worker does not.
   */
  workerReceivesMax: 60,
  receivesMax: 60 + 10 * eventLimits.passingTriesMin,
} as const;

/**
 * SQS FIFO as its documents say it: a message is delivered at least once; while messages of a group are in flight, or
 * wait to be visible again, nothing else of the group is delivered; every delivery counts as a receive of every
 * message in it; one that was received too often goes to the dead letters, by the queue's own hand and without a
 * reason.
 */
export class ModelQueue {
  readonly #scheduler: Scheduler;
  readonly #dice: Dice;
  readonly #groups = new Map<string, Group>();
  #sent = 0;
  /** Buried by the queue. */
  readonly buried: QueueMessage[] = [];

  constructor(scheduler: Scheduler, dice: Dice) {
    this.#scheduler = scheduler;
    this.#dice = dice;
  }

  send(messages: readonly QueueMessage[]): void {
    for (const message of messages) {
      const group = this.#groups.get(message.group) ?? { messages: [], blockedUntil: 0 };
      group.messages.push({ ...message, receives: 0, sending: `${this.#sent++}` });
      this.#groups.set(message.group, group);
    }
  }

  get isEmpty(): boolean {
    return [...this.#groups.values()].every(({ messages }) => messages.length === 0);
  }

  /** When a group that waits is next delivered; null when none waits. */
  get nextVisible(): number | null {
    const waiting = [...this.#groups.values()].filter(({ messages }) => messages.length > 0);
    return waiting.length === 0 ? null : Math.min(...waiting.map(({ blockedUntil }) => blockedUntil));
  }

  /** Up to ten messages, of one group or of several, each group's in their order. */
  receive(): readonly Message[] {
    const batch: Message[] = [];
    const free = [...this.#groups.values()].filter(({ blockedUntil }) => blockedUntil <= this.#scheduler.now);
    while (free.length > 0 && batch.length < queueRules.batchMessagesMax) {
      const [group] = free.splice(this.#dice.below(free.length), 1);
      if (!group) break;
      const room = queueRules.batchMessagesMax - batch.length;
      const taken = group.messages.slice(0, 1 + this.#dice.below(Math.min(room, 4)));
      for (const message of taken) {
        if (++message.receives > queueRules.receivesMax) {
          group.messages.splice(group.messages.indexOf(message), 1);
          this.buried.push(message);
        } else batch.push({ ...message });
      }
      if (taken.length > 0) group.blockedUntil = this.#scheduler.now + queueRules.visibility;
    }
    return batch;
  }

  /** What the worker answered: those that failed come again when they are visible again, all others are forgotten. */
  settle(batch: readonly Message[], failed: readonly QueueMessage[]): void {
    const again = new Set(failed.map(({ id }) => id));
    for (const name of new Set(batch.map(({ group }) => group))) {
      const group = this.#groups.get(name);
      if (!group) continue;
      const done = new Set(
        batch.filter((each) => each.group === name && !again.has(each.id)).map(({ id }) => id),
      );
      group.messages.splice(0, group.messages.length, ...group.messages.filter(({ id }) => !done.has(id)));
      const hasFailed = batch.some((each) => each.group === name && again.has(each.id));
      if (!hasFailed) group.blockedUntil = 0;
    }
  }
}
