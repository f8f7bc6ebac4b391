import * as kinds from "../../contract/items.ts";
import { eventQueueSettings } from "../../contract/platform.ts";
import { instanceTenant, workspaceTenant } from "../../contract/tenants.ts";
import { sendAll } from "../../events/send-all.ts";
import { systemClock } from "../../runtime/clock.ts";
import { queryAll, type Table } from "../../store/table.ts";
import { type Check, CheckFailed, waitUntil } from "./check.ts";
import type { CheckContext } from "./checks.ts";
import { type StageEvents, stage } from "./stage.ts";

/** Two more deliveries before the stage is removed: an event applied after that would make a part of it again. */
export const eventsMsMax = 2 * eventQueueSettings.visibilitySeconds * 1000 + 60_000;

type EventContext = Pick<CheckContext, "connection" | "commandFor">;

/** Sends every type of event, then waits for the result of each; all of them together no longer than `waitMs`. */
export function eventChecks(
  context: EventContext,
  events: StageEvents,
  waitMs: number = eventsMsMax,
): readonly Check[] {
  const { connection } = context;
  const { table } = connection;
  let sentAtMs: number | undefined;
  const send: Check = {
    name: "events are accepted by the queue, a large one by the bucket",
    run: async () => {
      await sendAll(connection, events.all);
      sentAtMs = systemClock.nowMs();
    },
  };
  const untilMs = () => {
    if (sentAtMs === undefined)
      throw new CheckFailed(
        "Not tried: the events could not be sent. Let your own role send to the queue and put into the events bucket, and " +
          "run verify again.",
      );
    return sentAtMs + waitMs;
  };
  const applied = Object.entries(tracesOf(table)).map(([type, isThere]) => ({
    name: `${type} is applied`,
    run: async () => await waitUntil(isThere, { untilMs: untilMs(), otherwise: notApplied(context, type) }),
  }));
  return [send, ...applied, usedCheck(context, events, waitMs)];
}

const notApplied = ({ commandFor }: EventContext, type: string): string =>
  `${type} was sent and not applied. See whether it is a dead letter (${commandFor("events failed")}), and what the log of the ` +
  `function ingest says. Throttles mean that the account runs too few functions at once: see ${commandFor("preflight")}.`;

const { cloud, home } = stage;

/** What shows that an event of each type was applied. */
function tracesOf(table: Table): Readonly<Record<string, () => Promise<boolean>>> {
  const there = async (key: { pk: string; sk: string }) => (await table.get(key)) !== undefined;
  const any = async (pk: string) => (await table.queryPage({ pk, pageItems: 1 })).items.length > 0;
  return {
    "workspace.saved": () => there(kinds.tenant.key({ tenant: workspaceTenant(stage.workspace) })),
    "instance.saved": () => there(kinds.tenant.key({ tenant: instanceTenant(stage.instance) })),
    "organization.saved": async () =>
      (await there(kinds.organization.key({ organization: cloud.uuid }))) &&
      (await there(kinds.organization.key({ organization: home.uuid }))),
    "repository.saved": () =>
      there(kinds.repository.key({ organization: home.uuid, repositoryId: stage.repositoryId })),
    "member.saved": () => there(kinds.member.key({ organization: home.uuid, userId: stage.member })),
    "team.saved": () => there(kinds.team.key({ organization: cloud.uuid, teamId: stage.teamId })),
    "pull_request.finalized": async () =>
      (await any(kinds.pointer.partition({ organization: cloud.uuid }))) &&
      (await any(kinds.pointer.partition({ organization: home.uuid }))),
    "learning.captured": () => any(kinds.learning.partition({ organization: cloud.uuid })),
    "security_scan.completed": () => any(kinds.scans.partition({ organization: cloud.uuid })),
  };
}

function usedCheck(context: EventContext, events: StageEvents, waitMs: number): Check {
  const { connection } = context;
  const { table } = connection;
  return {
    name: "learning.used is applied",
    async run() {
      const [captured] = await Array.fromAsync(
        queryAll(table, { pk: kinds.learning.partition({ organization: cloud.uuid }) }),
      );
      if (!captured)
        throw new CheckFailed(
          "Not tried: there is no Learning to use. The event learning.captured makes it: first repair what that check reports.",
        );
      const event = events.used(captured.sk);
      await sendAll(connection, [event]);
      await waitUntil(
        async () =>
          Number(
            (await table.get(kinds.learning.key({ organization: cloud.uuid, learningId: captured.sk })))
              ?.usage_count,
          ) > 0,
        { untilMs: systemClock.nowMs() + waitMs, otherwise: notApplied(context, event.type) },
      );
    },
  };
}
