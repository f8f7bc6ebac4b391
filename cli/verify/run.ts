import { systemClock } from "../../lib/runtime/clock.ts";
import { type Check, checksOf, type Place } from "./checks.ts";
import { eventChecks } from "./events.ts";
import { removeStage, whatStays } from "./remove.ts";
import { createKeys, type StageKeys, stageEvents } from "./stage.ts";

export type CheckResult = {
  readonly name: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly problem: string | null;
};
export type VerifyReport = { readonly checks: readonly CheckResult[]; readonly stays: readonly string[] };

/** Runs every check, whatever fails before; removes what it made, come what may. */
export async function verify(
  place: Place,
  { sentence, onResult }: { sentence(error: unknown): string; onResult(result: CheckResult): void },
): Promise<VerifyReport> {
  const checks: CheckResult[] = [];
  const run = async ({ name, run: work }: Check): Promise<boolean> => {
    const startedMs = systemClock.nowMs();
    const problem = await work().then(
      () => null,
      (error: unknown) => sentence(error),
    );
    const result = { name, ok: problem === null, ms: systemClock.nowMs() - startedMs, problem };
    checks.push(result);
    onResult(result);
    return result.ok;
  };
  const { connection } = place;
  const remove = (name: string): Check => ({ name, run: async () => void (await removeStage(connection)) });
  const events = stageEvents();
  let keys: StageKeys | undefined;
  const makeKeys: Check = {
    name: "keys of every kind are made",
    run: async () => {
      keys = await createKeys(connection);
    },
  };
  try {
    await run(remove("what an earlier run left is removed"));
    let isApplied = true;
    for (const check of eventChecks(connection, events)) isApplied = isApplied && (await run(check));
    // Without organizations there is nothing to make keys for.
    if (isApplied && (await run(makeKeys)) && keys)
      for (const check of checksOf(place, keys, events)) await run(check);
  } finally {
    await run(remove("people, data and keys are removed again"));
  }
  return { checks, stays: await whatStays(connection.table, systemClock.nowMs()) };
}
