import { type ErrorCode, errorCodes } from "../contract/errors.ts";
import { mcpRoute } from "../contract/mcp.ts";
import { operations } from "../contract/operations.ts";
import { binaryMediaTypes, fallbackSource } from "../contract/platform.ts";
import { referenceRoutes } from "../contract/reference.ts";
import { baseHeaders } from "../http/headers.ts";
import { systemClock } from "../runtime/clock.ts";
import { OperatorError, systemCode } from "../runtime/operator-error.ts";
import { systemRandom } from "../runtime/random.ts";
import { type LocalBackend, openBackend } from "./backend.ts";
import { type DataDirectory, emptyDirectory, enginePath, refuseDataOfOthers } from "./data-directory.ts";
import { freePort } from "./engine/child.ts";
import { chooseEngine, type Engine, startEngine as startOwnEngine } from "./engine/engine.ts";
import { announceAddress, loadFunction, prepareFunctions } from "./functions.ts";
import { type Gateway, type GatewayFault, type PlainAnswer, startGateway } from "./gateway.ts";
import { createQueuePoller, type LocalLog, scheduledTasks } from "./ingest.ts";
import { takeOver } from "./ownership.ts";
import type { QueuePoller } from "./queue-poller.ts";
import { runTasks } from "./schedule.ts";

export type ServiceOptions = {
  readonly directory: DataDirectory;
  readonly port: number;
  readonly fresh: boolean;
  /** The name of the engine, if a person chose one. */
  readonly engine?: string | undefined;
  /** By default the service starts its own engine. */
  readonly startEngine?: typeof startOwnEngine;
  readonly log: LocalLog;
  readonly onAnswer?: (line: string) => void;
  /** Receives the steps of the start. */
  readonly onStep?: (sentence: string) => void;
  /** Runs on the prepared data before the first request is accepted. */
  readonly seed: (backend: LocalBackend, queuePoller: QueuePoller) => Promise<void>;
};

const engineEndShowsMs = 1_000;

export type Service = {
  readonly url: string;
  readonly backend: LocalBackend;
  /** Resolves when the engine has ended unexpectedly, which also ends the service. */
  readonly broken: Promise<void>;
  stop(): Promise<void>;
};

/** Starts engine, tables, queue, clock and gateway, in this order; stops them in the reverse order. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { directory, port, startEngine = startOwnEngine } = options;
  const ownership = await takeOver(directory, systemClock, options.onStep);
  const undo: Array<() => Promise<void>> = [() => ownership.release()];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    // Before anything is deleted or started: a taken port or a missing engine must not cost anything.
    await freePort(port).catch((error: unknown) => {
      throw portError(error, port);
    });
    const kind = chooseEngine(options.engine);
    if (options.fresh) await emptyDirectory(directory);
    refuseDataOfOthers(directory, kind);
    options.onStep?.(`Starting the engine ${kind.name} on the data in ${directory.path}.`);
    const engine = await startEngine({ kind, dataPath: enginePath(directory, kind) });
    undo.push(() => engine.stop());
    await ownership.announce({ role: "service", engine: kind.name, endpoint: engine.endpoint, url: null });
    options.onStep?.("Opening the table.");
    const backend = await openBackend(engine, directory);
    undo.push(async () => backend.close());
    const report = reporterOf(engine, options.log);
    const queuePoller = createQueuePoller(backend, options.log, (error) =>
      report("The queue cannot be worked off right now.", error),
    );
    await options.seed(backend, queuePoller);
    const gateway = await openGateway(options, engine, report);
    announceAddress(gateway.url);
    undo.push(() => gateway.close());
    undo.push(startBackgroundWork(backend, queuePoller, options.log, report));
    await ownership.announce({
      role: "service",
      engine: kind.name,
      endpoint: engine.endpoint,
      url: gateway.url,
    });
    undo.push(() => ownership.withdraw());
    return { url: gateway.url, backend, broken: engine.ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openGateway(
  { port, onAnswer }: ServiceOptions,
  engine: Engine,
  report: Report,
): Promise<Gateway> {
  prepareFunctions(engine.endpoint);
  try {
    return await startGateway(
      {
        operations: [...operations, mcpRoute, ...referenceRoutes],
        fallbackSource,
        load: loadFunction,
        stage: "local",
        binaryMediaTypes,
        respondToFault: gatewayAnswer,
        onFault: (route, error) => report(`${route} failed.`, error),
        ...(onAnswer && { onAnswer }),
        clock: systemClock,
        random: systemRandom,
      },
      port,
    );
  } catch (error) {
    throw portError(error, port);
  }
}

/** As those of the deployed gateway: with our headers and both error shapes, because it cannot tell paths apart. */
function gatewayAnswer(fault: GatewayFault): PlainAnswer {
  const answers: Readonly<Record<GatewayFault, readonly [number, ErrorCode]>> = {
    request_too_large: [413, "PAYLOAD_TOO_LARGE"],
    integration_failed: [502, "INTERNAL_ERROR"],
    integration_timeout: [504, "SERVICE_UNAVAILABLE"],
  };
  const [status, code] = answers[fault];
  const problem = { code, message: errorCodes[code].meaning };
  return {
    status,
    headers: { ...baseHeaders(systemRandom.uuid()), "content-type": "application/json" },
    body: JSON.stringify({ error: problem, errors: [problem] }),
  };
}

/** Runs the queue and the clock until the returned function is called. */
function startBackgroundWork(
  backend: LocalBackend,
  queuePoller: QueuePoller,
  log: LocalLog,
  report: Report,
): () => Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  const onFault = (task: string, error: unknown) => report(`${task} failed.`, error);
  const tasks = runTasks(scheduledTasks(backend, log), { clock: systemClock, signal, onFault });
  const work = [queuePoller.run(signal), tasks];
  return async () => {
    ending.abort();
    await Promise.all(work);
  };
}

type Report = (message: string, error: unknown) => void;

/** If the engine has ended, everything fails at once; the end of the engine is reported once, elsewhere. */
function reporterOf(engine: Engine, log: LocalLog): Report {
  const outlives = () =>
    Promise.race([engine.ended.then(() => false), systemClock.sleep(engineEndShowsMs).then(() => true)]);
  return (message, error) =>
    void outlives().then((alive) => {
      if (alive)
        log("error", message, {
          error: error instanceof Error ? (error.stack ?? error.message) : String(error),
        });
    });
}

function portError(error: unknown, port: number): unknown {
  const code = systemCode(error);
  if (code === "EADDRINUSE")
    return new OperatorError(`Port ${port} is taken by another program; choose another with --port N.`);
  if (code === "EACCES")
    return new OperatorError(`Port ${port} needs special rights; choose one above 1023 with --port N.`);
  return error;
}
