import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { OperatorError } from "../../runtime/operator-error.ts";
import { systemRandom } from "../../runtime/random.ts";

/** An error with a sentence for a person; the tool prints it and exits, without a stack trace. */
export class EngineError extends OperatorError {
  override readonly name = "EngineError";
}

/** How to run an engine: the program, its arguments, and how long it may take until it answers. */
export type EngineCommand = {
  readonly program: string;
  readonly options: readonly string[];
  readonly readyWithinMs: number;
};

export type EngineProcess = {
  /** Resolves when the engine has ended, for any reason. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
};

const stopWithinMs = 1_500;

/** Runs the engine and resolves when it answers at the endpoint; otherwise rejects with the engine's output. */
export async function startProcess(command: EngineCommand, endpoint: string): Promise<EngineProcess> {
  const child = spawnTethered(command.program, command.options);
  const complaints: string[] = [];
  child.stderr?.on("data", (chunk: Buffer) => complaints.push(chunk.toString()));
  const ended = new Promise<void>((resolve) => {
    // Not "exit": its last words may still be on their way.
    child.once("close", () => resolve());
    child.once("error", (error) => {
      complaints.push(error.message);
      resolve();
    });
  });
  if (!(await untilReady(endpoint, ended, command.readyWithinMs))) {
    await stop(child, ended);
    throw new EngineError(complaints.join(""));
  }
  return { ended, stop: () => stop(child, ended) };
}

/**
 * Runs the engine until this process ends, for any reason: a shell beside the engine waits on a pipe that the system
 * closes when we end. So a killed service leaves no engine behind that holds the data.
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

/** In its own process group: Ctrl-C reaches only us, and we stop the engine after the last write. */
const spawnTethered = (program: string, options: readonly string[]): ChildProcess =>
  process.platform === "win32"
    ? spawn(program, options, { stdio: ["pipe", "ignore", "pipe"] })
    : spawn("/bin/sh", ["-c", tether, "engine", program, ...options], {
        stdio: ["pipe", "ignore", "pipe"],
        detached: true,
      });

async function untilReady(endpoint: string, ended: Promise<void>, withinMs: number): Promise<boolean> {
  const over = ended.then(() => "over" as const);
  for (const startedMs = performance.now(); performance.now() - startedMs < withinMs; ) {
    const answer = fetch(endpoint, { signal: AbortSignal.timeout(1_000) }).then(
      () => "ready" as const,
      () => new Promise<"not_yet">((resolve) => setTimeout(resolve, 5, "not_yet")),
    );
    const state = await Promise.race([answer, over]);
    if (state !== "not_yet") return state === "ready";
  }
  return false;
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
    // The process has ended in the meantime.
  }
}

const portsBelow = 32_768;
const portsFrom = 10_000;

/**
 * A free port for a program that binds it later. By default the system gives higher ports to connections and servers that ask for
 * any port: one of those could have the port before the program does.
 */
export async function portForLater(): Promise<number> {
  for (let tries = 0; tries < 20; tries++) {
    const port = portsFrom + systemRandom.below(portsBelow - portsFrom);
    if (await freePort(port).catch(() => undefined)) return port;
  }
  return await freePort(0);
}

/** Binds the port for a moment; throws if it cannot. Port 0 means any port. */
export async function freePort(wanted: number): Promise<number> {
  const server = createServer();
  server.listen(wanted, "127.0.0.1");
  await once(server, "listening");
  const port = portOf(server);
  server.close();
  await once(server, "close");
  return port;
}

export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new EngineError("No free port was found.");
  return address.port;
}
