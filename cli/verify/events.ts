import type { OutgoingEvent } from "../../lib/events/send.ts";
import {
  instanceTenant,
  learningKey,
  learningPartition,
  memberKey,
  organizationKey,
  pointerPartition,
  repositoryKey,
  scansPartition,
  tenantKey,
  workspaceTenant,
} from "../../lib/store/layout.ts";
import { queryAll, type Table } from "../../lib/store/table.ts";
import type { Connection } from "../connection/connection.ts";
import { sendAll } from "../send-events.ts";
import { type Check, eventually } from "./checks.ts";
import { type StageEvents, stage } from "./stage.ts";

/** Sends every type of event, then waits for what each one makes. */
export function eventChecks(connection: Connection, events: StageEvents): readonly Check[] {
  const { table } = connection;
  const send: Check = {
    name: "events are accepted by the queue, a large one by the bucket",
    run: async () => void (await sendAll(connection, events.all)),
  };
  const applied = Object.entries(tracesOf(table)).map(([type, isThere]) => ({
    name: `${type} is applied`,
    run: () => eventually(isThere, notApplied(type)),
  }));
  return [send, ...applied, usedCheck(connection, events)];
}

const notApplied = (type: string): string =>
  `${type} was sent and not applied. See whether it is a dead letter (review-api events failed), and what the log of the ` +
  "function Ingest says. Throttles mean that the account runs too few functions at once: see review-api preflight.";

const { cloud, home } = stage;

/** What shows that an event of this type was applied. */
function tracesOf(table: Table): Readonly<Record<string, () => Promise<boolean>>> {
  const there = async (key: { pk: string; sk: string }) => (await table.get(key)) !== undefined;
  const any = async (pk: string) => (await table.queryPage({ pk, pageItems: 1 })).items.length > 0;
  return {
    "workspace.saved": () => there(tenantKey(workspaceTenant(stage.workspace))),
    "instance.saved": () => there(tenantKey(instanceTenant(stage.instance))),
    "organization.saved": async () =>
      (await there(organizationKey(cloud.uuid))) && (await there(organizationKey(home.uuid))),
    "repository.saved": () => there(repositoryKey(home.uuid, stage.repositoryId)),
    "member.saved": () => there(memberKey(home.uuid, stage.member)),
    "pull_request.finalized": async () =>
      (await any(pointerPartition(cloud.uuid))) && (await any(pointerPartition(home.uuid))),
    "learning.captured": () => any(learningPartition(cloud.uuid)),
    "security_scan.completed": () => any(scansPartition(cloud.uuid)),
  };
}

function usedCheck(connection: Connection, events: StageEvents): Check {
  const { table } = connection;
  return {
    name: "learning.used is applied",
    async run() {
      const [captured] = await Array.fromAsync(queryAll(table, { pk: learningPartition(cloud.uuid) }));
      const id = captured?.sk ?? "";
      const event: OutgoingEvent = events.used(id);
      await sendAll(connection, [event]);
      await eventually(
        async () => Number((await table.get(learningKey(cloud.uuid, id)))?.usage_count) > 0,
        notApplied(event.type),
      );
    },
  };
}
