import { plural } from "../../lib/contract/plural.ts";
import type { Connection } from "../../lib/operator/connection.ts";
import { redact } from "../../lib/redaction/redact.ts";
import { OperatorError } from "../../lib/runtime/operator-error.ts";
import type { Command, CommandInput } from "../command.ts";
import { withConnection } from "../connection/open.ts";
import { drop } from "../events/drop.ts";
import { eventOf, redacted } from "../events/event-of.ts";
import { send } from "../events/send.ts";
import { waiting } from "../events/waiting.ts";
import { listOptions, showList } from "../listing.ts";
import { commandFor } from "../show-once.ts";
import { startTally } from "../terminal.ts";

const failed: Command = {
  name: "failed",
  summary: "List the events that could not be applied, and why; on a stack the first ten of each group",
  options: listOptions,
  examples: ["events failed", "events failed --stack ReviewApi --json"],
  run: (input, terminal) =>
    withConnection(input, async (connection) => {
      const letters = (await Array.fromAsync(connection.failedEvents())).map(redacted).map((letter) => ({
        ...eventOf(letter),
        failed_at: letter.failedAt,
        reason: letter.reason,
        body: letter.body,
      }));
      showList(input, terminal, {
        records: letters,
        document: { failed: letters },
        line: ({ body: _, ...row }) => row,
        none: "There are no failed events.",
      });
    }),
};

const redrive: Command = {
  name: "redrive",
  summary: "Send failed events again, after you repaired the cause; report which fail again",
  argument: {
    name: "EVENT_ID",
    required: false,
    help: "only this one (default: all); on a stack it must be among the first ten of its group",
  },
  options: { "no-wait": { help: "do not wait until they are applied" } },
  examples: ["events redrive", "events redrive 0b9e2c1a-5d7f-4c3e-9a51-7f1d2e3c4b5a"],
  run: (input, terminal) =>
    withConnection(input, async (connection) => {
      const sent = await redriveAll(connection, input.argument, startTally(terminal, "Sending again"));
      if (input.argument !== undefined && sent.size === 0)
        throw new OperatorError(notThere(input.argument, connection));
      const waits = sent.size > 0 || connection.waitsAfterSend;
      const outcome = waits && !input.flag("no-wait") ? await outcomeOf(connection, sent) : {};
      if (input.flag("json")) terminal.out(JSON.stringify({ sent: sent.size, ...outcome }));
      else terminal.say(`Sent ${plural(sent.size, "event")} again.`);
      const { failed_again: failures = [], still_queued: isStillQueued } = outcome;
      if (failures.length > 0) throw new OperatorError(failedAgainText(failures, outcome));
      if (isStillQueued) throw new OperatorError(queueNotEmpty(input));
      if (outcome.more_may_have_failed) throw new OperatorError(failuresHidden(connection, input));
    }),
};

const queueNotEmpty = (input: CommandInput): string =>
  `The queue is not empty yet, so some events may not be applied. To see which fail again: ${commandFor(input, "events failed")}`;

const failuresHidden = ({ failedEventsShownMax: max }: Connection, input: CommandInput): string =>
  `The queue shows only the first ${max} failed events of a group, so it is not known whether these events failed again. To send all failed events again: ${commandFor(input, "events redrive")}`;

/** The ids of the sent messages, and the group of each. */
async function redriveAll(
  connection: Connection,
  only: string | undefined,
  tally: ReturnType<typeof startTally>,
): Promise<Map<string, string>> {
  const sent = new Map<string, string>();
  try {
    for await (const letter of connection.failedEvents()) {
      if (only !== undefined && eventOf(letter).id !== only) continue;
      sent.set(await letter.redrive(), letter.group);
      tally.show(sent.size);
    }
  } finally {
    tally.end();
  }
  return sent;
}

type Failure = { readonly id: string; readonly type: string | null; readonly reason: string };
type RedriveOutcome = {
  readonly failed_again?: readonly Failure[];
  /** Some events may still be in the queue. */
  readonly still_queued?: true;
  /** The queue shows only the first failed events of a group, and ours may be behind them. */
  readonly more_may_have_failed?: true;
};

async function outcomeOf(connection: Connection, sent: ReadonlyMap<string, string>): Promise<RedriveOutcome> {
  const isEmpty = await connection.settle();
  const failures: Failure[] = [];
  const shown = new Map<string, number>();
  for await (const letter of connection.failedEvents()) {
    shown.set(letter.group, (shown.get(letter.group) ?? 0) + 1);
    if (sent.has(letter.id))
      failures.push({ ...eventOf(redacted(letter)), reason: redact(letter.reason).text });
  }
  const { failedEventsShownMax: max = Number.POSITIVE_INFINITY } = connection;
  const isHidden = new Set(sent.values()).values().some((group) => (shown.get(group) ?? 0) >= max);
  return {
    failed_again: failures,
    ...(!isEmpty && { still_queued: true }),
    ...(isHidden && failures.length < sent.size && { more_may_have_failed: true }),
  };
}

const failuresShownMax = 10;

function failedAgainText(failures: readonly Failure[], { more_may_have_failed }: RedriveOutcome): string {
  const shown = failures.slice(0, failuresShownMax).map(({ id, reason }) => `\n  ${id}: ${reason}`);
  const more = failures.length > shown.length ? `\n  and ${failures.length - shown.length} more` : "";
  const hidden = more_may_have_failed
    ? "\n  Other events may have failed too: the queue shows only the first events of a group."
    : "";
  return `${plural(failures.length, "event")} failed again:${shown.join("")}${more}${hidden}`;
}

/** "No such event" would claim too much for a queue that hides some events. */
const notThere = (id: string, { failedEventsShownMax: max }: Connection): string =>
  max === undefined
    ? `There is no failed event ${id}.`
    : `There is no failed event ${id} among the first ${max} of its group, and the queue does not show the others. To send all failed events again, leave out the id.`;

export const commands: readonly Command[] = [send, waiting, failed, redrive, drop];
