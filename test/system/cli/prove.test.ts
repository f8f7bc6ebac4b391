import { type ChildProcess, execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { projectDirectory } from "../../../infra/bundle.ts";
import { tls } from "../../../infra/constructs/api-definition.ts";
import { gatewayBody } from "../../../infra/constructs/gateway-responses.ts";
import { proofOutputs, proofTemplate, streamedBytes } from "../../../infra/proof-stack.ts";
import { firstPath, type ProofContext, proofs } from "../../../lib/checks/proofs/proofs.ts";
import { ProofStack } from "../../../lib/checks/proofs/stack.ts";
import { operatorIdentity } from "../../../lib/operator/stack.ts";
import { type AwsRequest, startFakeAws } from "../../checks/fake-aws.ts";
import { TestClock } from "../../support/clock.ts";

type Changes = {
  /** Paths of the closed API, if not those of the last template. */
  readonly paths?: readonly string[];
  /** CloudFormation's error for an action, as code and message. */
  readonly refused?: Readonly<Record<string, readonly [code: string, message: string]>>;
  readonly functionsStay?: boolean;
  onDelete?(): string;
  onDescribe?(): void;
};

/** AWS's answers as the service needs them; a test changes some. */
const asNeeded = {
  restApi: { securityPolicy: tls.securityPolicy, disableExecuteApiEndpoint: true, apiStatus: "AVAILABLE" },
  closedStatus: 403,
  /** What IAM says to a write, by its words. */
  allows: (call: string) => call.includes("TransactWriteItems") && !/C#1|"plan"/.test(call),
  throttled: { status: 429, type: "TooManyRequestsException" },
  gateway: { status: 503, body: gatewayBody("SERVICE_UNAVAILABLE") },
  quotas: [
    {
      QuotaName: "On-demand model inference requests per minute for Amazon Titan Text Embeddings V2",
      Value: 6_000,
    },
  ],
  streamed: streamedBytes,
  report: "REPORT RequestId: 1\tDuration: 9 ms\tInit Duration: 181.20 ms\t",
  created: "CREATE_COMPLETE",
  updated: "UPDATE_COMPLETE",
  deleted: "DELETE_COMPLETE",
};
let answers: typeof asNeeded & Changes = { ...asNeeded };
let status: string;
let functions: Set<string>;
let templates: string[];
let actions: string[];
let aws: Awaited<ReturnType<typeof startFakeAws>>;

const json = (response: ServerResponse, body: unknown) => void response.end(JSON.stringify(body));

/** Every answer of CloudFormation is "done" at once. */
function cloudformation({ body }: AwsRequest, response: ServerResponse): void {
  const input = new URLSearchParams(body.toString());
  const action = input.get("Action") ?? "";
  const [code, message] = answers.refused?.[action] ?? [];
  if (code !== undefined) {
    response.writeHead(400, { "content-type": "text/xml" });
    const fault = `<Type>Sender</Type><Code>${code}</Code><Message>${message}</Message>`;
    return void response.end(`<ErrorResponse><Error>${fault}</Error></ErrorResponse>`);
  }
  actions.push(action);
  if (action === "CreateStack") status = answers.created;
  if (action === "UpdateStack") status = answers.updated;
  if (action === "DeleteStack") status = answers.onDelete?.() ?? answers.deleted;
  if (action === "DescribeStacks") answers.onDescribe?.();
  if (input.has("TemplateBody")) templates.push(input.get("TemplateBody") ?? "");
  const values: Readonly<Record<string, string>> = {
    [proofOutputs.closedApiId]: "abc123",
    [proofOutputs.closedUrl]: `${aws.url}/closed/`,
    [proofOutputs.openUrl]: `${aws.url}/open/`,
    [proofOutputs.tableName]: "t",
    [proofOutputs.transactionFunction]: "Transacting",
    [proofOutputs.throttledFunction]: "Throttled",
    [proofOutputs.functionRoleArn]: "arn:aws:iam::111122223333:role/r",
  };
  const outputs = Object.entries(values).map(
    ([name, value]) => `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const reason = "There is already an update in progress";
  const event = (id: string, why: string) =>
    `<member><LogicalResourceId>${id}</LogicalResourceId><ResourceStatus>UPDATE_FAILED</ResourceStatus><ResourceStatusReason>${why}</ResourceStatusReason></member>`;
  const results: Readonly<Record<string, string>> = {
    CreateStack: "<StackId>arn:stack</StackId>",
    DescribeStacks: `<Stacks><member><StackStatus>${status}</StackStatus><Outputs>${outputs.join("")}</Outputs></member></Stacks>`,
    ListStackResources:
      "<StackResourceSummaries><member><LogicalResourceId>Role</LogicalResourceId><ResourceType>AWS::IAM::Role</ResourceType>" +
      "<PhysicalResourceId>role-1</PhysicalResourceId><ResourceStatus>DELETE_FAILED</ResourceStatus>" +
      "<ResourceStatusReason>it has policies</ResourceStatusReason></member><member><LogicalResourceId>Table</LogicalResourceId>" +
      "<ResourceType>AWS::DynamoDB::Table</ResourceType><ResourceStatus>DELETE_COMPLETE</ResourceStatus></member></StackResourceSummaries>",
    DescribeStackEvents: `<StackEvents>${event("Stage", "Resource update cancelled")}${event("Closed", reason)}</StackEvents>`,
  };
  response.setHeader("content-type", "text/xml");
  response.end(
    `<${action}Response><${action}Result>${results[action] ?? ""}</${action}Result></${action}Response>`,
  );
}

function lambda(
  { target, body, method }: AwsRequest & { readonly method: string },
  response: ServerResponse,
) {
  response.setHeader("content-type", "application/json");
  const [, name = "", part] = /\/functions\/([^/?]+)(?:\/(\w+))?/.exec(target) ?? [];
  if (part === "configuration") return json(response, { State: "Active" });
  if (name === "" && body.length > 0) {
    const { FunctionName, Code } = z
      .object({ FunctionName: z.string(), Code: z.object({ ZipFile: z.base64() }) })
      .parse(JSON.parse(body.toString()));
    const zip = Buffer.from(Code.ZipFile, "base64");
    expect([zip.subarray(0, 4).toString("latin1"), zip.includes("index.mjs")]).toEqual(["PK\x03\x04", true]);
    functions.add(FunctionName);
    return json(response, { FunctionName });
  }
  if (method === "DELETE" && answers.functionsStay)
    return void response.writeHead(403, { "x-amzn-errortype": "AccessDeniedException" }).end("{}");
  if (method === "DELETE") {
    functions.delete(name);
    return void response.writeHead(204).end();
  }
  if (name === "Transacting")
    return json(response, answers.allows(body.toString()) ? "done" : "AccessDeniedException");
  if (name === "Throttled") {
    const { status: code, type } = answers.throttled;
    response.writeHead(code, { "x-amzn-errortype": type });
    return json(response, {
      Reason: "ReservedFunctionConcurrentInvocationLimitExceeded",
      message: "Rate exceeded",
    });
  }
  response.setHeader("x-amz-log-result", Buffer.from(`START\n${answers.report}\n`).toString("base64"));
  return json(response, {});
}

/** The two addresses of API Gateway: their requests have no signature. */
function executeApi({ target }: AwsRequest, response: ServerResponse): void {
  if (target.startsWith("/closed/")) return void response.writeHead(answers.closedStatus).end();
  if (target === "/open/throttled")
    return void response.writeHead(answers.gateway.status).end(answers.gateway.body);
  response.end(Buffer.alloc(answers.streamed, "x"));
}

const environment = () => ({
  AWS_REGION: "eu-test-1",
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: "local",
  AWS_ENDPOINT_URL: aws.url,
  AWS_MAX_ATTEMPTS: "1",
});

beforeAll(async () => {
  aws = await startFakeAws(() => ({}), {
    cloudformation,
    lambda: (request, response) => lambda({ ...request, method: response.req.method ?? "" }, response),
    apigateway({ target }, response) {
      if (target === "/restapis/abc123") return json(response, answers.restApi);
      if (target !== "/restapis/abc123/resources") return void response.writeHead(404).end("{}");
      const [path = ""] = /"\/(one|two)"/.exec(templates.at(-1) ?? "") ?? [];
      return json(response, {
        item: (answers.paths ?? ["/", path.replaceAll('"', "")]).map((each) => ({ path: each })),
      });
    },
    servicequotas: (_, response) => json(response, { Quotas: answers.quotas }),
    "": executeApi,
  });
});
afterAll(() => aws.close());
beforeEach(() => {
  answers = { ...asNeeded };
  status = "";
  functions = new Set();
  templates = [];
  actions = [];
  for (const [name, value] of Object.entries(environment())) vi.stubEnv(name, value);
});
afterEach(() => void vi.unstubAllEnvs());

/** Runs one proof on a stack that is there. */
async function prove(name: RegExp) {
  const proof = proofs.find((each) => name.test(each.name)) ?? expect.fail(`no proof ${name}`);
  const identity = await operatorIdentity(undefined);
  const stack = new ProofStack("ReviewApi-prove-1", identity);
  const outputs = await stack.create(proofTemplate(stack.name, firstPath));
  const context: ProofContext = {
    identity,
    stack,
    output: (each) => outputs.get(proofOutputs[each]) ?? expect.fail(`no output ${each}`),
    leftovers: new Map(),
    signal: new AbortController().signal,
  };
  return await proof.run(context);
}

/** Each proof, an answer of AWS that refutes it, and what the table then says. */
const refuted: ReadonlyArray<readonly [RegExp, Partial<typeof asNeeded & Changes>, RegExp]> = [
  [
    /^An import keeps/,
    { restApi: { ...asNeeded.restApi, securityPolicy: "TLS_1_0" } },
    /TLS_1_0, endpoint closed/,
  ],
  [
    /^An import keeps/,
    { restApi: { ...asNeeded.restApi, disableExecuteApiEndpoint: false } },
    /endpoint open/,
  ],
  [/^An import keeps/, { closedStatus: 200 }, /its address answers 200/],
  [/^IAM checks/, { allows: () => false }, /two partitions of the role: AccessDeniedException/],
  [/^IAM checks/, { allows: () => true }, /a denied attribute: done; a write outside a transaction: done/],
  [
    /without concurrency/,
    { throttled: { status: 500, type: "ServiceException" } },
    /^Lambda: ServiceException/,
  ],
  [/without concurrency/, { gateway: { status: 502, body: "{}" } }, /the gateway: 502 \{\}/],
  [/^An import keeps/, { paths: ["/"] }, /^paths \/, /],
  [/^An answer of 16 MiB/, { streamed: 10_000_000 }, /10000000 of 16777216 bytes/],
  [/^A changed path/, { closedStatus: 401 }, /its address answers 401/],
  [/^A changed path/, { paths: ["/", "/one"] }, /^paths \/ \/one, /],
];

/** Bundling ten functions takes seconds: the runs of the whole command below show both ways of this one. */
const bundling = /^Functions start/;

test.each(proofs.map(({ name }) => name).filter((name) => !bundling.test(name)))(
  "a proof holds if AWS answers as the service needs it: %s",
  async (name) => {
    const { held, found } = await prove(new RegExp(`^${name}$`));
    expect([held, found]).toEqual([true, expect.stringMatching(/\w/)]);
    expect([/^Service Quotas/, ...refuted.map(([which]) => which)].some((each) => each.test(name))).toBe(
      true,
    );
  },
);

test.each(refuted)(
  "a proof does not hold if AWS answers otherwise: %s, %o",
  async (name, otherwise, shown) => {
    Object.assign(answers, otherwise);
    expect(await prove(name)).toEqual({ held: false, found: expect.stringMatching(shown) });
  },
);

test("a quota that the account does not have is not shown, with the reason; one too small is refuted", async () => {
  answers = { ...asNeeded, quotas: [] };
  const shown = await prove(/^Service Quotas/);
  expect(shown).toEqual({ held: "not shown", found: expect.stringMatching(/lists no requests per minute/) });
  answers.quotas = asNeeded.quotas.map((quota) => ({ ...quota, Value: 6 }));
  await expect(prove(/^Service Quotas/)).rejects.toThrow("embed 6 texts a minute");
});

describe("the removal of the stack", () => {
  const clock = new TestClock();
  const stack = async () => new ProofStack("ReviewApi-prove-1", await operatorIdentity(undefined), { clock });

  test("ends at once if there is no such stack", async () => {
    answers = {
      ...asNeeded,
      refused: { DescribeStacks: ["ValidationError", "Stack with id x does not exist"] },
    };
    await (await stack()).remove();
    expect(actions).toEqual([]);
  });

  test("any other answer about the stack does not mean that it is gone", async () => {
    answers = {
      ...asNeeded,
      refused: { DescribeStacks: ["ExpiredToken", "The security token has expired"] },
    };
    await expect((await stack()).remove()).rejects.toThrow("token has expired");
    answers = {
      ...asNeeded,
      refused: { DescribeStacks: ["ValidationError", "1 validation error detected"] },
    };
    await expect((await stack()).remove()).rejects.toThrow("validation error detected");
  });

  test("a deletion that failed is asked for again, until the stack is gone", async () => {
    let attempts = 0;
    answers.onDelete = () => (++attempts < 3 ? "DELETE_FAILED" : "DELETE_COMPLETE");
    await (await stack()).remove();
    expect(attempts).toBe(3);
  });

  test("a stack that is being updated is deleted when the update has ended", async () => {
    status = "UPDATE_IN_PROGRESS";
    const asked: string[] = [];
    answers.onDescribe = () => {
      if (asked.push(status) === 3) status = "UPDATE_COMPLETE";
    };
    await (await stack()).remove();
    expect([asked.slice(0, 3), status]).toEqual([
      ["UPDATE_IN_PROGRESS", "UPDATE_IN_PROGRESS", "UPDATE_IN_PROGRESS"],
      "DELETE_COMPLETE",
    ]);
  });

  test("after 20 minutes it gives up, and names what remains with the reason", async () => {
    answers.deleted = "DELETE_FAILED";
    const startedMs = clock.nowMs();
    await expect((await stack()).remove()).rejects.toThrow(
      "DELETE_FAILED after 20 minutes: AWS::IAM::Role role-1 (it has policies)",
    );
    expect(clock.nowMs() - startedMs).toBe(20 * 60_000);
  });
});

test("an update in progress fails the change of a path with CloudFormation's first reason", async () => {
  answers.updated = "UPDATE_ROLLBACK_COMPLETE";
  await expect(prove(/^A changed path/)).rejects.toThrow("Closed: There is already an update in progress");
});

test("the stack is made of the service's own parts, and changes only a path", async () => {
  await prove(/^A changed path/);
  const [first = "", second = ""] = templates;
  expect([first.includes('"/one"'), second.includes('"/one"'), second.includes('"/two"')]).toEqual([
    true,
    false,
    true,
  ]);
  for (const part of [
    tls.securityPolicy,
    "dynamodb:LeadingKeys",
    "dynamodb:EnclosingOperation",
    "dynamodb:Attributes",
  ])
    expect(first).toContain(part);
  // CloudFormation's limit of a template in a request; and nothing that an account has only once, or that stays.
  expect(Buffer.byteLength(first)).toBeLessThan(51_200);
  expect(first).not.toMatch(/AWS::ApiGateway::Account|AWS::Logs|"Retain"|BootstrapVersion/);
});

function run(env: NodeJS.ProcessEnv, onStart = (_: ChildProcess) => {}) {
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const file = join(projectDirectory, "cli", "prove.ts");
    onStart(
      execFile(
        process.execPath,
        [file],
        { env: { PATH: process.env.PATH, ...env } },
        (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
      ),
    );
  });
}

test("the command says what it costs, prints a row for each proof, and removes what it made", async () => {
  const { code, stdout, stderr } = await run(environment());
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^The stack is ReviewApi-prove-\w+, in eu-test-1\. .*costs less than 0\.05 \$/);
  for (const { name } of proofs) expect(stdout).toContain(`| ${name} | yes | `);
  expect([status, functions.size]).toEqual(["DELETE_COMPLETE", 0]);
});

test("a proof that does not hold, or a stack that stays, ends the command with 1 and is named", async () => {
  Object.assign(answers, {
    report: "REPORT Init Duration: 950.00 ms",
    refused: { DeleteStack: ["AccessDenied", "not allowed"] },
    functionsStay: true,
  });
  const { code, stdout, stderr } = await run(environment());
  expect(code).toBe(1);
  expect(stdout).toMatch(/\| Functions start in at most 400 ms \| \*\*no\*\* \| .* 950 ms/);
  const [, name = ""] = /^(ReviewApi-prove-\w+) was not removed: .*not allowed/.exec(stderr) ?? [];
  expect(stderr).toContain(
    `${name} stays. Remove it: aws cloudformation delete-stack --stack-name ${name} --`,
  );
  expect(functions.size).toBeGreaterThan(0);
  for (const each of functions)
    expect(stderr).toContain(
      `Remove it: aws lambda delete-function --function-name ${each} --region eu-test-1`,
    );
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "a proof that %s interrupts removes its stack, and says first what would stay",
  async (signal) => {
    answers.created = "CREATE_IN_PROGRESS";
    const { code, stdout, stderr } = await run(environment(), (child) => {
      // Twice, as npm sends a Ctrl-C.
      answers.onDescribe = () => void (child.kill(signal) && child.kill(signal));
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Interrupted\. .*\nReviewApi-prove-\w+ stays\. Remove it: aws cloudformation /);
    expect([status, stdout]).toEqual(["DELETE_COMPLETE", expect.not.stringContaining("An import keeps")]);
  },
);

test("a stack that cannot be created ends the command with CloudFormation's reason, and is removed", async () => {
  answers.created = "ROLLBACK_COMPLETE";
  const { code, stderr } = await run(environment());
  expect(code).toBe(1);
  expect(stderr).toContain("The stack was not created. Closed: There is already an update in progress");
  expect(status).toBe("DELETE_COMPLETE");
});

test("without credentials the command prints the list and calls nothing", async () => {
  const nowhere = { AWS_CONFIG_FILE: "/nonexistent", AWS_SHARED_CREDENTIALS_FILE: "/nonexistent" };
  const { code, stdout } = await run({
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_REGION: "eu-test-1",
    ...nowhere,
  });
  expect(code).toBe(0);
  for (const { name } of proofs) expect(stdout).toContain(`- ${name}\n`);
  expect(templates).toEqual([]);
});

test("the page about proofs has a row for each proof of the command", async () => {
  const page = await readFile(join(projectDirectory, "docs", "change", "proof.md"), "utf8");
  const rows = [...page.matchAll(/^\| (.*) \| `npm run prove` \|$/gm)].map(([, name]) => name);
  expect(rows).toEqual(proofs.map(({ name }) => name));
});
