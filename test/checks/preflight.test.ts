import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from "vitest";
import * as z from "zod";
import { firewall } from "../../lib/contract/platform.ts";
import { callTool } from "../cli/support.ts";
import { type SignedRequest, signatureProblem } from "../support/aws-signature.ts";

let server: Server;
let url = "";
const ready = {
  concurrency: 1_000,
  unreserved: 1_000,
  hasModel: true,
  embeddingsPerMinute: 2_000,
  hasQuota: true,
  loggingRole: "",
  ruleVersions: [String(firewall.knownBadInputsVersion)],
};
let account: typeof ready & {
  /** What the functions of the deployed stack reserve; without it there is no such stack. */
  readonly deployed?: readonly number[];
} = { ...ready };
/** The settings of a table as DynamoDB describes them, by the operation that asks. */
const sound = {
  DescribeTable: {
    Table: {
      TableStatus: "ACTIVE",
      TableArn: "arn:aws:dynamodb:eu-north-1:111122223333:table/restored",
      KeySchema: [{ AttributeName: "pk" }, { AttributeName: "sk" }],
      BillingModeSummary: { BillingMode: "PAY_PER_REQUEST" },
      DeletionProtectionEnabled: true,
      VectorIndexes: [{ IndexName: "review-index", Dimensions: 256, IndexStatus: "ACTIVE" }],
    },
  },
  DescribeTimeToLive: { TimeToLiveDescription: { TimeToLiveStatus: "ENABLED", AttributeName: "ttl" } },
  DescribeContinuousBackups: {
    ContinuousBackupsDescription: {
      PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: "ENABLED" },
    },
  },
  ListTagsOfResource: { Tags: [{ Key: "service", Value: "review-api" }] },
};
let tableAnswers: Readonly<Record<string, object>> = sound;
const models: string[] = [];
const problems: string[] = [];
const secretAccessKey = "local";

