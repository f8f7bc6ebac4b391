import { execFileSync, spawn } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { keyKinds } from "../../lib/contract/access.ts";
import { baseHeaders } from "../../lib/http/headers.ts";
import { engineKind } from "../support/engine.ts";
import { callJson, collect, event, get, ndjson, soloOrganization, useDev } from "./support.ts";

const dev = useDev();

/** Engines that work on this folder, by process id. */
const enginesOf = (folder: string): number[] => {
  const processes = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" }).split("\n");
  return processes
    .filter((line) => line.includes(` ${join(folder, engineKind.dataPath)}`) && !line.includes("/bin/sh"))
    .map((line) => Number.parseInt(line, 10));
};

describe("the service", () => {
  test("is ready with one line, answers every kind of key, keeps its data over a restart and stops cleanly", async () => {
    const folder = await dev.demoFolder();
    const first = await dev.start("--data", folder);
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

    const stopped = await first.stop();
    expect(stopped.code).toBe(0);
    // It gives itself 1.8 s; the rest is for a machine that is busy with other tests.
    expect(stopped.tookMs).toBeLessThan(5_000);
    await expect.poll(() => enginesOf(folder)).toEqual([]);
    expect(first.output().stdout.trim().split("\n")).toHaveLength(1);

    const second = await dev.start("--data", folder);
    expect([second.keys, second.organizations]).toEqual([first.keys, first.organizations]);
    expect((await get(second.url, "/v1/whoami", first.keys.agentic)).status).toBe(200);
    // A terminal's Ctrl-C comes twice where npm stands between.
    process.kill(second.processId, "SIGINT");
    const interrupted = await second.stop("SIGINT");
    expect(interrupted.code).toBe(0);
  });

  test("killed without warning it leaves nothing locked, no engine running, and loses nothing", async () => {
    const folder = await dev.demoFolder();
    const first = await dev.start("--data", folder);
    await callJson("org", "set", "1001", "--approval-delay-days", "7", "--data", folder);
    await first.stop("SIGKILL");
    await expect.poll(() => enginesOf(folder)).toEqual([]);

    const second = await dev.start("--data", folder);
    expect(second.keys).toEqual(first.keys);
    expect(await callJson("org", "show", "1001", "--data", folder)).toMatchObject({ approval_delay_days: 7 });
    await second.stop();
  });

  test("says so and ends when its engine is gone", async () => {
    const folder = await dev.folder();
    const running = await dev.start("--data", folder, "--no-demo");
    const [engine] = enginesOf(folder);
    if (!engine) throw new Error("There is no engine.");
    process.kill(engine, "SIGKILL");
    const { code } = await running.stop("SIGCONT");
    // A worker that was in the middle of something has logged so before.
    const [last] = running.output().stderr.trim().split("\n").slice(-1);
    expect([code, last]).toEqual([1, "The engine has ended; the data is safe, start again."]);
  });
});

describe("what the start says", () => {
  test("names the engine and what is being done, and nothing else", async () => {
    const [starting, ...others] = (await dev.firstWords()).trim().split("\n");
    expect(starting).toMatch(new RegExp(`^Starting the engine ${engineKind.name} on the data in /`));
    expect(others).toEqual([
      "Opening the table.",
      expect.stringMatching(/^Loading the demo data: \d+ events\.$/),
    ]);
  });
});

describe("npm start", () => {
  test("ends with its engine at a SIGTERM to npm, and when npm's shell is killed", async () => {
    for (const victim of ["npm", "shell"] as const) {
      const folder = await dev.folder();
      const words = ["start", "--", "--data", folder, "--port", "0", "--no-demo", "--json"];
      const npm = spawn("npm", words, { stdio: ["ignore", "pipe", "pipe"], cwd: root });
      const output = collect(npm);
      await vi.waitUntil(() => output().stdout.includes('{"ready":true'), { timeout: 80_000 });
      const service = ownerOf(await readFile(join(folder, "service.json"), "utf8")).process_id;
      expect(enginesOf(folder)).toHaveLength(1);
      if (victim === "npm") npm.kill("SIGTERM");
      else process.kill(parentOf(service), "SIGKILL");
      await expect.poll(() => isRunning(service), { timeout: 10_000 }).toBe(false);
      await expect.poll(() => enginesOf(folder), { timeout: 10_000 }).toEqual([]);
    }
  });
});

const ownerOf = (text: string) => z.object({ process_id: z.int() }).parse(JSON.parse(text));
const root = fileURLToPath(new URL("../../", import.meta.url));

const parentOf = (processId: number): number =>
  Number(execFileSync("ps", ["-o", "ppid=", "-p", String(processId)], { encoding: "utf8" }));

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

describe("seed and start options", () => {
  test("--seed is applied before it listens, on top of nothing with --no-demo, and --fresh forgets it", async () => {
    const folder = await dev.folder();
    const seed = join(folder, "seed.ndjson");
    const events = [event(1, "organization.saved", soloOrganization("42", "seeded"))];
    await writeFile(seed, `\ufeff${ndjson(events).replaceAll("\n", "\r\n\r\n")}`);
    const seeded = await dev.start("--data", folder, "--no-demo", "--seed", seed);
    expect(seeded).toMatchObject({
      keys: {},
      organizations: [{ name: "seeded", provider_organization_id: "42" }],
    });
    await seeded.stop();

    const fresh = await dev.start("--data", folder, "--no-demo", "--fresh");
    expect(fresh).toMatchObject({ keys: {}, organizations: [] });
    expect(await readFile(seed, "utf8")).toContain("seeded");
    await fresh.stop();
  });
});
