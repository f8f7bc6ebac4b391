import { plural } from "../../lib/contract/plural.ts";
import { sendAll } from "../../lib/events/send-all.ts";
import { waitingEventId, waitingRows } from "../../lib/events/waiting-list.ts";
import type { Connection } from "../../lib/operator/connection.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { OperatorError } from "../../lib/runtime/operator-error.ts";
import type { Command, CommandInput } from "../command.ts";
import { withConnection } from "../connection/open.ts";
import {
  checkEvents,
  countEvents,
  type EventFile,
  lineProblem,
  readEventFile,
  withEventFile,
} from "../event-file.ts";
import { commandFor } from "../show-once.ts";
import { startProgress, type Terminal } from "../terminal.ts";

export const send: Command = {
  name: "send",
  summary: "Send platform events; on the local service also wait until they are applied",
  note: "The exit code is 1 if an event is refused, or waits for something that has not arrived.",
  argument: {
    name: "FILE.ndjson",
    required: true,
    help: "one event per line: {id, type, occurred_at, data}; - reads standard input",
  },
  options: {
    check: {
      help: "check every field of every line, not whether the things that it names exist; send nothing",
    },
    "no-wait": { help: "do not wait until they are applied" },
  },
  examples: [
    "events send events.ndjson",
    "events send events.ndjson --check",
    "events send events.ndjson --stack ReviewApi",
  ],
  run: (input, terminal) =>
    withEventFile(input.requiredArgument("FILE.ndjson"), (file) =>
      input.flag("check") ? checkFile(file, input, terminal) : sendFile(file, input, terminal),
    ),
};

async function checkFile(file: EventFile, input: CommandInput, terminal: Terminal): Promise<void> {
  const isJson = input.flag("json");
  const problems: { line: number; problem: string }[] = [];
  let [events, invalid] = [0, 0];
  for await (const { line, problem } of checkEvents(file, systemClock.nowMs())) {
    events++;
    if (problem === undefined) continue;
    invalid++;
    if (isJson) problems.push({ line, problem });
    else terminal.out(lineProblem(file, line, problem));
  }
  if (isJson) terminal.out(JSON.stringify({ events, invalid, problems }));
  else if (invalid === 0) terminal.say(`Checked ${plural(events, "event")}: no mistakes. Nothing was sent.`);
  if (invalid > 0)
    throw new OperatorError(
      `${invalid} of ${plural(events, "event")} ${invalid === 1 ? "has" : "have"} mistakes. Nothing was sent.`,
    );
}

type Outcome = {
  readonly sent: number;
  readonly refused?: number;
  readonly waiting?: number;
  readonly waits_for?: readonly { readonly thing: string; readonly events: number }[];
};

async function sendFile(file: EventFile, input: CommandInput, terminal: Terminal): Promise<void> {
  // Every line is checked before the first is sent: nothing is sent from a file with an invalid line.
  const total = await countEvents(file);
  const outcome = await withConnection(
    input,
    async (connection): Promise<Outcome> => {
      const waits = connection.waitsAfterSend && !input.flag("no-wait");
      const failedBefore = waits ? await letterIds(connection) : new Set<string>();
      const progress = startProgress(terminal, "Sending", total);
      const sent = await sendAll(connection, readEventFile(file), progress.advance).finally(progress.end);
      if (!waits) return { sent };
      await connection.settle();
      const refused = await countRefused(connection, failedBefore, file);
      return { sent, refused, ...(await countWaiting(connection, file)) };
    },
    { create: true },
  );
  if (input.flag("json")) terminal.out(JSON.stringify(outcome));
  else
    terminal.say(
      `Sent ${plural(outcome.sent, "event")}${outcome.refused === undefined ? `. ${laterHint(input)}` : ", and the queue is empty."}`,
    );
  const problems = [...refusedText(outcome, input), ...waitingText(outcome, input)];
  if (problems.length > 0) throw new OperatorError(problems.join("\n"));
}

const laterHint = (input: CommandInput): string =>
  `To see what failed or waits, later: ${commandFor(input, "events failed")}, ${commandFor(input, "events waiting")}`;

const refusedText = ({ refused = 0 }: Outcome, input: CommandInput): readonly string[] =>
  refused === 0
    ? []
    : [
        `${plural(refused, "event")} ${refused === 1 ? "was" : "were"} refused. To see why: ${commandFor(input, "events failed")}`,
      ];

const thingsShownMax = 10;

function waitingText({ waiting = 0, waits_for = [] }: Outcome, input: CommandInput): readonly string[] {
  if (waiting === 0) return [];
  const more = waits_for.length - thingsShownMax;
  return [
    `${plural(waiting, "event")} ${waiting === 1 ? "waits and is" : "wait and are"} not applied:`,
    ...waits_for.slice(0, thingsShownMax).map(({ thing, events }) => `  ${events} for the ${thing}`),
    ...(more > 0 ? [`  and others for ${plural(more, "more thing")}`] : []),
    `They are applied when these things arrive. To list them: ${commandFor(input, "events waiting")}. To remove one: ${commandFor(input, "events drop EVENT_ID")}`,
  ];
}

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
  file: EventFile,
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

/** How many events of the file wait, and for what. */
async function countWaiting(
  { table }: Connection,
  file: EventFile,
): Promise<Pick<Outcome, "waiting" | "waits_for">> {
  const thingOf = new Map<string, string>();
  for await (const row of waitingRows(table)) thingOf.set(waitingEventId(row), row.label);
  if (thingOf.size === 0) return { waiting: 0 };
  const counts = new Map<string, number>();
  let waiting = 0;
  for await (const { id } of readEventFile(file)) {
    const thing = thingOf.get(id);
    if (thing === undefined) continue;
    waiting++;
    counts.set(thing, (counts.get(thing) ?? 0) + 1);
    // A file may hold an event twice; it waits once.
    thingOf.delete(id);
  }
  if (waiting === 0) return { waiting };
  return { waiting, waits_for: [...counts].map(([thing, events]) => ({ thing, events })) };
}
