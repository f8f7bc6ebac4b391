import { beforeEach, expect, test } from "vitest";
import { eventLimits } from "../../lib/contract/limits.ts";
import { expireWaiting } from "../../lib/events/expire.ts";
import { ingest } from "../../lib/events/ingest.ts";
import { sqsDeadLetters } from "../../lib/events/sqs.ts";
import type { Table } from "../../lib/store/table.ts";
import { openStore, useStore } from "../support/engine.ts";
import {
  createIngestHarness,
  deliver,
  everything,
  type IngestHarness,
  memberSaved,
  organizationSaved,
  toMessages,
} from "./support.ts";

const store = useStore();
let harness: IngestHarness;
beforeEach(async () => {
  harness = createIngestHarness((await openStore(store().endpoint)).table);
});
const waiting = async (table: Table) =>
  (await everything(table)).filter(({ pk }) => pk.startsWith("WAITING"));

test("a row of the waiting list whose event is gone is deleted, and is no dead letter", async () => {
  await deliver(harness, [memberSaved(3)]);
  for (const { pk, sk } of await waiting(harness.table))
    if (pk !== "WAITING") await harness.table.write({ delete: { pk, sk } });
  harness.clock.now += (eventLimits.waitingDaysMax + 1) * 86_400_000;
  await expireWaiting(harness);
  expect(await waiting(harness.table)).toEqual([]);
  expect(harness.letters).toEqual([]);
});

test("an event in the bucket that exceeds the size limit goes to the dead letters, unread", async () => {
  const [message] = await toMessages(harness, [organizationSaved(1, { name: "x".repeat(300_000) })]);
  if (!message) throw new Error("There is a message.");
  for (const name of harness.objects.keys())
    harness.objects.set(name, new Uint8Array(eventLimits.eventBytesMax + 1));
  expect(await ingest(harness, [message])).toEqual([]);
  expect(harness.letters).toMatchObject([
    { reason: `reference: the event is larger than ${eventLimits.eventBytesMax} bytes` },
  ]);
});

test("a dead letter without a reason gets the reason unknown; a queue's refusal without one is an error", async () => {
  const sent: unknown[] = [];
  const letter = { id: "1", group: "g", body: "{}", reason: "" };
  const taking = async (_: string, input: object) => {
    sent.push(input);
    return {};
  };
  await sqsDeadLetters(taking, "https://queue.test/dead").send([letter]);
  expect(sent).toMatchObject([{ Entries: [{ MessageAttributes: { reason: { StringValue: "unknown" } } }] }]);
  const refusing = async () => ({ Failed: [{ Id: "0", SenderFault: true }] });
  await expect(sqsDeadLetters(refusing, "https://queue.test/dead").send([letter])).rejects.toThrow(
    "The queue takes no such message: no reason given",
  );
});
