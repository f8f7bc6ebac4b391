import { systemClock } from "../../lib/runtime/clock.ts";
import { OperatorFault } from "../fault.ts";

/** One line of the report. A check depends on no other check: what it needs and does not find, it names. */
export type Check = { readonly name: string; run(): Promise<void> };

/** The sentence says what to do. */
export class CheckFailed extends OperatorFault {}

const pollMs = 250;

/** Waits for what the service does in its own time. Looks once at least, also after that time. */
export async function eventually(
  isThere: () => Promise<boolean>,
  { untilMs, otherwise }: { readonly untilMs: number; readonly otherwise: string },
): Promise<void> {
  while (!(await isThere())) {
    if (systemClock.nowMs() > untilMs) throw new CheckFailed(otherwise);
    await systemClock.sleep(pollMs);
  }
}
