import type { Clock } from "../runtime/clock.ts";

export type Task = { readonly name: string; readonly everyMs: number; run(): Promise<void> };

/**
 * Runs each task at once and then repeatedly, until the signal aborts; a failed task runs again at its next turn. As in
 * a deployed stack, turns are the same time apart however long a run takes; a turn that comes during a run is left out.
 */
export async function runTasks(
  tasks: readonly Task[],
  {
    clock,
    signal,
    onFault,
  }: {
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly onFault: (task: string, error: unknown) => void;
  },
): Promise<void> {
  const repeat = async ({ name, everyMs, run }: Task) => {
    let turnMs = clock.nowMs();
    while (!signal.aborted) {
      await run().catch((error: unknown) => onFault(name, error));
      turnMs += everyMs * Math.max(1, Math.ceil((clock.nowMs() - turnMs) / everyMs));
      await clock.sleep(turnMs - clock.nowMs(), signal).catch(() => undefined);
    }
  };
  await Promise.all(tasks.map(repeat));
}
