import { createHash } from "node:crypto";
import * as z from "zod";

const asked = z.object({
  ReceiptHandle: z.string().default(""),
  ReceiveRequestAttemptId: z.string().default(""),
  Entries: z.array(z.object({ ReceiptHandle: z.string() })).default([]),
});

const hiddenMs = 60_000;

/** The dead-letter queue as a receiver sees it; each letter is a group of its own. */
export class DeadLetters {
  readonly bodies = new Map<string, string>();
  readonly #shownAtMs = new Map<string, number>();
  /** A repeated request for a receipt gets the same receipt. */
  readonly #receipts = new Map<string, object[]>();

  fill(bodies: readonly string[]): void {
    this.bodies.clear();
    this.#shownAtMs.clear();
    this.#receipts.clear();
    for (const [index, body] of bodies.entries()) this.bodies.set(String(index), body);
  }

  answer(operation: string, input: unknown): object {
    const { ReceiptHandle, ReceiveRequestAttemptId: attempt, Entries } = asked.parse(input);
    if (operation === "ReceiveMessage") {
      const Messages = this.#receipts.get(attempt) ?? this.#receive();
      if (attempt) this.#receipts.set(attempt, Messages);
      return { Messages };
    }
    if (operation === "DeleteMessage") this.bodies.delete(ReceiptHandle);
    for (const { ReceiptHandle: handle } of Entries) this.#shownAtMs.delete(handle);
    return {};
  }

  #receive(): object[] {
    const nowMs = Date.now();
    const shown = [...this.bodies].filter(([handle]) => (this.#shownAtMs.get(handle) ?? 0) <= nowMs);
    for (const [handle] of shown) this.#shownAtMs.set(handle, nowMs + hiddenMs);
    return shown.map(([handle, Body]) => {
      const MD5OfBody = createHash("md5").update(Body).digest("hex");
      return { MessageId: handle, ReceiptHandle: handle, Body, MD5OfBody };
    });
  }
}
