import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { type Client, createClient } from "../../../lib/client/client.ts";
import { portForLater } from "../../../lib/local/engine/child.ts";
import type { Connection } from "../../../lib/operator/connection.ts";
import { connectLocally } from "../../../lib/operator/local.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { ringWebhooks } from "../../../lib/webhooks/ring.ts";
import { buildClient } from "../../../package/build-client.ts";
import { collect } from "../../cli/support.ts";
import { read, root } from "../../docs/pages.ts";
import { useService } from "../../support/service.ts";
import { github, publicNetwork, World } from "../../support/world.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 });

const page = read("docs/use/jobs/webhooks.md");
const blockOf = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(page)?.[1] ?? expect.fail(`No ${language}.`);
const programs = [
  { language: "TypeScript", file: "receiver.mts", interpreter: process.execPath, text: blockOf("ts") },
  { language: "Python", file: "receiver.py", interpreter: "python3", text: blockOf("python") },
] as const;

const service = useService({ demo: true });
const folders: string[] = [];
const running = new Set<ChildProcess>();
let connection: Connection;
let world: World;
let client: Client;
beforeAll(async () => {
  connection = await connectLocally(service().folder, { create: false });
  world = new World(() => connection.table);
  client = createClient({ baseUrl: service().url, key: service().keys.workspace ?? "" });
});
afterAll(async () => {
  for (const child of running) child.kill("SIGKILL");
  await connection?.close();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

/** As `npm init -y` writes it. */
const folderOfNpmInit = JSON.stringify({
  name: "receiver",
  version: "1.0.0",
  main: "index.js",
  type: "commonjs",
});

/** Where the programs run: the package is installed there. */
async function project(file: string, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "review-api-receiver-"));
  folders.push(folder);
  const installed = join(folder, "node_modules", "review-api");
  await mkdir(installed, { recursive: true });
  await buildClient(join(installed, "built", "client"));
  await copyFile(join(root, "package", "package.json"), join(installed, "package.json"));
  await writeFile(join(folder, "package.json"), folderOfNpmInit);
  await writeFile(join(folder, file), text);
  return folder;
}

/** Two minutes later a resumed walk surely has what is there now. */
async function ring(): Promise<void> {
  const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + 180_000 };
  await ringWebhooks({
    table: connection.table,
    clock,
    random: systemRandom,
    network: { ...publicNetwork, attemptMsMax: 60_000 },
    places: new Map(),
  });
}

const window = { start_date: "2026-01-01", end_date: "2099-12-31", status: "all" } as const;

/** What a new walk returns now, sorted. */
async function fresh(): Promise<Readonly<Record<string, readonly string[]>>> {
  const found: Record<string, string[]> = { "metrics.reviews": [], learnings: [] };
  for await (const { body } of client.pages("listReviewMetrics", { query: window }))
    found["metrics.reviews"]?.push(...body.data.map((each) => JSON.stringify(each)));
  for await (const { body } of client.pages("listLearnings"))
    found.learnings?.push(...body.data.map((each) => JSON.stringify(each)));
  return {
    "metrics.reviews": found["metrics.reviews"]?.toSorted() ?? [],
    learnings: found.learnings?.toSorted() ?? [],
  };
}

const copyShape = z.object({ cursor: z.string(), records: z.record(z.string(), z.unknown()) });
async function copyIn(folder: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const copyOf = async (dataset: string) => {
    const text = await readFile(join(folder, `${dataset}.json`), "utf8");
    const { records } = copyShape.parse(JSON.parse(text));
    return Object.values(records)
      .map((each) => JSON.stringify(each))
      .toSorted();
  };
  return { "metrics.reviews": await copyOf("metrics.reviews"), learnings: await copyOf("learnings") };
}

let changes = 0;

/** A pull request comes, one changes, a Learning comes, one is deleted. */
async function change(): Promise<void> {
  const place = github("1001");
  await world.pullRequest(place, 5_000 + changes, { repository_id: "9001" });
  await world.pullRequest(place, 5_000, { repository_id: "9001", review_iterations: 7 + changes });
  await world.learning(place, `Say why, ${changes++}.`, { repository_id: "9001" });
  const { data } = (await client.listLearnings({ query: { limit: 1 } })).body;
  const [first] = data;
  if (!first) throw new Error("The demo has no Learnings.");
  await client.deleteLearning({ path: { learning_id: first.id }, query: { org_id: first.organization_id } });
}

