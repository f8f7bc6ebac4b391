import { type DropOutcome, dropFailed, dropWaiting } from "../../lib/events/drop.ts";
import { redactMessage } from "../../lib/events/redact-message.ts";
import { readWaitingEvents, waitingEventId, waitingRows } from "../../lib/events/waiting-list.ts";
import type { Connection } from "../../lib/operator/connection.ts";
import { OperatorError } from "../../lib/runtime/operator-error.ts";
import type { Command } from "../command.ts";
import { withConnection } from "../connection/open.ts";
import { eventOf, redacted } from "./event-of.ts";

export const drop: Command = {
  name: "drop",
  summary: "Remove an event that waits or has failed, for good: it is never applied",
  note: "If the service knows the organization of the event, its audit log gets an entry.",
  argument: {
    name: "EVENT_ID",
    required: true,
    help: "as `events waiting` and `events failed` show it; on a stack a failed one must be among the first ten of its group",
  },
  examples: ["events drop 0b9e2c1a-5d7f-4c3e-9a51-7f1d2e3c4b5a"],
  run: (input, terminal) =>
    withConnection(input, async (connection) => {
      const id = input.requiredArgument("EVENT_ID");
      const dropped = [
        ...(await Array.fromAsync(dropAllWaiting(connection, id))),
        ...(await Array.fromAsync(dropAllFailed(connection, id))),
      ];
      if (dropped.length === 0)
        throw new OperatorError(`No event ${id} waits or has failed${shownMax(connection)}.`);
      if (input.flag("json")) terminal.out(JSON.stringify({ dropped }));
      else
        for (const { type, state, audited } of dropped)
          terminal.say(
            `Removed the ${state} event ${id} (${type ?? "unknown type"})${audited ? "" : ". There is no audit entry: its organization is not known"}.`,
          );
    }),
};

type Dropped = {
  readonly id: string;
  readonly type: string | null;
  readonly state: "waiting" | "failed";
  /** Whether the audit log of the organization has an entry. */
  readonly audited: boolean;
  /** Without credentials. */
  readonly body: string;
};

async function* dropAllWaiting(connection: Connection, id: string): AsyncGenerator<Dropped> {
  const { table, audited, bucket } = connection;
  const rows = await Array.fromAsync(waitingRows(table));
  const own = rows.filter((row) => waitingEventId(row) === id);
  for await (const event of readWaitingEvents(table, own)) {
    const message = { ...eventOf(event.item), body: event.item.body };
    const outcome = await dropWaiting({ ...audited, bucket }, event, message);
    if (outcome.isDropped) yield droppedOf(message, "waiting", outcome);
  }
}

async function* dropAllFailed(connection: Connection, id: string): AsyncGenerator<Dropped> {
  const { audited, bucket } = connection;
  for await (const letter of connection.failedEvents()) {
    const { body, reason, failedAt } = letter;
    // A name of a type may hold a credential too.
    const message = { ...eventOf(redacted(letter)), body };
    if (message.id !== id) continue;
    const outcome = await dropFailed({ ...audited, bucket }, { ...message, reason, failedAt }, letter.drop);
    yield droppedOf(message, "failed", outcome);
  }
}

const droppedOf = (
  { id, type, body }: { readonly id: string; readonly type: string | null; readonly body: string },
  state: Dropped["state"],
  { isAudited }: DropOutcome,
): Dropped => ({ id, type, state, audited: isAudited, body: redactMessage(body) });

const shownMax = ({ failedEventsShownMax: max }: Connection): string =>
  max === undefined ? "" : ` among the first ${max} of its group`;
