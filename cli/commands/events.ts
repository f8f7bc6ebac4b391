import { counted } from "../../lib/contract/counted.ts";
import { EventRefused, readMessage } from "../../lib/events/envelope.ts";
import { redactMessage } from "../../lib/events/redact-message.ts";
import { redact } from "../../lib/redaction/redact.ts";
import type { Command } from "../command.ts";
import type { Connection, FailedEvent } from "../connection/connection.ts";
import { withConnection } from "../connection/open.ts";
import { OperatorError } from "../errors.ts";
import { countEvents, readEventFile } from "../event-file.ts";
import { listOptions, showList } from "../listing.ts";
import { sendAll } from "../send-events.ts";
import { startProgress, startTally } from "../terminal.ts";

const send: Command = {
  name: "send",
  summary: "Send platform events; on the local service also wait until they are applied",
  connects: true,
  argument: {
    name: "FILE.ndjson",
    required: true,
    help: "one event per line: {id, type, occurred_at, data}",
  },
  options: { "no-wait": { help: "do not wait until they are applied" } },
  examples: ["events send events.ndjson", "events send events.ndjson --stack ReviewApi"],
  async run(input, terminal) {
    const file = input.requiredArgument("FILE.ndjson");
    // Every line is checked before the first is sent: nothing is sent from a file with an invalid line.
    const total = await countEvents(file);
    const outcome = await withConnection(
      input,
      async (connection) => {
        const waits = connection.waitsAfterSend && !input.flag("no-wait");
        const failedBefore = waits ? await letterIds(connection) : new Set<string>();
        const progress = startProgress(terminal, "Sending", total);
        const sent = await sendAll(connection, readEventFile(file), progress.advance).finally(progress.end);
        if (!waits) return { sent };
        await connection.settle();
        return { sent, refused: await countRefused(connection, failedBefore, file) };
      },
      { create: true },
    );
    if (input.flag("json")) terminal.out(JSON.stringify(outcome));
    else
      terminal.say(
        `Sent ${counted(outcome.sent, "event")}${outcome.refused === undefined ? "" : ", and the queue is empty"}.`,
      );
    if (outcome.refused)
      throw new OperatorError(
        `${counted(outcome.refused, "event")} ${outcome.refused === 1 ? "was" : "were"} refused. To see why: review-api events failed`,
      );
  },
};

async function letterIds(connection: Connection): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const { letterId } of connection.failedEvents()) ids.add(letterId);
  return ids;
}

/**
 * How many events of the file have failed since. Others may send at the same time: their failures do not count here.
 */
async function countRefused(
  connection: Connection,
  failedBefore: ReadonlySet<string>,
  file: string,
): Promise<number> {
  const newFailures = new Map<string, number>();
  for await (const { letterId, id } of connection.failedEvents())
    if (!failedBefore.has(letterId)) newFailures.set(id, (newFailures.get(id) ?? 0) + 1);
  if (newFailures.size === 0) return 0;
  // Reads the file again instead of keeping every sent id: it may hold millions of events.
  let refused = 0;
  for await (const { id } of readEventFile(file)) {
    const failures = newFailures.get(id) ?? 0;
    if (failures === 0) continue;
    refused++;
    newFailures.set(id, failures - 1);
  }
  return refused;
}

const failed: Command = {
  name: "failed",
  summary: "List the events that could not be applied, and why; on a stack the first ten of each group",
  connects: true,
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
  connects: true,
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
      else terminal.say(`Sent ${counted(sent.size, "event")} again.`);
      const { failed_again: failures = [], still_queued: isStillQueued } = outcome;
      if (failures.length > 0) throw new OperatorError(failedAgainText(failures, outcome));
      if (isStillQueued) throw new OperatorError(queueNotEmpty);
      if (outcome.more_may_have_failed) throw new OperatorError(failuresHidden(connection));
    }),
};

const queueNotEmpty =
  "The queue is not empty yet, so some events may not be applied. To see which fail again: review-api events failed";

const failuresHidden = ({ failedEventsShownMax: max }: Connection): string =>
  `The queue shows only the first ${max} failed events of a group, so it is not known whether these events failed again. To send all failed events again: review-api events redrive`;

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
  return `${counted(failures.length, "event")} failed again:${shown.join("")}${more}${hidden}`;
}

/** "No such event" would claim too much for a queue that hides some events. */
const notThere = (id: string, { failedEventsShownMax: max }: Connection): string =>
  max === undefined
    ? `There is no failed event ${id}.`
    : `There is no failed event ${id} among the first ${max} of its group, and the queue does not show the others. To send all failed events again, leave out the id.`;

export const commands: readonly Command[] = [send, failed, redrive];

/** Redacted for display: SQS moves messages to the dead letters unchanged. */
const redacted = (letter: FailedEvent): FailedEvent => ({
  ...letter,
  reason: redact(letter.reason).text,
  body: redactMessage(letter.body),
});

/** Id and type of the letter's event; if the body is not an event, the message's id. */
function eventOf({ id, body }: Pick<FailedEvent, "id" | "body">): {
  readonly id: string;
  readonly type: string | null;
} {
  try {
    const { id: eventId, type } = readMessage(body);
    return { id: eventId, type };
  } catch (error) {
    if (error instanceof EventRefused) return { id, type: null };
    throw error;
  }
}
