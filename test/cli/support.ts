import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, vi } from "vitest";
import * as z from "zod";
import { main } from "../../cli/main.ts";
import { noPaint } from "../../cli/terminal.ts";
import { organizationData } from "../support/event-data.ts";
import { demoData, demoWords, firstLine, spawnTool, type ToolOptions } from "../support/tool.ts";

export type Outcome = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** The tool as a process of its own. */
export async function runTool(words: readonly string[], surroundings: ToolOptions = {}): Promise<Outcome> {
  const child = spawnTool(words, surroundings);
  const output = collect(child);
  const [code] = await once(child, "close");
  return { code, ...output() };
}

/** The tool in this process: equivalent for everything that does not depend on a separate process, and much faster. */
export const callTool = (...words: readonly string[]): Promise<Outcome> => answerTool([], ...words);

/** The same, with the input that a person types when the tool asks. */
export async function answerTool(typed: readonly string[], ...words: readonly string[]): Promise<Outcome> {
  const answers = [...typed];
  const out: string[] = [];
  const said: string[] = [];
  const code = await main(words, {
    out: (text) => void out.push(text),
    say: (text) => void said.push(text),
    tryOut: () => undefined,
    outOnce: async (text) => void out.push(text),
    write: async (bytes) => void out.push(Buffer.from(bytes).toString()),
    watched: false,
    paint: noPaint,
    paintSaid: noPaint,
    ask: async () => answers.shift() ?? "",
  });
  return { code, stdout: out.join("\n"), stderr: said.join("\n") };
}

export async function callJson(...words: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await callTool(...words, "--json");
  if (code !== 0) throw new Error(`review-api ${words.join(" ")} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

export function collect(child: ChildProcess): () => { stdout: string; stderr: string } {
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  child.stdout?.on("data", (chunk: Buffer) => chunks.stdout.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => chunks.stderr.push(chunk));
  return () => ({
    stdout: Buffer.concat(chunks.stdout).toString(),
    stderr: Buffer.concat(chunks.stderr).toString(),
  });
}

const readyLine = z.object({
  ready: z.literal(true),
  url: z.url(),
  keys: z.record(z.string(), z.string()),
  organizations: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      provider: z.string(),
      provider_organization_id: z.string(),
    }),
  ),
});

export type RunningDev = z.output<typeof readyLine> & {
  readonly processId: number;
  readonly output: () => { stdout: string; stderr: string };
  /** Sends the stop signal; returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null }>;
};

export type DevTools = {
  start(...words: readonly string[]): Promise<RunningDev>;
  folder(): Promise<string>;
  /** A folder whose demo data is already applied. */
  demoFolder(): Promise<string>;
  /** The standard error output of the service while it created the demo data. */
  firstWords(): Promise<string>;
};

/** Services and folders of one test file; all of them end with it. */
export function useDev(): DevTools {
  // Processes start slowly on a machine that is busy with other tests.
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 });
  const children: ChildProcess[] = [];
  const folders: string[] = [];
  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL");
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  });
  return {
    async folder() {
      const folder = await mkdtemp(join(tmpdir(), "review-api-"));
      folders.push(folder);
      return folder;
    },
    async demoFolder() {
      const folder = await this.folder();
      await cp(await demoData(), folder, { recursive: true });
      return folder;
    },
    firstWords: demoWords,
    async start(...words) {
      const child = spawnTool(["dev", "--json", "--port", "0", ...words]);
      children.push(child);
      const output = collect(child);
      const closed = once(child, "close");
      const ready = await firstLine(child).catch(async () => {
        await closed;
        throw new Error(`dev ended early: ${output().stderr}`);
      });
      return {
        ...readyLine.parse(JSON.parse(ready)),
        processId: child.pid ?? 0,
        output,
        async stop(signal = "SIGTERM") {
          child.kill(signal);
          const [code] = await closed;
          return { code };
        },
      };
    },
  };
}

export const get = (url: string, path: string, key: string | undefined) =>
  fetch(`${url}${path}`, { headers: { "x-service-api-key": key ?? "" } });

export const event = (id: number, type: string, data: object, occurredAt = "2026-02-01T00:00:00.000Z") => ({
  id: `00000000-0000-4000-8000-${String(id).padStart(12, "0")}`,
  type,
  occurred_at: occurredAt,
  data,
});

export const soloOrganization = (providerId: string, name: string) => ({
  provider: "github",
  instance_id: null,
  provider_organization_id: providerId,
  name,
  ...organizationData,
  seats_purchased: 5,
  seat_assignment_mode: "automatic",
});

export const ndjson = (events: readonly object[]): string =>
  `${events.map((each) => JSON.stringify(each)).join("\n")}\n`;
