import { execFile, execFileSync, spawn } from "node:child_process";
import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { keyKinds } from "../../../lib/contract/access.ts";
import { baseHeaders } from "../../../lib/http/headers.ts";
import {
  callJson,
  callTool,
  collect,
  event,
  get,
  ndjson,
  type RunningDev,
  soloOrganization,
  useDev,
} from "../../cli/support.ts";
import { engineKind } from "../../support/engine.ts";
import { entry } from "../../support/tool.ts";
import { isLong } from "../../support/volume.ts";

const dev = useDev();
const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Process ids of the engines that work on this folder. */
const enginesOf = (folder: string): number[] => {
  const processes = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" }).split("\n");
  return processes
    .filter((line) => line.includes(` ${join(folder, engineKind.dataPath)}`) && !line.includes("/bin/sh"))
    .map((line) => Number.parseInt(line, 10));
};

/** Each start is a process and an engine, and takes seconds: each test continues with the folder of the test before. */
describe("the service on one folder, start after start", () => {
  let home = "";
  let folder = "";
  let first: RunningDev;
  beforeAll(async () => {
    home = await dev.folder();
    folder = join(home, "data of mine");
    await rename(await dev.demoFolder(), folder);
  });

  test("a ready service prints one line and answers every kind of key; a killed one leaves no engine behind", async () => {
    first = await dev.start("--data", folder);
    expect(Object.keys(first.keys).toSorted()).toEqual([...keyKinds].toSorted());
    expect(first.organizations.map((each) => each.provider_organization_id)).toEqual([
      "1001",
      "1002",
      "1003",
      "3001",
      "7001",
      "7002",
    ]);
    for (const kind of keyKinds) {
      const answer = await get(first.url, "/v1/whoami", first.keys[kind]);
      expect([answer.status, await answer.json()]).toMatchObject([200, { key: { kind } }]);
    }
    const tooLarge = await fetch(`${first.url}/v1/learnings`, {
      method: "POST",
      body: "x".repeat(11_000_000),
    });
    expect([tooLarge.status, Object.fromEntries(tooLarge.headers)]).toMatchObject([
      413,
      { ...baseHeaders(""), "x-request-id": expect.stringMatching(/./) },
    ]);
    const organizations = await get(first.url, "/v1/organizations", first.keys.workspace);
    expect(await organizations.json()).toMatchObject({ organizations: { length: 3 } });
    expect((await get(first.url, "/v1/nothing", first.keys.user)).status).toBe(404);
    expect((await get(first.url, "/v1/whoami", "wrong")).status).toBe(401);
    expect((await stat(join(folder, "demo-keys.json"))).mode & 0o777).toBe(0o600);

    await callJson("org", "set", "1001", "--approval-delay-days", "7", "--data", folder);
    await first.stop("SIGKILL");
    await expect.poll(() => enginesOf(folder)).toEqual([]);
    expect(first.output().stdout.trim().split("\n")).toHaveLength(1);
  });

  test("after a kill, npm starts a service with all data and lines to paste; SIGTERM ends it and its engine", async () => {
    const npm = spawn("npm", ["start", "--", "--data", folder, "--port", "0"], {
      stdio: ["ignore", "pipe", "pipe"],
      cwd: root,
    });
    const output = collect(npm);
    try {
      await vi.waitUntil(
        () => /^npx --no-install review-api .*\n/m.test(output().stdout) || npm.exitCode !== null,
        {
          timeout: 80_000,
        },
      );
      const { stdout } = output();
      for (const kind of keyKinds)
        expect(stdout).toContain(`# ${kind}\ncurl -H 'x-service-api-key: ${first.keys[kind]}'`);
      expect(await callJson("org", "show", "1001", "--data", folder)).toMatchObject({
        approval_delay_days: 7,
      });
      await expectPastable(stdout, home);

      const { process_id, url } = ownerOf(await readFile(join(folder, "service.json"), "utf8"));
      expect(await callTool("dev", "--data", folder, "--port", "0", "--fresh")).toEqual({
        code: 1,
        stdout: "",
        stderr:
          `The data directory ${folder} is in use by process ${process_id}, which serves ${url}; ` +
          "stop that first, or choose another with --data DIR.",
      });
      expect(enginesOf(folder)).toHaveLength(1);
      npm.kill("SIGTERM");
      await expect.poll(() => isRunning(process_id)).toBe(false);
      await expect.poll(() => enginesOf(folder)).toEqual([]);
    } finally {
      npm.kill();
    }
  });

  test("--fresh deletes all data; --seed, also with --no-demo, is applied before listening; it stops cleanly", async () => {
    const seed = join(folder, "seed.ndjson");
    const events = [event(1, "organization.saved", soloOrganization("42", "seeded"))];
    await writeFile(seed, `\ufeff${ndjson(events).replaceAll("\n", "\r\n\r\n")}`);
    const seeded = await dev.start("--data", folder, "--no-demo", "--fresh", "--seed", seed);
    expect(seeded).toMatchObject({
      keys: {},
      organizations: [{ name: "seeded", provider_organization_id: "42" }],
    });
    expect(await readFile(seed, "utf8")).toContain("seeded");
    // A terminal's Ctrl-C arrives twice if npm is in between, the second time passed on by npm.
    process.kill(seeded.processId, "SIGINT");
    expect((await seeded.stop("SIGTERM")).code).toBe(0);
    await expect.poll(() => enginesOf(folder)).toEqual([]);
    expect(seeded.output().stdout.trim().split("\n")).toHaveLength(1);
  });

  test("the service has its data after a clean stop; it reports and ends when its engine is gone", async () => {
    const running = await dev.start("--data", folder, "--no-demo");
    expect(running).toMatchObject({ keys: {}, organizations: [{ name: "seeded" }] });
    const [engine] = enginesOf(folder);
    if (!engine) throw new Error("There is no engine.");
    process.kill(engine, "SIGKILL");
    const { code } = await running.stop("SIGCONT");
    // A worker that was interrupted has logged that before.
    const [last] = running.output().stderr.trim().split("\n").slice(-1);
    expect([code, last]).toEqual([1, "The engine stopped. The data is safe: start the service again."]);
  });
});

