import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chooseEngine } from "../../lib/local/engine/engine.ts";
import { connectLocally } from "../../lib/operator/local.ts";
import { madeOnce, type Recipe } from "./made-once.ts";

export const entry = fileURLToPath(new URL("../../cli/review-api.js", import.meta.url));

export type ToolOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
  readonly cwd?: string;
  /** A file descriptor that gets standard output. */
  readonly stdout?: "pipe" | number;
  /** If nobody reads a pipe, the tool stops when the pipe is full. */
  readonly stderr?: "pipe" | "ignore";
};

/** The operator's tool as a process of its own. */
export const spawnTool = (
  words: readonly string[],
  { env = {}, uid, cwd, stdout = "pipe", stderr = "pipe" }: ToolOptions = {},
): ChildProcess =>
  spawn(process.execPath, [entry, ...words], {
    stdio: ["ignore", stdout, stderr],
    env: { ...process.env, ...env },
    ...(uid !== undefined && { uid }),
    ...(cwd !== undefined && { cwd }),
  });

/** `dev` prints nothing on standard output before it is ready; `dev --json` prints one line. */
export const firstLine = ({ stdout }: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = "";
    stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const [line = "", ...more] = text.split("\n");
      if (more.length > 0) resolve(line);
    });
    stdout?.on("end", () => reject(new Error("The tool ended before it was ready.")));
  });

export async function endTool(tool: ChildProcess): Promise<void> {
  const closed = once(tool, "close");
  tool.kill();
  await closed;
}

const demoRecipe = (): Recipe => ({
  name: `demo-${chooseEngine().name}`,
  ingredients: ["cli", "lib", "test/support/tool.ts", "package-lock.json"],
  async make(folder) {
    const data = join(folder, "data");
    const service = spawnTool(["dev", "--port", "0", "--data", data]);
    const said: Buffer[] = [];
    service.stderr?.on("data", (chunk: Buffer) => said.push(chunk));
    try {
      await firstLine(service);
      await untilAllIsApplied(data);
    } finally {
      await endTool(service);
    }
    await writeFile(join(folder, "said.txt"), Buffer.concat(said));
  },
});

async function untilAllIsApplied(data: string): Promise<void> {
  const connection = await connectLocally(data, { create: false });
  try {
    await connection.settle?.();
    const failed = await Array.fromAsync(connection.failedEvents());
    if (failed.length > 0) throw new Error("The demo's history did not come in.");
  } finally {
    await connection.close();
  }
}

/**
 * A folder whose demo data is already applied, because a start without data takes many seconds. Copy it, never change
 * it.
 */
export const demoData = async (): Promise<string> => join(await madeOnce(demoRecipe()), "data");

/** The standard error output of the service while it created the demo data. */
export const demoWords = async (): Promise<string> =>
  readFile(join(await madeOnce(demoRecipe()), "said.txt"), "utf8");
