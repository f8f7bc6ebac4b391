import { systemClock } from "../../lib/runtime/clock.ts";
import { OperatorError } from "../errors.ts";

/**
 * One line of the report. A check does not depend on another check: it names anything that it needs and does not find.
 */
export type Check = { readonly name: string; run(): Promise<void> };

/** The sentence says what to do. */
export class CheckFailed extends OperatorError {}

const pollMs = 250;

/** Waits for something that the service does in the background. Checks at least once, even after the deadline. */
export async function waitUntil(
  isThere: () => Promise<boolean>,
  { untilMs, otherwise }: { readonly untilMs: number; readonly otherwise: string },
): Promise<void> {
  while (!(await isThere())) {
    if (systemClock.nowMs() > untilMs) throw new CheckFailed(otherwise);
    await systemClock.sleep(pollMs);
  }
}
