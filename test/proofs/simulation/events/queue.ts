import { eventLimits } from "../../../../lib/contract/limits.ts";
import type { QueueMessage } from "../../../../lib/events/ports.ts";
import type { Dice, Scheduler } from "../model/scheduler.ts";

type Message = QueueMessage & { receives: number };
type Group = { readonly messages: Message[]; blockedUntil: number };

export const queueRules = {
  batchMessagesMax: 10,
  /** In steps: three times the time of a worker. */
  visibility: 3_600,
  /**
   * Fewer than on AWS, in the ratio of two days to one, so that a message that would be given up there after a day is
   * given up within a simulated life: by the worker itself, and by the queue if the worker does not.
   */
  workerReceivesMax: 60,
  receivesMax: 60 + 10 * eventLimits.triesMax,
} as const;

/**
 * SQS FIFO as documented: a message is delivered at least once; while messages of a group are in flight, or wait to
 * become visible again, nothing else of the group is delivered; every delivery counts as a receive of every message in
 * it; SQS itself moves a message that was received too often to the dead letters, without a reason.
 */
export class ModelQueue {
  readonly #scheduler: Scheduler;
  readonly #dice: Dice;
  readonly #groups = new Map<string, Group>();
  #sent = 0;
  /** Moved to the dead letters by the queue itself. */
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

  /** When a waiting group is delivered next; null if no group waits. */
  get nextVisible(): number | null {
    const waiting = [...this.#groups.values()].filter(({ messages }) => messages.length > 0);
    return waiting.length === 0 ? null : Math.min(...waiting.map(({ blockedUntil }) => blockedUntil));
  }

  /** Up to ten messages, of one group or of several, in the order of each group. */
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

  /**
   * Handles the worker's answer: failed messages are delivered again when they become visible, all others are deleted.
   */
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