describe.each(programs)("the receiver in $language", ({ file, interpreter, text }) => {
  let folder = "";
  let url = "";
  let secret = "";
  let webhookId = "";
  let said = () => ({ stdout: "", stderr: "" });

  async function start(): Promise<ChildProcess> {
    const { port } = new URL(url);
    const child = spawn(interpreter, [file], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        REVIEW_API_URL: service().url,
        REVIEW_API_KEY: service().keys.workspace,
        WEBHOOK_SECRET: secret,
        PORT: port,
      },
    });
    running.add(child);
    said = collect(child);
    await vi.waitUntil(
      async () =>
        await fetch(url).then(
          () => true,
          () => false,
        ),
      { timeout: 120_000 },
    );
    return child;
  }

  /** Nothing changes meanwhile, and a walk counts against the rate limit that the receiver needs. */
  const catchesUp = async () => {
    const wanted = await fresh();
    await vi.waitFor(async () => expect(await copyIn(folder), said().stderr).toEqual(wanted), {
      timeout: 120_000,
      interval: 500,
    });
  };

  let child: ChildProcess;
  beforeAll(async () => {
    folder = await project(file, text);
    url = `http://127.0.0.1:${await portForLater()}/rings`;
    const { body } = await client.createWebhook({ body: { url, types: ["metrics.reviews", "learnings"] } });
    ({ secret, id: webhookId } = body);
    child = await start();
  });
  afterAll(async () => {
    await client.deleteWebhook({ path: { webhook_id: webhookId } });
    child.kill("SIGKILL");
  });

  test.each([
    ["REVIEW_API_URL", ""],
    ["REVIEW_API_KEY", ""],
    ["WEBHOOK_SECRET", ""],
    ["WEBHOOK_SECRET", "whsec_"],
  ])("does not start with %s=%j, and says what to set", async (name, value) => {
    const env = { PATH: process.env.PATH, REVIEW_API_URL: url, REVIEW_API_KEY: "k", WEBHOOK_SECRET: secret };
    const port = String(await portForLater());
    const started = promisify(execFile)(interpreter, [file], {
      cwd: folder,
      timeout: 120_000,
      env: { ...env, PORT: port, [name]: value },
    });
    await expect(started).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Set REVIEW_API_URL, REVIEW_API_KEY and WEBHOOK_SECRET/),
    });
  });

  test("reads everything at its start", async () => {
    await catchesUp();
    expect((await fresh()).learnings?.length).toBeGreaterThan(2);
  });

  test("answers a ping of the service, and refuses what the service did not sign", async () => {
    const answer = await client.testWebhook({ path: { webhook_id: webhookId } });
    expect(answer.body).toMatchObject({ status: 204 });
    const forged = { "webhook-id": "ring_1", "webhook-signature": "v1,AAAA" };
    const seconds = String(Math.floor(systemClock.nowMs() / 1_000));
    for (const body of ['{"type":"learnings","data":{}}', "x".repeat(200_000)]) {
      const headers = { ...forged, "webhook-timestamp": seconds };
      const status = await fetch(url, { method: "POST", body, headers }).then(
        (response) => response.status,
        () => "closed",
      );
      expect([401, "closed"]).toContain(status);
    }
  });

  test("holds what a fresh walk returns after a change rang", async () => {
    const deliveries = async () =>
      (await client.listWebhookDeliveries({ path: { webhook_id: webhookId } })).body.data;
    const [before, earlier] = [await fresh(), (await deliveries()).map(({ id }) => id)];
    await change();
    expect(await fresh()).not.toEqual(before);
    await ring();
    await catchesUp();
    const all = await deliveries();
    expect(all.filter(({ id, state }) => state === "delivered" && !earlier.includes(id))).not.toEqual([]);
    expect(all.map(({ state }) => state)).not.toContain("waiting");
  });

  test("holds it again after it was killed and something changed meanwhile", async () => {
    const closed = once(child, "close");
    child.kill("SIGKILL");
    await closed;
    await change();
    child = await start();
    await catchesUp();
  });
});

test("the receiver in TypeScript compiles in strict mode", async () => {
  const { file, text } = programs[0];
  const folder = await project(file, text);
  const types = ["--types", "node", "--typeRoots", join(root, "node_modules", "@types")];
  const settings = ["--ignoreConfig", "--noEmit", "--strict", "--target", "es2023", "--module", "nodenext"];
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  await promisify(execFile)(process.execPath, [compiler, ...settings, ...types, file], { cwd: folder }).catch(
    ({ stdout }: { stdout: string }) => expect.fail(stdout),
  );
});
