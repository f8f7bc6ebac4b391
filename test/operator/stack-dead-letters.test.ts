import { expect, test } from "vitest";
import type { SqsCall } from "../../lib/events/sqs-client.ts";
import { failedEventsOf } from "../../lib/operator/stack-dead-letters.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { TestClock } from "../support/clock.ts";

/** A queue that hides a letter for a minute and then delivers it again under a new handle. */
function queueOf(ids: readonly string[], clock: TestClock, skewMs = 0) {
  const letterOf = () => ({ hiddenUntilMs: 0, handle: "", receives: 0, sentMs: clock.nowMs() + skewMs });
  const letters = new Map(ids.map((id) => [id, letterOf()]));
  const released: string[] = [];
  const call: SqsCall = async (action, input) => {
    const { ReceiptHandle, Entries } = input as {
      ReceiptHandle?: string;
      Entries?: Array<{ ReceiptHandle: string }>;
    };
    const named = (handle: string | undefined) =>
      [...letters].find(([, letter]) => letter.handle === handle)?.[0];
    if (action === "DeleteMessage") {
      const id = named(ReceiptHandle);
      if (id === undefined) throw new Error("The handle has expired.");
      letters.delete(id);
    }
    if (action === "ChangeMessageVisibilityBatch")
      released.push(...(Entries ?? []).map(({ ReceiptHandle: handle }) => named(handle) ?? "expired"));
    if (action !== "ReceiveMessage") return {};
    const visible = [...letters]
      .filter(([, { hiddenUntilMs }]) => hiddenUntilMs <= clock.nowMs())
      .slice(0, 2);
    for (const [id, letter] of visible) {
      letter.hiddenUntilMs = clock.nowMs() + 60_000;
      letter.handle = `${id}-${++letter.receives}`;
    }
    return {
      Messages: visible.map(([id, { handle, sentMs }]) => ({
        MessageId: id,
        ReceiptHandle: handle,
        Body: id,
        Attributes: { SentTimestamp: String(sentMs) },
      })),
    };
  };
  const sent: string[] = [];
  const failing = new Set<string>();
  const queue = {
    send: async (messages: ReadonlyArray<{ id: string; body: string }>) => {
      for (const { id, body } of messages) {
        sent.push(body);
        if (failing.has(body)) letters.set(id, letterOf());
      }
    },
  };
  const deps = { call, queueUrl: "https://queue.test/letters", queue, random: systemRandom };
  return { deps, letters, released, sent, failing };
}

test("every letter is listed once and becomes visible to others again, however slow the reader is", async () => {
  const clock = new TestClock();
  const ids = ["a", "b", "c", "d", "e"];
  const { deps, released } = queueOf(ids, clock);
  const seen: string[] = [];
  for await (const { body } of failedEventsOf(deps)) {
    seen.push(body);
    clock.advance(25_000);
    if (seen.length > 50) break;
  }
  expect(seen).toEqual(ids);
  expect(released).not.toContain("expired");
});

test("a letter that is sent again is deleted with its latest handle", async () => {
  const clock = new TestClock();
  const { deps, letters, sent } = queueOf(["a", "b", "c"], clock);
  for await (const letter of failedEventsOf(deps)) await letter.redrive();
  expect([[...letters.keys()], sent]).toEqual([[], ["a", "b", "c"]]);
});

test.each([
  ["behind", 3_600_000],
  ["ahead of", -3_600_000],
])(
  "a machine whose clock is %s the queue's sees every letter, and sends each once, even one that fails",
  async (_, skewMs) => {
    const { deps, letters, sent, failing } = queueOf(["a", "b", "c"], new TestClock(), skewMs);
    failing.add("b");
    for await (const letter of failedEventsOf(deps)) {
      await letter.redrive();
      if (sent.length > 9) break;
    }
    expect([sent, letters.size]).toEqual([["a", "b", "c"], 1]);
  },
);
