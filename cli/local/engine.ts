import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { localIdentity } from "../../lib/runtime/aws-identity.ts";
import { createStoreClient, type StoreClient } from "../../lib/store/client.ts";
import { OperatorFault } from "../fault.ts";

/** The embedded DynamoDB-compatible engine: one static binary, one SQLite file, no network. */
export type Engine = {
  readonly endpoint: string;
  /** Resolves when the engine has ended, whoever ended it. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
};

/** A fault with a sentence for a person; the tool prints it and ends, without a stack trace. */
export class EngineFault extends OperatorFault {
  override readonly name = "EngineFault";
}

const readyWithinMs = 10_000;
const stopWithinMs = 1_500;

export async function startEngine({
  databaseFile,
}: {
  readonly databaseFile?: string;
} = {}): Promise<Engine> {
  const binary = engineBinary();
  const port = await freePort();
  const storage = databaseFile ? ["--db-path", databaseFile] : [];
  const child = spawnTethered(binary, ["--host", "127.0.0.1", "--port", String(port), ...storage]);
  const complaints: string[] = [];
  child.stderr?.on("data", (chunk: Buffer) => complaints.push(chunk.toString()));
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", (error) => {
      complaints.push(error.message);
      resolve();
    });
  });
  const endpoint = `http://127.0.0.1:${port}`;
  if (!(await untilReady(endpoint, ended))) {
    await stop(child, ended);
    throw new EngineFault(describeComplaint(complaints.join(""), databaseFile));
  }
  return { endpoint, ended, stop: () => stop(child, ended) };
}

export function engineBinary(): string {
  const packageName = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
    return join(dirname(manifest), process.platform === "win32" ? "dynoxide.exe" : "dynoxide");
  } catch {
    throw new EngineFault(
      `The embedded engine for this platform is not installed. Add it with: npm install --no-save ${packageName}`,
    );
  }
}

/** A machine that runs everything at once may be slow; nobody waits behind a gateway for this client. */
export const engineClient = (endpoint: string): StoreClient =>
  createStoreClient({ endpoint, identity: localIdentity, answerMsMax: readyWithinMs });

/**
 * Runs the engine until this process ends, however it ends: the shell beside it waits on a pipe that the
 * system closes when we are gone. So a killed service leaves no engine behind that holds the data.
 */
const tether = `exec 3<&0
"$@" </dev/null 3<&- &
engine=$!
( read -r _ <&3; kill -TERM "$engine"; sleep 1; kill -KILL "$engine" ) >/dev/null 2>&1 &
watcher=$!
wait "$engine"
status=$?
kill "$watcher" 2>/dev/null
exit "$status"`;

/** In a group of its own: Ctrl-C is for us, and we stop the engine when the last write is done. */
const spawnTethered = (binary: string, options: readonly string[]): ChildProcess =>
  process.platform === "win32"
    ? spawn(binary, options, { stdio: ["pipe", "ignore", "pipe"] })
    : spawn("/bin/sh", ["-c", tether, "engine", binary, ...options], {
        stdio: ["pipe", "ignore", "pipe"],
        detached: true,
      });

async function untilReady(endpoint: string, ended: Promise<void>): Promise<boolean> {
  const over = ended.then(() => "over" as const);
  for (let attempt = 0; attempt < readyWithinMs / 5; attempt++) {
    const answer = fetch(endpoint, { signal: AbortSignal.timeout(1_000) }).then(
      () => "ready" as const,
      () => new Promise<"not_yet">((resolve) => setTimeout(resolve, 5, "not_yet")),
    );
    const state = await Promise.race([answer, over]);
    if (state !== "not_yet") return state === "ready";
  }
  return false;
}

function describeComplaint(complaint: string, databaseFile: string | undefined): string {
  if (databaseFile && /not a valid SQLite database|malformed|not a database/i.test(complaint))
    return `${databaseFile} is not a database this service can read; move it away, or start empty with --fresh.`;
  const reason = complaint
    .trim()
    .replace(/^error:\s*/i, "")
    .replaceAll(/\s+/g, " ");
  return `The embedded engine did not start: ${reason || "it gave no reason"}.`.replace(/\.\.$/, ".");
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (process.platform === "win32") child.kill();
  child.stdin?.end();
  const killer = setTimeout(() => killGroup(child), stopWithinMs);
  await ended;
  clearTimeout(killer);
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined)
      process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGKILL");
  } catch {
    // Gone meanwhile.
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new EngineFault("No free port was found.");
  return address.port;
}
