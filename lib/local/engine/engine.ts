import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { createLocalStoreClient, type StoreClient } from "../../store/client.ts";
import { EngineError, type EngineProcess, portForLater, startProcess } from "./child.ts";
import type { EngineProxy } from "./durable-proxy.ts";
import { dynamoDbLocal, javaMajorMin } from "./dynamodb-local.ts";
import { dynoxide } from "./dynoxide.ts";
import type { CommandOptions, EngineKind } from "./kind.ts";

export type Engine = {
  readonly kind: EngineKind;
  readonly endpoint: string;
  /** Resolves when the engine has ended, for any reason. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
};

/** In order of preference. */
export const engineKinds = [dynoxide, dynamoDbLocal] as const;
export const engineNames = engineKinds.map(({ name }) => name);
/** Names the engine to use instead of the first one that runs here. */
export const engineVariable = "REVIEW_API_ENGINE";

/** The given engine, otherwise the one from the environment, otherwise the first one that runs here. */
export function chooseEngine(name = process.env[engineVariable] || undefined): EngineKind {
  if (name !== undefined) {
    const kind = engineNamed(name);
    const reason = kind.missing();
    if (reason === undefined) return kind;
    throw new EngineError(`The engine ${name} does not run on this machine: ${reason}.`);
  }
  const kind = engineKinds.find((each) => each.missing() === undefined);
  if (kind) return kind;
  const reasons = engineKinds.map((each) => `${each.name}: ${each.missing()}`).join("; ");
  throw new EngineError(
    `No engine runs on this machine (${reasons}). Install Java ${javaMajorMin} or newer for dynamodb-local, or use a platform that has a dynoxide package.`,
  );
}

export function engineNamed(name: string): EngineKind {
  const kind = engineKinds.find((each) => each.name === name);
  if (!kind) throw new EngineError(`There is no engine "${name}"; choose ${engineNames.join(" or ")}.`);
  return kind;
}

export async function startEngine({
  kind = chooseEngine(),
  dataPath,
  ...options
}: CommandOptions & {
  readonly kind?: EngineKind;
  /** Without a path everything is in memory. */
  readonly dataPath?: string;
} = {}): Promise<Engine> {
  if (dataPath !== undefined)
    await mkdir(kind.dataIsFolder ? dataPath : dirname(dataPath), { recursive: true, mode: 0o700 });
  const port = await portForLater();
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    const running = await startProcess(kind.command(port, dataPath, options), endpoint);
    if (dataPath === undefined || !kind.startProxy) return { kind, endpoint, ...running };
    return { kind, ...(await behindProxy(running, kind.startProxy(port, dataPath))) };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new EngineError(describeComplaint(kind, error.message, dataPath));
  }
}

async function behindProxy(
  running: EngineProcess,
  starting: Promise<EngineProxy>,
): Promise<Omit<Engine, "kind">> {
  try {
    const { endpoint, close } = await starting;
    const stop = async () => {
      await close();
      await running.stop();
    };
    return { endpoint, ended: running.ended, stop };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

function describeComplaint(kind: EngineKind, complaint: string, dataPath: string | undefined): string {
  if (dataPath && /not a valid SQLite database|malformed|not a database/i.test(complaint))
    return `${dataPath} is not a database this service can read; move it away, or start empty with --fresh.`;
  const reason = complaint
    .trim()
    .replace(/^error:\s*/i, "")
    .replaceAll(/\s+/g, " ");
  return `The engine ${kind.name} did not start: ${reason || "it gave no reason"}.`.replace(/\.\.$/, ".");
}

export const engineClient = (endpoint: string): StoreClient => createLocalStoreClient(endpoint);
