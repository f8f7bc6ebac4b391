import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { keyKinds } from "../../lib/contract/access.ts";

const entry = fileURLToPath(new URL("../../cli/review-api.js", import.meta.url));

export const startTool = (...words: readonly string[]): ChildProcess =>
  spawn(process.execPath, [entry, ...words], { stdio: ["ignore", "pipe", "ignore"] });

const service = z.object({ url: z.url(), keys: z.record(z.enum(keyKinds), z.string()) });
export type Service = z.output<typeof service>;

/** `dev --json` prints one line when it is ready. The demo's older weeks are applied after that, so this waits for them. */
export async function readyService(tool: ChildProcess): Promise<Service> {
  if (!tool.stdout) throw new Error("The tool has no standard output.");
  for await (const line of createInterface(tool.stdout)) {
    const ready = service.parse(JSON.parse(line));
    await untilTold(ready);
    return ready;
  }
  throw new Error("The service ended before it was ready.");
}

const demoDays = 80;
const pollMs = 500;

/** The oldest week of the demo has pull requests, and the count of all no longer grows. */
async function untilTold({ url, keys }: Service): Promise<void> {
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
  const query = `start_date=${day(demoDays)}&end_date=${day(0)}`;
  for (let before = -1; ; ) {
    const answer = await fetch(`${url}/v1/metrics/reviews?${query}`, {
      headers: { "x-service-api-key": keys.workspace },
    });
    const { data } = z.object({ data: z.array(z.unknown()) }).parse(await answer.json());
    if (data.length === before) return;
    before = data.length;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
