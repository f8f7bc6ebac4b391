import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { demoStory } from "../../cli/demo/story.ts";
import { createClient } from "../../lib/client/client.ts";
import { keyKinds } from "../../lib/contract/access.ts";
import { lastDays } from "../../lib/report/period.ts";

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

const finalized = z.object({
  pr_url: z.string(),
  provider_organization_id: z.string(),
  reviewed: z.literal(true),
});
/** Of the demo's organizations, those that each of two keys covers. */
const covered = { workspace: ["1001", "1002"], instance: ["7001", "7002"] } as const;
const demoDays = 100;
const pollMs = 3_000;

/** Every reviewed pull request of the demo's older weeks can be read. */
async function untilTold({ url, keys }: Service): Promise<void> {
  const nowMs = Date.now();
  const told = demoStory(undefined, nowMs).history.flatMap(
    ({ data }) => finalized.safeParse(data).data ?? [],
  );
  const { start_date, end_date } = lastDays(demoDays, nowMs);
  for (const kind of ["workspace", "instance"] as const) {
    const organizations: readonly string[] = covered[kind];
    const wanted = told.filter((each) => organizations.includes(each.provider_organization_id));
    if (wanted.length === 0) throw new Error(`The demo has no pull requests for its ${kind} key.`);
    const client = createClient({ baseUrl: url, key: keys[kind] });
    for (;;) {
      const { body } = await client.listReviewMetrics({ query: { start_date, end_date, status: "all" } });
      const read = new Set(body.data.map(({ pr_url }) => pr_url));
      if (wanted.every(({ pr_url }) => read.has(pr_url))) break;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }
}