test("the start prints the engine and the current step, and nothing else", async () => {
  const [starting, ...others] = (await dev.firstWords()).trim().split("\n");
  expect(starting).toMatch(new RegExp(`^Starting the engine ${engineKind.name} on the data in /`));
  expect(others).toEqual([
    "Opening the table.",
    expect.stringMatching(/^Loading the demo data: \d+ events\.$/),
  ]);
});

/** For the service this equals a SIGTERM to npm, whose shell does not pass it on: the parent process is gone. */
test.runIf(isLong)(
  "the service ends with its engine when the shell that npm started it in is killed",
  async () => {
    const folder = await dev.folder();
    const words = [entry, "dev", "--data", folder, "--port", "0", "--no-demo", "--json"];
    // As npm starts a script: a shell in between, and a variable that npm sets.
    const shell = spawn("sh", ["-c", '"$0" "$@"; exit "$?"', process.execPath, ...words], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, npm_lifecycle_event: "start" },
    });
    const output = collect(shell);
    await vi.waitUntil(() => output().stdout.includes('{"ready":true'), { timeout: 80_000 });
    const { process_id } = ownerOf(await readFile(join(folder, "service.json"), "utf8"));
    expect([process_id === shell.pid, enginesOf(folder).length]).toEqual([false, 1]);
    shell.kill("SIGKILL");
    await expect.poll(() => isRunning(process_id)).toBe(false);
    await expect.poll(() => enginesOf(folder)).toEqual([]);
  },
);

/** The printed lines, in a shell of the checkout, where `npx` finds the tool. */
async function expectPastable(printed: string, cwd: string): Promise<void> {
  const paste = async (line: string): Promise<string> => {
    const script = `npx() { shift 2; "$TEST_NODE" "$TEST_TOOL" "$@"; }; ${line}`;
    const env = { ...process.env, TEST_NODE: process.execPath, TEST_TOOL: entry };
    return (await promisify(execFile)("bash", ["-c", script], { cwd, env })).stdout;
  };
  const lines = printed.split("\n");
  const setKey = lines.find((line) => line.startsWith("export REVIEW_API_KEY=")) ?? "";
  const calls = lines.filter((line) => line.startsWith("curl "));
  expect(calls).toHaveLength(8);
  const answers = [];
  for (const call of calls) answers.push(JSON.parse(await paste(`${setKey}\n${call}`)));
  for (const answer of answers) expect(answer).not.toHaveProperty("error");
  const page = z.object({ data: z.array(z.object({ pr_url: z.url() })) });
  expect(page.parse(answers.at(-1)).data).toHaveLength(3);

  const reference = /reference at (\S+)/.exec(printed)?.[1] ?? "";
  expect((await fetch(reference)).status).toBe(200);

  await paste(`${setKey}\n${lines.find((line) => line.startsWith("npx "))}`);
  const rows = (await readFile(join(cwd, "reviews.csv"), "utf8")).trimEnd().split("\r\n");
  expect(rows[0]).toMatch(/^pr_url,/);
  expect(rows.length).toBeGreaterThan(20);
}

const ownerOf = (text: string) => z.object({ process_id: z.int(), url: z.string() }).parse(JSON.parse(text));

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}
