import { plural } from "../../lib/contract/plural.ts";
import { sendAll } from "../../lib/events/send-all.ts";
import type { LocalBackend } from "../../lib/local/backend.ts";
import { type DataDirectory, dataDirectory, prepareDirectory } from "../../lib/local/data-directory.ts";
import { type DemoKeys, demoKeys } from "../../lib/local/demo/keys.ts";
import { demoEvents, demoSentUntil, noteDemoSentUntil } from "../../lib/local/demo/story.ts";
import { engineNames, engineVariable } from "../../lib/local/engine/engine.ts";
import type { LocalLog } from "../../lib/local/ingest.ts";
import type { QueuePoller } from "../../lib/local/queue-poller.ts";
import { type Service, startService } from "../../lib/local/service.ts";
import { defaultDataPath } from "../../lib/operator/connection.ts";
import { operatorDeps } from "../../lib/operator/operator-deps.ts";
import { readAllOrganizations } from "../../lib/organizations/find.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { auditRetentionDays } from "../../lib/runtime/environment.ts";
import { OperatorError } from "../../lib/runtime/operator-error.ts";
import { announcement } from "../announcement.ts";
import type { Command, CommandInput } from "../command.ts";
import { eventFile, readEventFile, requireValidEvents } from "../event-file.ts";
import { commandFor } from "../show-once.ts";
import { startProgress, type Terminal } from "../terminal.ts";

const portDefault = 3000;

const dev: Command = {
  name: "",
  summary: "Serve the API on this machine, with demo data, until Ctrl-C",
  connects: false,
  options: {
    engine: {
      value: "NAME",
      help: `${engineNames.join(" or ")} (default: ${engineVariable}, else the first that runs on this machine)`,
    },
    port: { value: "N", help: `where to listen on 127.0.0.1 (default ${portDefault}; 0: any free port)` },
    data: { value: "DIR", help: `where the data is kept (default ${defaultDataPath})` },
    fresh: { help: "delete all data first" },
    "no-demo": { help: "start without demo data and without keys" },
    seed: { value: "FILE.ndjson", help: "platform events, one per line, applied before the service listens" },
  },
  examples: ["dev", "dev --port 8080 --data ./try --fresh --no-demo --seed events.ndjson"],
  run,
};

export const commands: readonly Command[] = [dev];

async function run(input: CommandInput, terminal: Terminal): Promise<void> {
  const port = input.integer("port", { min: 0, max: 65_535 }) ?? portDefault;
  const directory = dataDirectory(input.text("data") ?? defaultDataPath);
  const seed = input.text("seed");
  // Checks the whole file before anything changes: a bad file must not cost anything.
  if (seed !== undefined) await requireValidEvents(eventFile(seed), systemClock.nowMs());
  await prepareDirectory(directory);
  const divert = divertLogs();
  try {
    let keys: DemoKeys = {};
    const signals = watchSignals();
    const service = await startService({
      directory,
      port,
      fresh: input.flag("fresh"),
      engine: input.text("engine"),
      log: logTo(terminal),
      ...(!input.flag("json") && { onAnswer: terminal.say, onStep: terminal.say }),
      seed: async (backend, queuePoller) => {
        if (!input.flag("no-demo"))
          keys = await seedDemo(backend, queuePoller, directory, input.flag("json") ? silent : terminal);
        if (seed !== undefined) await applySeed(input, { backend, queuePoller, file: seed, terminal });
      },
    });
    signals.ready();
    await announce(input, divert.terminal(terminal), service, keys);
    await untilOver(service, signals.asked);
  } finally {
    divert.restore();
  }
}

/**
 * The functions log to standard output, as on Lambda; here standard output is reserved for the command's own answer.
 */
function divertLogs() {
  const original = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return {
    terminal: (terminal: Terminal): Terminal => ({ ...terminal, out: (text) => void original(`${text}\n`) }),
    restore: () => {
      process.stdout.write = original;
    },
  };
}

const logTo =
  ({ say }: Terminal): LocalLog =>
  (level, message, fields) => {
    if (level !== "info") say(`${message} ${JSON.stringify(fields)}`);
  };

type Output = Pick<Terminal, "say" | "watched">;
const silent: Output = { say: () => undefined, watched: false };

