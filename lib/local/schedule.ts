import type { Clock } from "../runtime/clock.ts";

export type Task = { readonly name: string; readonly everyMs: number; run(): Promise<void> };

/** Runs each task at once and then repeatedly, until the signal aborts; a failed task runs again at its next turn. */
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
    while (!signal.aborted) {
      await run().catch((error: unknown) => onFault(name, error));
      await clock.sleep(everyMs, signal).catch(() => undefined);
    }
  };
  await Promise.all(tasks.map(repeat));
}
