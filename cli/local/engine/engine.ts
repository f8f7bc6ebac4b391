import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { localIdentity } from "../../../lib/runtime/aws-identity.ts";
import { createStoreClient, type StoreClient } from "../../../lib/store/client.ts";
import { type EngineCommand, EngineFault, freePort, startProcess } from "./child.ts";
import { dynamoDbLocal } from "./dynamodb-local.ts";
import { dynoxide } from "./dynoxide.ts";

/** A program that speaks DynamoDB's protocol on this machine. */
export type EngineKind = {
  readonly name: string;
  /** True where vector indexes exist; elsewhere vectors are searched one by one. */
  readonly vectorIndex: boolean;
  /** True where consumed capacity is counted as DynamoDB counts it. */
  readonly countsCapacity: boolean;
  /** False where starting takes seconds. */
  readonly startsAtOnce: boolean;
  /** Where it keeps the data, inside the data directory. */
  readonly databaseFile: string;
  /** Why it cannot run here; undefined when it can. */
  missing(): string | undefined;
  /** Without a file it keeps everything in memory. */
  command(port: number, databaseFile: string | undefined): EngineCommand;
};

export type Engine = {
  readonly kind: EngineKind;
  readonly endpoint: string;
  /** Resolves when the engine has ended, whoever ended it. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
};

/** In the order of preference. */
export const engineKinds = [dynoxide, dynamoDbLocal] as const;
export const engineNames = engineKinds.map(({ name }) => name);
/** Names the engine to use, instead of the first that runs here. */
export const engineVariable = "REVIEW_API_ENGINE";

/** The engine named, else the one of the environment, else the first that runs here. */
export function chooseEngine(name = process.env[engineVariable]): EngineKind {
  const missing = new Map<string, string>();
  for (const kind of engineKinds) {
    if (name && kind.name !== name) continue;
    const reason = kind.missing();
    if (reason === undefined) return kind;
    missing.set(kind.name, reason);
  }
  const reasons = [...missing].map(([each, reason]) => `${each}: ${reason}`).join("; ");
  if (missing.size === 0)
    throw new EngineFault(`There is no engine "${name}"; choose ${engineNames.join(" or ")}.`);
  if (name) throw new EngineFault(`The engine ${reasons}.`);
  throw new EngineFault(
    `No engine runs on this machine (${reasons}). Install Java 17 or newer, or use a platform that dynoxide is published for.`,
  );
}

/** The engine that a running service says it uses. */
export function engineNamed(name: string): EngineKind {
  const kind = engineKinds.find((each) => each.name === name);
  if (!kind) throw new EngineFault(`There is no engine "${name}"; choose ${engineNames.join(" or ")}.`);
  return kind;
}

export async function startEngine({
  kind = chooseEngine(),
  databaseFile,
}: {
  readonly kind?: EngineKind;
  /** Without one everything is in memory. */
  readonly databaseFile?: string;
} = {}): Promise<Engine> {
  if (databaseFile !== undefined) await mkdir(dirname(databaseFile), { recursive: true, mode: 0o700 });
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    const running = await startProcess(kind.command(port, databaseFile), endpoint);
    return { kind, endpoint, ...running };
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error;
    throw new EngineFault(describeComplaint(kind, error.message, databaseFile));
  }
}

function describeComplaint(kind: EngineKind, complaint: string, databaseFile: string | undefined): string {
  if (databaseFile && /not a valid SQLite database|malformed|not a database/i.test(complaint))
    return `${databaseFile} is not a database this service can read; move it away, or start empty with --fresh.`;
  const reason = complaint
    .trim()
    .replace(/^error:\s*/i, "")
    .replaceAll(/\s+/g, " ");
  return `The engine ${kind.name} did not start: ${reason || "it gave no reason"}.`.replace(/\.\.$/, ".");
}

/** A machine that runs everything at once may be slow; nobody waits behind a gateway for this client. */
export const engineClient = (endpoint: string): StoreClient =>
  createStoreClient({ endpoint, identity: localIdentity, answerMsMax: 10_000 });