/** Sends the demo's events up to now and returns its keys. */
export async function seedDemo(
  backend: LocalBackend,
  queuePoller: QueuePoller,
  directory: DataDirectory,
  terminal: Output,
): Promise<DemoKeys> {
  const { queue, bucket, table } = backend;
  const nowMs = systemClock.nowMs();
  const { opening, history } = demoEvents(await demoSentUntil(directory), nowMs);
  const events = opening.length + history.length;
  if (events > 0) terminal.say(`Loading the demo data: ${plural(events, "event")}.`);
  // Events that are needed first are sent and applied, the others are only sent.
  const progress = startProgress(terminal, "Demo data", opening.length + events);
  await sendAll({ queue: queue.events, bucket }, opening, progress.advance);
  await queuePoller.drain(progress.advance);
  const keys = await demoKeys(operatorDeps(table, auditRetentionDays()), directory);
  // The service applies these while it is already in use; events in the queue are safe.
  await sendAll({ queue: queue.events, bucket }, history, progress.advance);
  progress.end();
  // Recorded last: after an interrupted start the events are sent again, which changes nothing.
  await noteDemoSentUntil(directory, nowMs);
  return keys;
}

async function applySeed(
  input: CommandInput,
  {
    backend,
    queuePoller,
    file,
    terminal,
  }: {
    readonly backend: LocalBackend;
    readonly queuePoller: QueuePoller;
    readonly file: string;
    readonly terminal: Terminal;
  },
): Promise<void> {
  const failedBefore = (await backend.queue.listDeadLetters()).length;
  await sendAll({ queue: backend.queue.events, bucket: backend.bucket }, readEventFile(eventFile(file)));
  await queuePoller.drain();
  const failed = (await backend.queue.listDeadLetters()).length - failedBefore;
  if (failed > 0)
    terminal.say(`Refused ${plural(failed, "event")} of ${file}; see: ${commandFor(input, "events failed")}`);
}

async function announce(
  input: CommandInput,
  terminal: Terminal,
  service: Service,
  keys: DemoKeys,
): Promise<void> {
  const organizations = (await readAllOrganizations(service.backend.table)).map((each) => ({
    id: each.uuid,
    name: each.name,
    provider: each.provider,
    provider_organization_id: each.provider_organization_id,
  }));
  const { url } = service;
  if (input.flag("json")) {
    terminal.out(JSON.stringify({ ready: true, url, keys, organizations }));
    return;
  }
  const nowMs = systemClock.nowMs();
  const shown = { url, keys, organizations, data: input.text("data"), nowMs, paint: terminal.paint };
  terminal.out(announcement(shown));
}

/**
 * During the start, Ctrl-C or TERM ends the process at once: the engine ends with it, and events that were not applied
 * yet stay in the queue. After the start the first signal resolves `asked`, and a later one ends the process at once; a
 * signal immediately after the first is ignored, because npm passes on the Ctrl-C that the terminal already sent to us.
 */
function watchSignals(): { readonly asked: Promise<void>; ready(): void } {
  let endsFromMs = 0;
  const asked = new Promise<void>((resolve) => {
    const ask = (signal: "SIGINT" | "SIGTERM") => {
      const nowMs = systemClock.nowMs();
      if (nowMs >= endsFromMs) process.exit(exitCodes[signal]);
      if (endsFromMs === Number.POSITIVE_INFINITY) endsFromMs = nowMs + sameSignalMs;
      resolve();
    };
    process.on("SIGINT", ask);
    process.on("SIGTERM", ask);
    whenOrphaned(() => ask("SIGTERM"));
  });
  return {
    asked,
    ready: () => {
      endsFromMs = Number.POSITIVE_INFINITY;
    },
  };
}

const sameSignalMs = 500;
const orphanedCheckMs = 250;

/**
 * npm and `review-api.js` are between a signal and this process. The shell of `npm start` ends at a SIGTERM without
 * passing it on, and a killed parent cannot pass on anything: then the end of the parent counts as the signal.
 */
function whenOrphaned(end: () => void): void {
  const isStartedByUs = process.env.npm_lifecycle_event ?? process.env.REVIEW_API_RESTARTED;
  if (isStartedByUs === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, orphanedCheckMs);
  timer.unref();
}

/** The exit codes that a shell expects of a process ended by a signal. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * A stop takes less than two seconds, regardless of running work: unfinished events stay in the queue and are delivered
 * again.
 */
const stopWithinMs = 1_800;

async function untilOver(service: Service, asked: Promise<void>): Promise<void> {
  const outcome = await Promise.race([
    asked.then(() => "asked" as const),
    service.broken.then(() => "broken" as const),
  ]);
  const deadline = setTimeout(() => process.exit(outcome === "asked" ? 0 : 1), stopWithinMs);
  await service.stop();
  clearTimeout(deadline);
  if (outcome === "broken")
    throw new OperatorError("The engine stopped. The data is safe: start the service again.");
}
