import { type Clock, systemClock } from "../../runtime/clock.ts";
import { OperatorError } from "../../runtime/operator-error.ts";

/** A check does not depend on another check: it names anything that it needs and does not find. */
export type Check = { readonly name: string; run(): Promise<void> };

/** The sentence says what to do. */
export class CheckFailed extends OperatorError {}

const pollMs = 250;

export type Wait = {
  readonly untilMs: number;
  readonly otherwise: string;
  /** Treats an error like a "not yet"; at the deadline the last error is thrown. */
  readonly retryErrors?: boolean;
  readonly clock?: Clock;
};

/** Waits for something that the service does in the background. Checks at least once, even after the deadline. */
export async function waitUntil(
  isThere: () => Promise<boolean>,
  { untilMs, otherwise, retryErrors = false, clock = systemClock }: Wait,
): Promise<void> {
  for (;;) {
    let problem: unknown = new CheckFailed(otherwise);
    try {
      if (await isThere()) return;
    } catch (error) {
      if (!retryErrors) throw error;
      problem = error;
    }
    if (clock.nowMs() > untilMs) throw problem;
    await clock.sleep(pollMs);
  }
}