/** The parts of AWS that the command calls, by the service that the signature names. */
const services: Readonly<Record<string, (request: SignedRequest, response: ServerResponse) => void>> = {
  lambda: (_, response) =>
    response.end(
      JSON.stringify({
        AccountLimit: {
          ConcurrentExecutions: account.concurrency,
          UnreservedConcurrentExecutions: account.unreserved,
        },
      }),
    ),
  bedrock({ target }, response) {
    models.push(decodeURIComponent(/\/model\/([^/]+)\//.exec(target)?.[1] ?? ""));
    if (account.hasModel) response.end(JSON.stringify({ embedding: [1, 0] }));
    else
      response
        .writeHead(400, { "x-amzn-errortype": "ValidationException" })
        .end(JSON.stringify({ message: "The provided model identifier is invalid." }));
  },
  /** Two pages: the quota is on the second. */
  servicequotas({ body }, response) {
    const { NextToken } = z.object({ NextToken: z.string().optional() }).parse(JSON.parse(body.toString()));
    const name = "On-demand model inference requests per minute for Amazon Titan Text Embeddings V2";
    response.end(
      JSON.stringify(
        NextToken === undefined
          ? { Quotas: [{ QuotaName: "Requests per minute for another model", Value: 1 }], NextToken: "2" }
          : { Quotas: account.hasQuota ? [{ QuotaName: name, Value: account.embeddingsPerMinute }] : [] },
      ),
    );
  },
  cloudformation({ body }, response) {
    const input = new URLSearchParams(body.toString());
    expect([input.get("Action"), input.get("StackName")]).toEqual(["GetTemplate", "ReviewApi"]);
    response.setHeader("content-type", "text/xml");
    if (!account.deployed) {
      const fault =
        "<Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id ReviewApi does not exist</Message>";
      response.writeHead(400).end(`<ErrorResponse><Error>${fault}</Error></ErrorResponse>`);
      return;
    }
    const functions = account.deployed.map((count, index) => [
      `F${index}`,
      { Type: "AWS::Lambda::Function", Properties: { ReservedConcurrentExecutions: count } },
    ]);
    const template = JSON.stringify({
      Resources: { ...Object.fromEntries(functions), Topic: { Type: "AWS::SNS::Topic" } },
    });
    response.end(
      `<GetTemplateResponse><GetTemplateResult><TemplateBody>${template}</TemplateBody></GetTemplateResult></GetTemplateResponse>`,
    );
  },
  apigateway: (_, response) =>
    response.end(JSON.stringify({ cloudwatchRoleArn: account.loggingRole || undefined })),
  dynamodb({ headers }, response) {
    const operation = String(headers["x-amz-target"]).split(".")[1] ?? "";
    const answer = tableAnswers[operation];
    if (answer) response.end(JSON.stringify(answer));
    else response.writeHead(400).end(JSON.stringify({ __type: "ResourceNotFoundException" }));
  },
  wafv2: (_, response) =>
    response.end(JSON.stringify({ Versions: account.ruleVersions.map((Name) => ({ Name })) })),
};

beforeAll(async () => {
  server = createServer(async (incoming, response) => {
    const { method = "", url: target = "", headers } = incoming;
    const request = { method, target, headers, body: Buffer.concat(await Array.fromAsync(incoming)) };
    const [, region = "", service = ""] =
      /Credential=[^/]+\/\d+\/([^/]+)\/([^/]+)\//.exec(headers.authorization ?? "") ?? [];
    const signer = { accessKeyId: "local", secretAccessKey, region, service };
    const problem = signatureProblem(request, signer);
    if (problem !== undefined) problems.push(`${service}: ${problem}`);
    response.setHeader("content-type", "application/json");
    const serve = services[service];
    if (serve) serve(request, response);
    else response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  account = { ...ready };
  tableAnswers = sound;
  models.length = 0;
});
afterEach(() => {
  vi.unstubAllEnvs();
  expect(problems).toEqual([]);
});

const environment = () => ({
  AWS_REGION: "eu-north-1",
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  ...Object.fromEntries(
    ["LAMBDA", "BEDROCK_RUNTIME", "SERVICE_QUOTAS", "API_GATEWAY", "WAFV2", "DYNAMODB", "CLOUDFORMATION"].map(
      (name) => [`AWS_ENDPOINT_URL_${name}`, url],
    ),
  ),
});

async function preflight(...words: readonly string[]) {
  for (const [name, value] of Object.entries(environment())) vi.stubEnv(name, value);
  return await callTool("preflight", ...words);
}

test("an account with Lambda's usual quota and the model is ready", async () => {
  const { code, stdout } = await preflight("--json");
  const report = JSON.parse(stdout);
  expect([code, report.ok]).toEqual([0, true]);
  expect(report.checks.map(({ ok }: { ok: boolean }) => ok)).toEqual(Array(6).fill(true));
});

test("options with a byte order mark are read", async () => {
  const file = await optionsFile({ alarmEmail: "ops@example.com" });
  await writeFile(file, `\ufeff${await readFile(file, "utf8")}`);
  expect((await preflight("--options", file)).code).toBe(0);
});

test("preflight says in a line that nobody hears the alarms, and is still ready", async () => {
  const silent = await preflight();
  expect([silent.code, silent.stdout]).toEqual([0, expect.stringContaining("Nobody hears the alarms")]);
  const { stdout } = await preflight("--json");
  expect(JSON.parse(stdout).notes).toEqual([expect.stringContaining("Set alarmEmail")]);
  const heard = await optionsFile({ alarmEmail: "ops@example.com" });
  expect((await preflight("--options", heard)).stdout).not.toContain("Nobody hears");
  const paged = await optionsFile({ alarmTopicArn: "arn:aws:sns:eu-north-1:444455556666:pager" });
  expect((await preflight("--options", paged)).stdout).not.toContain("Nobody hears");
});

test("preflight refuses a topic of another region than the stack's", async () => {
  const file = await optionsFile({ alarmTopicArn: "arn:aws:sns:eu-west-1:444455556666:pager" });
  const { code, stdout } = await preflight("--options", file);
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining("alarmTopicArn must be in the stack's region eu-north-1, not in eu-west-1."),
  ]);
  expect((await preflight("--options", file, "--region", "eu-west-1")).stdout).not.toContain("alarmTopicArn");
});

test("the small quota of a new account is reported, with the option that fits it", async () => {
  Object.assign(account, { concurrency: 10, unreserved: 10 });
  const { code, stdout } = await preflight();
  expect(code).toBe(1);
  expect(stdout).toContain("The account may run 10 functions at once");
  expect(stdout).toContain('set "eventWorkers": 5 in cdk.context.json.');
  expect((await preflight("--event-workers", "5")).code).toBe(0);
});

test("concurrency that other functions reserved does not count: only the rest of the account is free", async () => {
  Object.assign(account, { unreserved: 30 });
  const { code, stdout } = await preflight();
  expect(code).toBe(1);
  expect(stdout).toContain("may run 30 functions at once (of 1000; other functions reserve 970)");
  expect(stdout).toContain("becomes a dead letter after 50 hours");
  expect(stdout).toContain('set "eventWorkers": 15 in cdk.context.json.');
});

test("the command calls the model that the option names", async () => {
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
  Object.assign(account, { concurrency: 10, unreserved: 10 });
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
  const { code, stdout } = await preflight("--options", await optionsFile(options));
  expect([code, stdout]).toEqual([1, expect.stringContaining(`cdk.context.json`)]);
  expect(stdout).toContain(problem);
});

test("a region without the model is reported", async () => {
  account.hasModel = false;
  const { code, stdout } = await preflight();
  expect(code).toBe(1);
  expect(stdout).toContain("The provided model identifier is invalid");
  expect(stdout).toContain("-c bedrockRegion=REGION");
});

test("without a region the command says what to set, and asks AWS nothing", async () => {
  for (const [name, value] of Object.entries(environment())) vi.stubEnv(name, value);
  for (const name of ["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"]) vi.stubEnv(name, undefined);
  vi.stubEnv("AWS_CONFIG_FILE", "/nonexistent");
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent");
  const { code, stdout } = await callTool("preflight");
  expect([code, stdout]).toEqual([1, expect.stringContaining("Give --region, or set AWS_REGION")]);
  expect(stdout).not.toContain("Unexpected error");
  expect(models).toEqual([]);
  expect((await callTool("preflight", "--region", "eu-north-1")).code).toBe(0);
});

test("a quota of the model that a new account may have is reported", async () => {
  account.embeddingsPerMinute = 6;
  const { code, stdout } = await preflight();
  expect(code).toBe(1);
  expect(stdout).toContain("embed 6 texts a minute in eu-north-1");
  expect((await preflight("--bedrock-region", "eu-west-1")).stdout).toContain("in eu-west-1");
});

test("an absent quota of the model is a note: AWS dropped it for most models", async () => {
  account.hasQuota = false;
  const { code, stdout } = await preflight();
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining("note   Service Quotas lists no requests per minute"),
  ]);
  expect(JSON.parse((await preflight("--json")).stdout).notes).toContainEqual(
    expect.stringContaining("AWS dropped this quota"),
  );
});

