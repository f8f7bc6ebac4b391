import * as z from "zod";
import { storeLimits } from "../contract/limits.ts";
import { escapeKeyPart } from "../contract/tenants.ts";
import type { DeadLetterQueue, EventQueue, QueueMessage } from "../events/ports.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { parseItem } from "../store/items/parse.ts";
import type { Store } from "../store/retry-on-conflict.ts";
import { type Item, type Key, queryAll, type Table, type TransactionWrite, writeIf } from "../store/table.ts";

/**
 * The local FIFO queue and its dead letters, in a separate table beside the service's:
 *
 * | Item           | pk                | sk               |
 * |----------------|-------------------|------------------|
 * | message        | GROUP#<group>     | <number>         |
 * | group in use   | GROUPS            | <group>          |
 * | dead letter    | DEAD              | <number>         |
 * | last number    | NUMBERS           | NUMBERS          |
 *
 * Any process may send; only the owner of the data directory receives. Unlike SQS this queue does not drop a message
 * sent twice within five minutes: events are safe to repeat, and a test that repeats them should see the repetition.
 */
export type LocalQueue = {
  readonly events: EventQueue;
  readonly deadLetters: DeadLetterQueue;
  /** Groups that have messages, or had some a moment ago. */
  groups(): Promise<readonly GroupItem[]>;
  /** The oldest messages of a group, in order. */
  receive(group: string, messagesMax: number): Promise<readonly MessageItem[]>;
  acknowledge(messages: readonly MessageItem[]): Promise<void>;
  /** Counts a receive that was not acknowledged. */
  returnToQueue(message: MessageItem): Promise<void>;
  /** In one step: removes the message from its group and stores it as a dead letter. */
  bury(message: MessageItem, reason: string): Promise<void>;
  /** Removes the group from the list, unless a message was sent to it since `group` was read. */
  retireGroup(group: GroupItem): Promise<void>;
  listDeadLetters(): Promise<readonly DeadLetterItem[]>;
  /** In one step: deletes the letter and appends its message to its group; returns the message's new id. */
  redrive(letter: DeadLetterItem): Promise<string>;
  dropDeadLetter(letter: DeadLetterItem): Promise<void>;
};

const message = {
  pk: z.string(),
  sk: z.string(),
  id: z.string(),
  group: z.string(),
  body: z.string(),
};
const messageItem = z.object({
  ...message,
  message_id: z.string(),
  sent_at_ms: z.number(),
  receives: z.number(),
});
/** `sent` is the number of a message that was sent to the group last. */
const groupItem = z.object({ pk: z.string(), sk: z.string(), group: z.string(), sent: z.number() });
const deadLetterItem = z.object({ ...message, reason: z.string(), failed_at: z.string() });
export type MessageItem = z.output<typeof messageItem>;
export type GroupItem = z.output<typeof groupItem>;
export type DeadLetterItem = z.output<typeof deadLetterItem>;
const parseMessage = parseItem("message", messageItem);
const parseGroup = parseItem("group", groupItem);
const parseDeadLetter = parseItem("dead letter", deadLetterItem);

const groupPartition = (group: string): string => `GROUP#${escapeKeyPart(group)}`;
const groupKey = (group: string): Key => ({ pk: "GROUPS", sk: escapeKeyPart(group) });
const numbersKey: Key = { pk: "NUMBERS", sk: "NUMBERS" };
const deadLetters = "DEAD";
const numberDigits = 12;

/** A message and its group are two actions; using half of a transaction's maximum size leaves room for names. */
const sendTogetherMax = 40;
const sendBytesMax = storeLimits.transactionBytesMax / 2;

export function createLocalQueue(deps: Store): LocalQueue {
  const { table, clock } = deps;
  return {
    events: {
      async send(messages) {
        for (const batch of batchesOf(messages)) await table.transact(await sendWrites(deps, batch));
      },
    },
    deadLetters: {
      async send(letters) {
        const first = await reserveNumbers(table, letters.length);
        await table.writeMany(
          letters.map((letter, index) => ({
            put: deadLetterOf(letter, letter.reason, first + index, clock),
          })),
        );
      },
    },
    async groups() {
      return (await Array.fromAsync(queryAll(table, { pk: "GROUPS" }))).map(parseGroup);
    },
    async receive(group, messagesMax) {
      const page = await table.queryPage({ pk: groupPartition(group), pageItems: messagesMax });
      return page.items.map(parseMessage);
    },
    async acknowledge(messages) {
      await table.writeMany(messages.map(({ pk, sk }) => ({ delete: { pk, sk } })));
    },
    async returnToQueue({ pk, sk }) {
      await table.write({ update: { pk, sk }, change: { add: [["receives", 1]] }, when: { present: "pk" } });
    },
    async bury(buried, reason) {
      const number = await reserveNumbers(table, 1);
      await table.transact([
        { delete: { pk: buried.pk, sk: buried.sk } },
        { put: deadLetterOf(buried, reason, number, clock) },
      ]);
    },
    async retireGroup({ pk, sk, sent }) {
      // A number, not a count of messages: a group that was retired and used again must not look like the one that was read.
      await writeIf(table, { delete: { pk, sk }, when: { equals: ["sent", sent] } });
    },
    async listDeadLetters() {
      return (await Array.fromAsync(queryAll(table, { pk: deadLetters }))).map(parseDeadLetter);
    },
    async redrive({ pk, sk, group, body }) {
      const id = deps.random.uuid();
      const again = await sendWrites(deps, [{ id, group, body }]);
      await table.transact([{ delete: { pk, sk }, when: { present: "pk" } }, ...again]);
      return id;
    },
    async dropDeadLetter({ pk, sk }) {
      await table.write({ delete: { pk, sk } });
    },
  };
}

/** Messages of one call become visible together, so that the second cannot be received before the first. */
async function sendWrites(
  { table, clock, random }: Store,
  messages: readonly QueueMessage[],
): Promise<TransactionWrite[]> {
  const first = await reserveNumbers(table, messages.length);
  const last = new Map(messages.map(({ group }, index) => [group, first + index]));
  return [
    ...messages.map(({ id, group, body }, index) => ({
      put: {
        pk: groupPartition(group),
        sk: numberKey(first + index),
        id,
        group,
        body,
        message_id: random.uuid(),
        sent_at_ms: clock.nowMs(),
        receives: 0,
      },
    })),
    ...[...last].map(([group, number]) => ({
      update: groupKey(group),
      change: {
        set: [
          ["group", group],
          ["sent", number],
        ],
      } as const,
    })),
  ];
}

async function reserveNumbers(table: Table, count: number): Promise<number> {
  const after = await table.write(
    { update: numbersKey, change: { add: [["last", count]] } },
    // An unused number does no harm.
    { returning: "new", idempotent: true },
  );
  return z.number().parse(after?.last) - count + 1;
}

const numberKey = (number: number): string => String(number).padStart(numberDigits, "0");

const deadLetterOf = (letter: QueueMessage, reason: string, number: number, clock: Store["clock"]): Item => ({
  pk: deadLetters,
  sk: numberKey(number),
  id: letter.id,
  group: letter.group,
  body: letter.body,
  reason,
  failed_at: toTimestamp(clock.nowMs()),
});

function* batchesOf(messages: readonly QueueMessage[]): Generator<readonly QueueMessage[]> {
  let batch: QueueMessage[] = [];
  let bytes = 0;
  for (const each of messages) {
    const size = Buffer.byteLength(each.body);
    if (batch.length > 0 && (batch.length >= sendTogetherMax || bytes + size > sendBytesMax)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(each);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
