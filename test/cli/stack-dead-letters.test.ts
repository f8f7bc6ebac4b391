import { expect, test } from "vitest";
import { failedEventsOf } from "../../cli/connection/stack-dead-letters.ts";
import type { SqsCall } from "../../lib/events/sqs.ts";
import { systemChance } from "../../lib/runtime/chance.ts";
import { TestClock } from "../support/clock.ts";

/** A queue that hides a letter for a minute and hands it out again after that, under a new handle. */
function queueOf(ids: readonly string[], clock: TestClock) {
  const letters = new Map(ids.map((id) => [id, { hiddenUntilMs: 0, handle: "", receives: 0 }]));
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
      Messages: visible.map(([id, { handle }]) => ({ MessageId: id, ReceiptHandle: handle, Body: id })),
    };
  };
  const sent: string[] = [];
  const queue = {
    send: async (messages: ReadonlyArray<{ body: string }>) =>
      void sent.push(...messages.map(({ body }) => body)),
  };
  const deps = { call, queueUrl: "https://queue.test/letters", queue, clock, chance: systemChance };
  return { deps, letters, released, sent };
}

test("every letter is listed once, and shown to others again, also by somebody who takes longer than letters stay hidden", async () => {
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

test("a letter that is sent again leaves the queue under the handle it was last handed out with", async () => {
  const clock = new TestClock();
  const { deps, letters, sent } = queueOf(["a", "b", "c"], clock);
  for await (const letter of failedEventsOf(deps)) await letter.redrive();
  expect([[...letters.keys()], sent]).toEqual([[], ["a", "b", "c"]]);
});