/** The account's quota of 1,000, what is unreserved, what the stack reserved before, the option, and the problem. */
test.each([
  [
    "others reserve most",
    300,
    undefined,
    "ingest=201",
    "at most 200 can be reserved (other functions reserve 700",
  ],
  ["others leave enough", 300, undefined, "ingest=200", undefined],
  ["the stack reserves the same again", 400, [500, 100], "ingest=100,listUsers=500", undefined],
  [
    "others and the stack",
    200,
    [600],
    "ingest=701",
    "at most 700 can be reserved (other functions reserve 200",
  ],
  [
    "what is wanted is no longer free",
    400,
    undefined,
    "listUsers=280",
    "may run 120 functions at once (of 1000; other functions reserve 600, reservedConcurrency 280)",
  ],
])("reservations of others and of the stack itself are counted as AWS does: %s", async (...row) => {
  const [, unreserved, deployed, reservedConcurrency, problem] = row;
  Object.assign(account, { unreserved, deployed });
  const eventWorkers = 100;
  const file = await optionsFile({ eventWorkers, reservedConcurrency });
  const { code, stdout } = await preflight("--options", file);
  if (problem === undefined) expect([code, stdout]).toEqual([0, expect.anything()]);
  else expect([code, stdout]).toEqual([1, expect.stringContaining(problem)]);
});

test.each([
  [10, "ingest=2", "of the account's 10 at most 0 can be reserved"],
  [1_000, "ingest=20,listUsers=880", undefined],
  [500, "ingest=401", "asks for 401 functions at once, and of the account's 500 at most 400 can be reserved"],
  [500, "ingest=400", undefined],
])(
  "reservedConcurrency is compared with the account's own quota (%i, %s)",
  async (quota, reserved, problem) => {
    Object.assign(account, { concurrency: quota, unreserved: quota });
    const eventWorkers = 2;
    const file = await optionsFile({ eventWorkers, reservedConcurrency: reserved });
    const { code, stdout } = await preflight("--options", file);
    if (problem === undefined) expect(code).toBe(0);
    else expect([code, stdout]).toEqual([1, expect.stringContaining(problem)]);
  },
);

test("without credentials the command says so in one sentence, and asks AWS nothing", async () => {
  for (const [name, value] of Object.entries(environment())) vi.stubEnv(name, value);
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"])
    vi.stubEnv(name, undefined);
  vi.stubEnv("AWS_CONFIG_FILE", "/nonexistent");
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent");
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  const { code, stdout } = await callTool("preflight");
  expect([code, stdout]).toEqual([1, expect.stringContaining("No AWS credentials were found")]);
  expect(stdout).toContain("set AWS_PROFILE");
  expect(stdout).not.toContain("Unexpected error");
  expect(models).toEqual([]);
});

