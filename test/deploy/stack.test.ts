import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { DynamoDBClient, paginateListTables } from "@aws-sdk/client-dynamodb";
import { LambdaClient, paginateListFunctions } from "@aws-sdk/client-lambda";
import { ListBucketsCommand, S3Client } from "@aws-sdk/client-s3";
import { paginateListQueues, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import * as z from "zod";
import { operations } from "../../lib/contract/operations.ts";
import { eventTypes } from "../../lib/events/event-types.ts";
import type { OutgoingEvent } from "../../lib/events/send.ts";
import { apiUrlOf, connectToStack, outputsOf } from "../../lib/operator/stack.ts";
import { useService } from "../support/service.ts";
import { copyProject, type ProjectCopy } from "../system/docs/project-copy.ts";
import { firstCustomerPage, scriptOf } from "../system/docs/reader.ts";
import { type Emulator, emulatorVariables, region, startEmulator } from "./emulator.ts";

const eventSchema = z.object({
  id: z.string(),
  type: z.string(),
  occurred_at: z.string(),
  data: z.record(z.string(), z.unknown()),
});

const example = readFileSync(new URL("../../docs/use/examples/events.ndjson", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => eventSchema.parse(JSON.parse(line)));
const finalized = example.filter(({ type }) => type === "pull_request.finalized");
/** More pull requests than a page of the walk has. */
const more = Array.from({ length: 25 }, (_, index) =>
  finalized.map(({ id, data, ...event }) => ({
    ...event,
    id: `${id.slice(0, -4)}${2000 + index}`,
    data: { ...data, pr_url: `${data.pr_url}${index}`, comments: [], mcp_servers: [] },
  })),
).flat();
const events: readonly OutgoingEvent[] = [...example, ...more];
const local = useService({ events });

let emulator: Emulator;
let project: ProjectCopy;
let home: string;
let key: string;
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

test("verify ends with 0 right after the deployment, without the calls that need name servers", async () => {
  const without = emulator.notShown.join(",");
  const { code, out, err } = await run(`${tool} verify --stack ReviewApi --without ${without} --json`);
  expect(out, err).not.toBe("");
  const { checks, not_shown: notShown } = reportSchema.parse(JSON.parse(out));
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(code).toBe(0);
  expect(notShown).toEqual(emulator.notShown.map((id) => `${id} works`));
  expect(notShown.length).toBeLessThanOrEqual(7);
  const ofContract = [
    ...operations.flatMap(({ id }) => [`${id} works`, `${id} refuses a call without a key`]),
    ...Object.keys(eventTypes).map((type) => `${type} is applied`),
  ].filter((name) => !notShown.includes(name));
  expect(checks.map(({ name }) => name)).toEqual(expect.arrayContaining(ofContract));
  console.log(`${checks.length} checks of verify passed. Not shown: ${notShown.join(", ")}.`);
});

test("a walk over the metrics through the deployed gateway returns what the local service returns", async () => {
  const file = join(project.folder, "sent.ndjson");
  writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  await succeed(`${tool} events send sent.ndjson --stack ReviewApi`);
  // The organization is there as soon as the queue's function has applied its event.
  key = await vi.waitFor(() => createKey("--stack ReviewApi"), patience);
  const expected = await walk(local().url, await createKey(`--data ${local().folder}`));
  expect(expected).toHaveLength(26);
  const url = await apiUrlOf(await outputsOf("ReviewApi", region));
  await vi.waitFor(async () => expect(await walk(url, key)).toEqual(expected), patience);
});

test("no event waited for an earlier one: Learnings and audit log are those of the local service", async () => {
  const headers = { "x-service-api-key": await createKey(`--data ${local().folder}`) };
  const expected = await orderOf(local().url, headers);
  // A Learning that waited for its repository is pending at first, and its approval is in the audit log.
  expect(expected).toEqual({ learnings: 1, entries: ["seats.assigned platform"] });
  const url = await apiUrlOf(await outputsOf("ReviewApi", region));
  expect(await orderOf(url, { "x-service-api-key": key })).toEqual(expected);
});

test("the page of the first customer works as printed: from its events to the dashboard and the export", async () => {
  const untilSent = 2;
  await succeed(scriptOf(firstCustomerPage, { blocks: [0, untilSent] }));
  const connection = await connectToStack("ReviewApi", region);
  await vi.waitFor(() => succeed(`${tool} org show 1001 --stack ReviewApi`), patience);
  expect(await connection.settle().finally(() => connection.close())).toBe(true);
  const printed = await succeed(scriptOf(firstCustomerPage, { blocks: [untilSent] }));
  expect(printed).toContain("Review text is inserted as HTML");
  expect(printed).toMatch(/^Storefront +1 /m);
  const file = readFileSync(join(project.folder, "reviews.csv"), "utf8");
  expect(file.trim().split("\n")).toHaveLength(2);
  const url = await apiUrlOf(await outputsOf("ReviewApi", region));
  const dashboard = await fetch(`${url}/dashboard`);
  expect([dashboard.status, await dashboard.text()]).toEqual([
    200,
    expect.stringContaining("<!doctype html>"),
  ]);
});

test("an update deploys the code of a changed function, and leaves no difference", async () => {
  const file = join(project.folder, "functions/keys/whoami.ts");
  const code = readFileSync(file, "utf8");
  const described = "describePrincipal(principal)";
  const changed = code.replace(described, `{ ...${described}, user_id: "of the new code" }`);
  expect(changed).not.toBe(code);
  const url = await apiUrlOf(await outputsOf("ReviewApi", region));
  const userId = async () => {
    const answer = await fetch(`${url}/v1/whoami`, { headers: { "x-service-api-key": key } });
    return z.looseObject({ user_id: z.string().nullable() }).parse(await answer.json()).user_id;
  };
  expect(await userId()).not.toBe("of the new code");
  writeFileSync(file, changed);
  await succeed("npm run deploy -- --require-approval never");
  expect(await userId()).toBe("of the new code");
  await succeed("npx cdk diff --fail");
});

test("an ephemeral stack answers its first list with 200, and its removal leaves nothing of it", async () => {
  const options = "-c stackName=ReviewApi-trial -c ephemeral=true";
  const before = await everything();
  await succeed(`npm run deploy -- --require-approval never ${options}`);
  await succeed(`${tool} events send docs/use/examples/events.ndjson --stack ReviewApi-trial`);
  const ofTrial = await vi.waitFor(() => createKey("--stack ReviewApi-trial"), patience);
  const url = await apiUrlOf(await outputsOf("ReviewApi-trial", region));
  const firstList = await fetch(`${url}/v1/users`, { headers: { "x-service-api-key": ofTrial } });
  expect([firstList.status, await firstList.text()]).toEqual([200, expect.stringContaining('"users"')]);
  expect((await everything()).length).toBeGreaterThan(before.length);
  await succeed(`npm run destroy -- ${options}`);
  expect(await everything()).toEqual(before);
  await expect(outputsOf("ReviewApi-trial", region)).rejects.toThrow("ReviewApi-trial");
});

test("a permanent stack is not destroyed", async () => {
  const { code, err } = await run("npm run destroy");
  expect(code).toBe(1);
  expect(err).toContain("ReviewApi is not ephemeral");
  await expect(outputsOf("ReviewApi", region)).resolves.toBeTypeOf("function");
});

const reportSchema = z.object({
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), problem: z.string().nullable() })),
  not_shown: z.array(z.string()),
});

