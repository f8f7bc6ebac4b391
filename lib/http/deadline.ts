import { functionSettings } from "../contract/platform.ts";
import type { Clock } from "../runtime/clock.ts";
import { TimeUp } from "../runtime/time-up.ts";

/** The time by which a request must finish its work, so that neither Lambda nor the gateway cuts off its answer. */
export type Deadline = {
  /** Fires shortly before the deadline, or when the request is stopped: return partial results. */
  readonly softDeadline: AbortSignal;
  /** Fires at the deadline: the caller is being answered, so no new work may begin. */
  readonly hardDeadline: AbortSignal;
  /** Whether the deadline has passed by the clock: in a function that was frozen, timers fire late. */
  isOver(): boolean;
  /** The result of the work, or a rejection at the deadline or when the request is stopped. */
  within<Answer>(work: Answer | Promise<Answer>): Promise<Answer>;
  /** For a refused request: nobody needs the work that is still running. */
  stop(reason: unknown): void;
  /** For finished work: stops the timers. */
  dispose(): void;
};

export type WorkTime = { readonly totalMs: number; readonly wrapUpMs: number; readonly answerMs: number };

/** `remainingMs` comes from Lambda. It matters if a function was given less time than the stack configures. */
export function openDeadline(clock: Clock, work: WorkTime, remainingMs: number): Deadline {
  const totalMs = Math.max(0, Math.min(work.totalMs, remainingMs - work.answerMs));
  const notAfterMs = clock.nowMs() + totalMs;
  const soft = new AbortController();
  const hard = new AbortController();
  const done = new AbortController();
  const passed = watch(clock, done.signal, [
    [Math.max(0, totalMs - work.wrapUpMs), soft],
    [totalMs, hard],
  ]);
  passed.catch(() => {});
  const stopped = Promise.withResolvers<never>();
  stopped.promise.catch(() => {});
  return {
    softDeadline: soft.signal,
    hardDeadline: hard.signal,
    isOver: () => clock.nowMs() > notAfterMs,
    within: (work) => Promise.race([work, passed, stopped.promise]),
    stop: (reason) => {
      soft.abort(reason);
      stopped.reject(reason);
    },
    dispose: () => done.abort(disposed),
  };
}

/** Without a given reason, every abort would create an error and its stack trace, on each request. */
const disposed = "disposed";

/** Aborts one controller after the other, each at its time. Rejects after the last, or when `done` fires. */
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
