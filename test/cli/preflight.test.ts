import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { callTool } from "./support.ts";

let server: Server;
let url = "";
const account = { concurrency: 1_000, unreserved: 1_000, hasModel: true };
const models: string[] = [];

/** The parts of Lambda and Bedrock that the command calls. */
beforeAll(async () => {
  server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    models.push(decodeURIComponent(/\/model\/([^/]+)\//.exec(request.url ?? "")?.[1] ?? ""));
    if (request.url?.includes("/account-settings"))
      response.end(
        JSON.stringify({
          AccountLimit: {
            ConcurrentExecutions: account.concurrency,
            UnreservedConcurrentExecutions: account.unreserved,
          },
        }),
      );
    else if (account.hasModel) response.end(JSON.stringify({ embedding: [1, 0] }));
    else
      response
        .writeHead(400, { "x-amzn-errortype": "ValidationException" })
        .end(JSON.stringify({ message: "The provided model identifier is invalid." }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
});
afterAll(() => void server.close());
afterEach(() => void vi.unstubAllEnvs());

async function preflight(...words: readonly string[]) {
  for (const [name, value] of Object.entries({
    AWS_REGION: "eu-north-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL_LAMBDA: url,
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url,
  }))
    vi.stubEnv(name, value);
  return await callTool("preflight", ...words);
}

test("an account with Lambda's usual quota and the model is ready", async () => {
  Object.assign(account, { concurrency: 1_000, unreserved: 1_000, hasModel: true });
  const { code, stdout } = await preflight("--json");
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    { ok: true, checks: [{ ok: true }, { ok: true }, { ok: true }] },
  ]);
});

test("the small quota of a new account is reported, with the option that fits it", async () => {
  Object.assign(account, { concurrency: 10, unreserved: 10, hasModel: true });
  const { code, stdout } = await preflight();
  expect(code).toBe(1);
  expect(stdout).toContain("The account may run 10 functions at once");
  expect(stdout).toContain("-c eventWorkers=5");
  expect((await preflight("--event-workers", "5")).code).toBe(0);
});

test("concurrency that other functions reserved does not count: only the rest of the account is free", async () => {
  Object.assign(account, { concurrency: 1_000, unreserved: 30, hasModel: true });
  const { code, stdout } = await preflight();
  expect(code).toBe(1);
  expect(stdout).toContain("may run 30 functions at once (of 1000; functions reserve the rest)");
  expect(stdout).toContain("becomes a dead letter after 50 hours");
  expect(stdout).toContain("-c eventWorkers=15");
});

test("the command calls the model that the option names", async () => {
  Object.assign(account, { concurrency: 1_000, unreserved: 1_000, hasModel: true });
  models.length = 0;
  expect((await preflight("--bedrock-model-id", "amazon.titan-embed-text-v2:0:8k")).code).toBe(0);
  expect(models).toContain("amazon.titan-embed-text-v2:0:8k");
});

async function optionsFile(options: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "preflight-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "cdk.context.json");
  await writeFile(file, JSON.stringify(options));
  return file;
}

test("the command checks the options that the deployment will use", async () => {
  Object.assign(account, { concurrency: 10, unreserved: 10, hasModel: true });
  models.length = 0;
  const lookup = { "availability-zones:account=1:region=eu-north-1": ["eu-north-1a"] };
  const chosen = { bedrockModelId: "amazon.titan-embed-text-v2:0:8k", eventWorkers: 5, ...lookup };
  expect((await preflight("--options", await optionsFile(chosen))).code).toBe(0);
  expect(models).toContain("amazon.titan-embed-text-v2:0:8k");
  expect((await preflight("--options", await optionsFile(chosen), "--event-workers", "6")).code).toBe(1);
});

test.each([
  [
    { bedrockregion: "eu-west-1" },
    "has bedrockregion, which is not an option of the stack. Did you mean bedrockRegion?",
  ],
  [
    { waf: "maybe", stage: "-" },
    "stage must be 1 to 64 letters, digits and underscores; waf must be true or false.",
  ],
  [[], "must be a JSON object."],
])("options %o that no deployment accepts are reported before the deployment", async (options, problem) => {
  Object.assign(account, { concurrency: 1_000, unreserved: 1_000, hasModel: true });
  const { code, stdout } = await preflight("--options", await optionsFile(options));
  expect([code, stdout]).toEqual([1, expect.stringContaining(`cdk.context.json`)]);
  expect(stdout).toContain(problem);
});

test("a region without the model is reported", async () => {
  Object.assign(account, { concurrency: 1_000, unreserved: 1_000, hasModel: false });
  const { code, stdout } = await preflight();
  expect(code).toBe(1);
  expect(stdout).toContain("The provided model identifier is invalid");
  expect(stdout).toContain("-c bedrockRegion=REGION");
});
