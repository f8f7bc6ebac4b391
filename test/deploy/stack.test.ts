import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import * as z from "zod";
import { apiUrlOf, outputsOf } from "../../lib/operator/stack.ts";
import { copyProject, type ProjectCopy } from "../system/docs/project-copy.ts";
import { type Emulator, emulatorVariables, region, startEmulator } from "./emulator.ts";

let emulator: Emulator;
let project: ProjectCopy;
let home: string;
beforeAll(async () => {
  emulator = await startEmulator();
  project = await copyProject();
  home = await mkdtemp(join(tmpdir(), "home-"));
  for (const [name, value] of Object.entries(emulatorVariables(emulator.url))) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await emulator?.stop();
  project?.remove();
  if (home) await rm(home, { recursive: true, force: true });
});

const tool = "npx --no-install review-api";

test("an empty account takes bootstrap, preflight and the deployment, as docs/operate/aws.md gives them", async () => {
  await succeed("npx cdk bootstrap");
  await succeed(`${tool} preflight`);
  await succeed("npm run deploy -- --require-approval never");
});

test("the first list after the deployment is answered with 200, through the gateway", async () => {
  // The queue's function applies the events, and from then on the organization is there.
  await succeed(`${tool} events send docs/use/examples/events.ndjson --stack ReviewApi`);
  const key = await vi.waitFor(() => createKey("--stack ReviewApi"), patience);
  const url = apiUrlOf(await outputsOf("ReviewApi", region));
  const answer = await fetch(`${url}/v1/metrics/reviews?start_date=2026-11-01&end_date=2026-11-30`, {
    headers: { "x-service-api-key": key },
  });
  expect(answer.status, await answer.text()).toBe(200);
});

test("a permanent stack is not destroyed", async () => {
  const { code, err } = await run("npm run destroy");
  expect(code).toBe(1);
  expect(err).toContain("ReviewApi is not ephemeral");
  await expect(outputsOf("ReviewApi", region)).resolves.toBeTypeOf("function");
});

async function createKey(connection: string): Promise<string> {
  const words = "--kind organization --org 4242 --owner 8001 --role cr_admin --name walk --json";
  const printed = await succeed(`${tool} keys create ${words} ${connection}`);
  return z.object({ key: z.string() }).parse(JSON.parse(printed)).key;
}

const patience = { timeout: 300_000, interval: 2_000 };

const started = promisify(execFile);

/** A command as an operator types it, in a copy of the project; never throws. */
async function run(
  line: string,
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    TMPDIR: tmpdir(),
    ...emulatorVariables(emulator.url),
  };
  const options = { cwd: project.folder, env, maxBuffer: 256_000_000 };
  return await started("bash", ["-c", line], options).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
  );
}

async function succeed(line: string): Promise<string> {
  const { code, out, err } = await run(line);
  if (code !== 0) throw new Error(`${line} ended with ${code}:\n${out.slice(-3000)}\n${err.slice(-3000)}`);
  return out;
}