describe("API Gateway's one logging role of an account", () => {
  const other = "arn:aws:iam::111122223333:role/platform-api-logs";
  const own = "arn:aws:iam::111122223333:role/ReviewApi-RestApiCloudWatchRole-AB12CD34EF56";

  test("a role of somebody else is reported, because the stack would replace it", async () => {
    account.loggingRole = other;
    const { code, stdout } = await preflight();
    expect([code, stdout]).toEqual([1, expect.stringContaining("-c apiGatewayLogRole=false")]);
    const keeping = await optionsFile({ apiGatewayLogRole: false });
    expect((await preflight("--options", keeping)).code).toBe(0);
  });

  test("the stack's own role of an earlier deployment is fine, also with a long name", async () => {
    account.loggingRole = own;
    expect((await preflight()).code).toBe(0);
    account.loggingRole = own.replace("ReviewApi", "a-very-long-name-of-a-st");
    const long = await optionsFile({ stackName: "a-very-long-name-of-a-stack-of-ours" });
    expect((await preflight("--options", long)).code).toBe(0);
    expect((await preflight()).code).toBe(1);
  });

  test("an account without a role, with the option that keeps it, is reported", async () => {
    const keeping = await optionsFile({ apiGatewayLogRole: false });
    const { code, stdout } = await preflight("--options", keeping);
    expect([code, stdout]).toEqual([1, expect.stringContaining("deployment would fail")]);
  });
});

test("a version of the firewall's rules that AWS retires is reported, only if the stack has a firewall", async () => {
  account.ruleVersions = ["Version_9.0"];
  expect((await preflight()).code).toBe(0);
  const { code, stdout } = await preflight("--options", await optionsFile({ waf: true }));
  expect([code, stdout]).toEqual([1, expect.stringContaining("It offers Version_9.0")]);
  account.ruleVersions = ready.ruleVersions;
  expect((await preflight("--options", await optionsFile({ waf: true }))).code).toBe(0);
});

function answering(name: string, status: number, body: string) {
  const given = services[name];
  Reflect.set(services, name, (_: unknown, response: ServerResponse) => response.writeHead(status).end(body));
  onTestFinished(() => void Reflect.set(services, name, given));
}

test("a missing permission is named with AWS's own words", async () => {
  answering("apigateway", 403, JSON.stringify({ message: "not authorized to perform: apigateway:GET" }));
  const { code, stdout } = await preflight();
  expect([code, stdout]).toEqual([1, expect.stringContaining("not authorized to perform: apigateway:GET")]);
  expect(stdout).toContain("Allow your own role apigateway:GET on /account");
});

test.each([
  ["servicequotas", 405, "Service Quotas answered 405"],
  ["servicequotas", 404, "Service Quotas answered 404"],
  ["apigateway", 418, "API Gateway answered 418"],
])("an answer of %s with status %i is told, and is no missing permission", async (name, status, said) => {
  answering(name, status, "<html>Method Not Allowed</html>");
  const { code, stdout } = await preflight();
  expect([code, stdout]).toEqual([1, expect.stringContaining(said)]);
  expect(stdout).toContain("This is no missing permission");
  expect(stdout).not.toContain("Allow your own role");
});

describe("the option tableName", () => {
  const restored = async () => await preflight("--options", await optionsFile({ tableName: "restored" }));

  test("a restored table with all its settings is ready", async () => {
    expect((await restored()).code).toBe(0);
  });

  test.each([
    ["time to live", { DescribeTimeToLive: {} }, "aws dynamodb update-time-to-live --table-name restored"],
    [
      "point-in-time recovery",
      { DescribeContinuousBackups: {} },
      "aws dynamodb update-continuous-backups --table-name restored",
    ],
    [
      "tags",
      { ListTagsOfResource: {} },
      'tag-resource --resource-arn arn:aws:dynamodb:eu-north-1:111122223333:table/restored --tags "Key=service,Value=review-api"',
    ],
    [
      "deletion protection",
      { DescribeTable: { Table: { ...sound.DescribeTable.Table, DeletionProtectionEnabled: false } } },
      "aws dynamodb update-table --table-name restored --deletion-protection-enabled",
    ],
    [
      "its vector index",
      { DescribeTable: { Table: { ...sound.DescribeTable.Table, VectorIndexes: [] } } },
      "it has no vector index review-index",
    ],
    [
      "a filled vector index",
      {
        DescribeTable: {
          Table: {
            ...sound.DescribeTable.Table,
            VectorIndexes: [{ ...sound.DescribeTable.Table.VectorIndexes[0], Backfilling: true }],
          },
        },
      },
      "its vector index is ACTIVE and backfilling: wait",
    ],
    ["any table", { DescribeTable: undefined }, "There is no table restored in this account and region"],
  ])(
    "a restored table without %s is reported, with the command that repairs it",
    async (_, answers, problem) => {
      tableAnswers = Object.fromEntries(
        Object.entries<object | undefined>({ ...sound, ...answers }).filter(
          (entry): entry is [string, object] => entry[1] !== undefined,
        ),
      );
      const { code, stdout } = await restored();
      expect([code, stdout]).toEqual([1, expect.stringContaining(problem)]);
    },
  );
});