/** The names of what holds data or runs. */
async function everything(): Promise<readonly string[]> {
  const [functions, tables, queues, buckets] = await Promise.all([
    collect(paginateListFunctions({ client: new LambdaClient() }, {})),
    collect(paginateListTables({ client: new DynamoDBClient() }, {})),
    collect(paginateListQueues({ client: new SQSClient() }, {})),
    new S3Client().send(new ListBucketsCommand({})),
  ]);
  return [
    ...functions.flatMap(({ Functions = [] }) =>
      Functions.map(({ FunctionName }) => `function ${FunctionName}`),
    ),
    ...tables.flatMap(({ TableNames = [] }) => TableNames.map((name) => `table ${name}`)),
    ...queues.flatMap(({ QueueUrls = [] }) => QueueUrls.map((url) => `queue ${url}`)),
    ...(buckets.Buckets ?? []).map(({ Name }) => `bucket ${Name}`),
  ].sort();
}

async function collect<Page>(pages: AsyncIterable<Page>): Promise<readonly Page[]> {
  const all: Page[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

const pageSchema = z.object({ data: z.array(z.unknown()), next_cursor: z.string().nullish() });

/** Every record, ten a page. */
async function walk(url: string, ofCaller: string): Promise<readonly unknown[]> {
  const records: unknown[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({
      start_date: "2026-11-01",
      end_date: "2026-11-30",
      limit: "10",
      ...(cursor && { cursor }),
    });
    const answer = await fetch(`${url}/v1/metrics/reviews?${query}`, {
      headers: { "x-service-api-key": ofCaller },
    });
    const body = await answer.text();
    expect(answer.status, body).toBe(200);
    const page = pageSchema.parse(JSON.parse(body));
    records.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  return records;
}

const listSchema = z.object({
  data: z.array(z.object({ action: z.string(), actor: z.object({ name: z.string().nullable() }) })),
});

async function orderOf(url: string, headers: Readonly<Record<string, string>>) {
  const read = async (path: string): Promise<unknown> =>
    await (await fetch(`${url}${path}`, { headers })).json();
  const log = listSchema.parse(await read("/v1/audit-logs?order=asc"));
  const { data } = z.object({ data: z.array(z.unknown()) }).parse(await read("/v1/learnings"));
  const entries = log.data.map(({ action, actor }) => `${action} ${actor.name}`);
  return { learnings: data.length, entries: entries.filter((entry) => !entry.startsWith("key.")) };
}

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
