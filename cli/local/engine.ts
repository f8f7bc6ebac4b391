import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";

/** The embedded DynamoDB-compatible engine: one static binary, one SQLite file, no network. */
export type Engine = {
  readonly endpoint: string;
  readonly processId: number;
  stop(): Promise<void>;
};

/** A fault with a sentence for a person; the tool prints it and ends, without a stack trace. */
export class EngineFault extends Error {
  override readonly name = "EngineFault";
}

const readyWithinMs = 10_000;

export async function startEngine({
  databaseFile,
}: {
  readonly databaseFile?: string;
} = {}): Promise<Engine> {
  const binary = engineBinary();
  const port = await freePort();
  const storage = databaseFile ? ["--db-path", databaseFile] : [];
  const child = spawn(binary, ["--host", "127.0.0.1", "--port", String(port), ...storage], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const complaints: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk.toString()));
  const endpoint = `http://127.0.0.1:${port}`;
  await untilReady(child, endpoint, complaints);
  const { pid } = child;
  if (pid === undefined) throw new EngineFault("The embedded engine did not start.");
  return { endpoint, processId: pid, stop: () => stop(child) };
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

/** Any credentials will do for the engine, yet the SDK refuses to send without some. */
export const engineClient = (endpoint: string): DynamoDBClient =>
  new DynamoDBClient({
    endpoint,
    region: "local",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 1,
  });

async function untilReady(
  child: ChildProcess,
  endpoint: string,
  complaints: readonly string[],
): Promise<void> {
  let ended = false;
  child.once("exit", () => {
    ended = true;
  });
  child.once("error", () => {
    ended = true;
  });
  const attempts = readyWithinMs / 5;
  for (let attempt = 0; attempt < attempts && !ended; attempt++) {
    const answered = await fetch(endpoint, { signal: AbortSignal.timeout(1_000) }).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  child.kill("SIGKILL");
  throw new EngineFault(
    `The embedded engine did not start: ${complaints.join("").trim() || "no reason given"}`,
  );
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const killer = setTimeout(() => child.kill("SIGKILL"), 2_000);
  await exited;
  clearTimeout(killer);
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
