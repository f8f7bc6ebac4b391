import { functionSettings } from "../contract/platform.ts";
import type { Clock } from "../runtime/clock.ts";
import { TimeUp } from "../runtime/time-up.ts";

/** When a request must be done with its work, so that its answer is never cut off by Lambda or the gateway. */
export type Deadline = {
  /** Fires a little earlier, or when the request is stopped: whoever can end with what it has, ends now. */
  readonly softDeadline: AbortSignal;
  /** Fires when the time is up: the caller is being answered, so nothing new may be begun. */
  readonly hardDeadline: AbortSignal;
  /** The same moment by the clock: a function that was frozen hears its timers late. */
  isOver(): boolean;
  /** The work's answer, or a rejection when the time is up. */
  within<Answer>(work: Answer | Promise<Answer>): Promise<Answer>;
  /** The request was refused: nobody needs what is still being worked on. */
  stop(reason: unknown): void;
  /** The work is done; the clock need not be watched any more. */
  dispose(): void;
};

export type WorkTime = { readonly totalMs: number; readonly wrapUpMs: number; readonly answerMs: number };

/** `remainingMs` is Lambda's word: it counts when a function was given less time than the stack gives it. */
export function openDeadline(clock: Clock, work: WorkTime, remainingMs: number): Deadline {
  const totalMs = Math.max(0, Math.min(work.totalMs, remainingMs - work.answerMs));
  const notAfterMs = clock.nowMs() + totalMs;
  const soon = new AbortController();
  const over = new AbortController();
  const done = new AbortController();
  const passed = watch(clock, done.signal, [
    [Math.max(0, totalMs - work.wrapUpMs), soon],
    [totalMs, over],
  ]);
  passed.catch(() => {});
  return {
    softDeadline: soon.signal,
    hardDeadline: over.signal,
    isOver: () => clock.nowMs() > notAfterMs,
    within: (work) => Promise.race([work, passed]),
    stop: (reason) => soon.abort(reason),
    dispose: () => done.abort(letGo),
  };
}

/** Without a reason of its own every abort would make an error and its stack, on each request. */
const letGo = "let go of";

/** Sounds one alarm after the other; rejects after the last, or when nobody needs it any more. */
async function watch(
  clock: Clock,
  done: AbortSignal,
  alarms: ReadonlyArray<readonly [afterMs: number, alarm: AbortController]>,
): Promise<never> {
  let elapsedMs = 0;
  for (const [afterMs, alarm] of alarms) {
    await clock.sleep(afterMs - elapsedMs, done);
    elapsedMs = afterMs;
    alarm.abort(new TimeUp());
  }
  throw new TimeUp();
}

export const workTimeOf = ({ streaming }: { readonly streaming: boolean }): WorkTime =>
  functionSettings[streaming ? "streaming" : "operation"].work;
