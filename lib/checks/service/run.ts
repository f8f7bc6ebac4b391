import type { OperationId } from "../../contract/operations.ts";
import { systemClock } from "../../runtime/clock.ts";
import { type Check, CheckFailed } from "./check.ts";
import { type CheckContext, callCheckOf, checksOf } from "./checks.ts";
import { eventChecks } from "./events.ts";
import { countAuditEntries, neverRemoved, removeWholeStage } from "./remove.ts";
import { createKeys, type StageKeys, stageEvents } from "./stage.ts";

export type CheckResult = {
  readonly name: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly problem: string | null;
};
export type VerifyReport = {
  readonly checks: readonly CheckResult[];
  /** Names of the checks that were left out. */
  readonly notShown: readonly string[];
  readonly stays: readonly string[];
};

export type VerifyOptions = {
  sentence(error: unknown): string;
  onResult(result: CheckResult): void;
  /** Operations whose valid call is left out, because it cannot succeed where this stack is. */
  readonly without?: readonly OperationId[];
  /** The maximum time for all events together. */
  readonly eventsMs?: number;
};

/** Runs every check that is not left out, even after failures; always removes what it created. */
export async function verify(context: CheckContext, options: VerifyOptions): Promise<VerifyReport> {
  const { connection } = context;
  const startedMs = systemClock.nowMs();
  const checks: CheckResult[] = [];
  const notShown = (options.without ?? []).map(callCheckOf);
  const run = async (check: Check) => {
    const result = await timed(check, options.sentence);
    checks.push(result);
    options.onResult(result);
    return result.ok;
  };
  const events = stageEvents();
  let hasLateEvents = false;
  let auditEntries: string | undefined;
  const count: Check = {
    name: "what verify leaves behind is counted",
    run: async () => {
      auditEntries = await countAuditEntries(connection.table, startedMs, systemClock.nowMs());
    },
  };
  try {
    await run(removal("what an earlier run left is removed", connection, []));
    for (const check of eventChecks(context, events, options.eventsMs))
      hasLateEvents = !(await run(check)) || hasLateEvents;
    for (const check of checksWithKeys(context, events)) if (!notShown.includes(check.name)) await run(check);
  } finally {
    await run(removal("people, data and keys are removed again", connection, events.ids()));
    await run(count);
  }
  const stays = [auditEntries ?? "audit entries, which could not be counted", ...neverRemoved];
  return { checks, notShown, stays: hasLateEvents ? [...stays, lateEvents(context)] : stays };
}

/** Late events are in the queue, which delivers them again until it gives up on them. */
const lateEvents = ({ commandFor }: CheckContext): string =>
  "events that were not applied in time. If such an event is applied later, it makes a part of the test workspace again. If " +
  "it fails, it becomes a dead letter and the alarm deadLetters rings. Repair the cause, send dead letters again " +
  `(${commandFor("events redrive")}), then run verify once more: it removes what they made`;

async function timed({ name, run }: Check, sentence: VerifyOptions["sentence"]): Promise<CheckResult> {
  const startedMs = systemClock.nowMs();
  const problem = await run().then(
    () => null,
    (error: unknown) => sentence(error),
  );
  return { name, ok: problem === null, ms: systemClock.nowMs() - startedMs, problem };
}

const removal = (
  name: string,
  connection: CheckContext["connection"],
  eventIds: readonly string[],
): Check => ({
  name,
  run: async () => await removeWholeStage(connection, eventIds),
});

function checksWithKeys(context: CheckContext, events: ReturnType<typeof stageEvents>): readonly Check[] {
  let keys: StageKeys | undefined;
  const make: Check = {
    name: "keys of every kind are made",
    run: async () => {
      keys = await createKeys(context.connection).catch(explainNoOrganization);
    },
  };
  const keysOfStage = () => {
    if (!keys)
      throw new CheckFailed(
        "Not tried: there are no keys to call with. First repair what the check that makes keys reports.",
      );
    return keys;
  };
  return [make, ...checksOf(context, keysOfStage, events)];
}

/** Keys belong to organizations and tenants, which are created by events. */
function explainNoOrganization(error: unknown): never {
  if (!(error instanceof Error && error.name === "KeyRegistryError")) throw error;
  throw new CheckFailed(
    `${error.message} Keys belong to organizations that events make: first repair what the checks of events report.`,
  );
}
