import { beforeAll, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { callTool } from "../../cli/support.ts";
import { everyKindOfKey, World } from "../../support/world.ts";
import { alterRoutes, partOf, type StackTemplate } from "../infra/support.ts";
import { useDeployment } from "./deployment.ts";
import { logLines, metricsOf } from "./logs.ts";
import { useAsOperator } from "./operator-aws.ts";

/**
 * The end-to-end tests can fail: a template that lacks a variable, a route, a grant, a permission, a streaming mode or
 * time does not work. Each function here lacks one thing.
 */
const deployment = useDeployment({
  alter(template) {
    dropVariable(template, "whoami", "TABLE_NAME");
    dropVariable(template, "reconcileIndex", "METRICS_NAMESPACE");
    dropMethod(template, "get", "ListRolesFunction");
    dropStatements(template, "listOrganizations", "dynamodb:BatchGetItem");
    dropPermission(template, "listUsers");
    bufferInsteadOfStream(template, "ListLearningsFunction");
    properties(template, partOf("getSeatAssignment", "Function")).Handler = "index.missing";
    renameTable(template, "listRepositories");
    renamePartition(template, "listSecurityFindings", "SCANS#", "ELSE#");
  },
});

const world = new World(() => deployment().store.table);
let fixture: Awaited<ReturnType<typeof everyKindOfKey>>;
beforeAll(async () => {
  fixture = await everyKindOfKey(world, "broken");
});
const call = (target: string) => deployment().call(target, { key: fixture.keys.organization.text });

function properties(template: StackTemplate, id: string): Record<string, unknown> {
  const resource = template.Resources[id];
  if (!resource) throw new Error(`The template has no ${id}.`);
  return resource.Properties;
}

/** The inline policy of a role, to change. */
function policyOf(template: StackTemplate, roleId: string): Record<string, unknown> {
  const { Policies } = properties(template, roleId);
  const policy: unknown = Array.isArray(Policies) ? Policies[0] : undefined;
  if (!isRecord(policy)) throw new Error(`${roleId} has no policy.`);
  return policy;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const environment = z.object({ Variables: z.record(z.string(), z.unknown()) });

function dropVariable(template: StackTemplate, id: string, name: string): void {
  const own = properties(template, partOf(id, "Function"));
  const { [name]: dropped, ...rest } = environment.parse(own.Environment).Variables;
  if (dropped === undefined) throw new Error(`${id} has no ${name} to drop.`);
  own.Environment = { Variables: rest };
}

function renameTable(template: StackTemplate, id: string): void {
  const own = properties(template, partOf(id, "Function"));
  own.Environment = { Variables: { ...environment.parse(own.Environment).Variables, TABLE_NAME: "another" } };
}

function dropMethod(template: StackTemplate, method: string, functionId: string): void {
  alterRoutes(template, functionId, (integration, each) => (each === method ? undefined : integration));
}

function dropStatements(template: StackTemplate, id: string, action: string): void {
  const policy = policyOf(template, partOf(id, "Role"));
  const { Statement } = z.object({ Statement: z.array(z.unknown()) }).parse(policy.PolicyDocument);
  policy.PolicyDocument = { Statement: Statement.filter((each) => !JSON.stringify(each).includes(action)) };
}

function renamePartition(template: StackTemplate, id: string, from: string, to: string): void {
  const policy = policyOf(template, partOf(id, "Role"));
  policy.PolicyDocument = JSON.parse(
    JSON.stringify(policy.PolicyDocument).replaceAll(`"${from}*"`, `"${to}*"`),
  );
}

function dropPermission(template: StackTemplate, id: string): void {
  const policy = policyOf(template, "InvokeRole");
  policy.PolicyDocument = JSON.parse(
    JSON.stringify(policy.PolicyDocument).replace(`"${partOf(id, "Function")}"`, '"WhoamiFunction"'),
  );
}

function bufferInsteadOfStream(template: StackTemplate, functionId: string): void {
  alterRoutes(template, functionId, (integration) =>
    JSON.parse(
      JSON.stringify(integration)
        .replace('"STREAM"', '"BUFFERED"')
        .replace("/response-streaming-invocations", "/invocations"),
    ),
  );
}

test("a function with a complete configuration works on the same template", async () => {
  expect((await call("/v1/audit-logs")).status).toBe(200);
});

test.each([
  ["a variable", "/v1/whoami", 503],
  ["a route", "/v1/roles", 405],
  ["a grant", "/v1/organizations", 500],
  ["the gateway's leave to invoke", "/v1/users", 500],
  ["the streaming mode", "/v1/learnings", 503],
  ["its handler", "/v1/users/seats/assignment", 503],
])("without %s %s is a %i", async (_, target, status) => {
  expect((await call(target)).status).toBe(status);
});

test("a function without its grant is denied exactly the dropped calls", () => {
  expect(deployment().iamProxy.denied).toMatchObject([
    { functionId: "ListOrganizationsFunction", action: "dynamodb:GetItem" },
  ]);
});

test("a function with the name of another table is denied, although its own table is granted", async () => {
  const { status } = await call(`/v1/organizations/${fixture.organization}/repositories`);
  expect(status).toBe(500);
  expect(deployment().iamProxy.denied.at(-1)).toMatchObject({
    functionId: "ListRepositoriesFunction",
    resource: expect.stringMatching(/another$/),
  });
});

test("a function with a grant for other partitions is denied, although its action is granted", async () => {
  expect((await call("/v1/security/scans/code")).status).toBe(500);
  expect(deployment().iamProxy.denied.at(-1)).toMatchObject({
    functionId: "ListSecurityFindingsFunction",
    partitions: [expect.stringMatching(/^SCANS#/)],
  });
});

test("the metrics of a function without the namespace are missing", async () => {
  for (const rule of ["ScheduleReconcileIndex", "ScheduleExpireWaiting"]) await deployment().wake(rule);
  await expect.poll(() => logLines(deployment()).flatMap(metricsOf)).toContain("ReviewApi events_waiting");
  await expect.poll(() => logLines(deployment()).some((line) => "index_stale" in line)).toBe(true);
  expect(logLines(deployment()).flatMap(metricsOf)).not.toContain("ReviewApi index_stale");
});

const report = z.object({
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), problem: z.string().nullable() })),
});

test("`verify` on this stack with a dead Bedrock names what is broken and what to do; other checks pass", async () => {
  deployment().iamProxy.interfere(({ service }) =>
    service === "bedrock" ? { status: 503, body: "{}" } : undefined,
  );
  onTestFinished(() => deployment().iamProxy.interfere());
  await useAsOperator(deployment());
  const { code, stdout } = await callTool("verify", "--stack", "ReviewApi", "--json");
  const failed = report.parse(JSON.parse(stdout)).checks.filter(({ ok }) => !ok);
  const inLog = (id: string, status: number, wanted: number, said: string) =>
    expect.stringMatching(
      new RegExp(
        `^${id} answered ${status} instead of ${wanted} \\(${said}.*\\)\\. The log of the function ${id} says why: look for ` +
          "request [0-9a-f-]{36} .* AccessDenied there means a missing grant\\. No line there means that API Gateway answered",
      ),
    );
  const away = (id: string, wanted: number) => inLog(id, 503, wanted, "SERVICE_UNAVAILABLE: ");
  const denied = (id: string, wanted: number) => inLog(id, 500, wanted, "INTERNAL_ERROR: ");
  const noRoute = expect.stringMatching(/^listRoles answered 405 .*Either an older release is deployed, or/);
  expect(Object.fromEntries(failed.map(({ name, problem }) => [name, problem]))).toEqual({
    "whoami works": away("whoami", 200),
    "whoami refuses a call without a key": away("whoami", 401),
    "rotateKey works": away("whoami", 200),
    "listRoles works": noRoute,
    "listRoles refuses a call without a key": noRoute,
    "listOrganizations works": denied("listOrganizations", 200),
    "listUsers works": denied("listUsers", 200),
    "listUsers refuses a call without a key": denied("listUsers", 401),
    "listLearnings works": away("listLearnings", 200),
    "listLearnings refuses a call without a key": away("listLearnings", 401),
    "decideLearning works": away("listLearnings", 200),
    "getSeatAssignment works": away("getSeatAssignment", 200),
    "getSeatAssignment refuses a call without a key": away("getSeatAssignment", 401),
    "listRepositories works": denied("listRepositories", 200),
    "listSecurityFindings works": denied("listSecurityFindings", 200),
    "an embedding is made of a new Learning": expect.stringMatching(
      /^The Learning was stored but has no vector: the embedding model did not answer\. Run npx --no-install review-api preflight/,
    ),
    "updateLearning works": expect.stringMatching(
      /INDEX_REFRESH_FAILED.* first repair what the check of the embedding reports\.$/,
    ),
    "searchLearnings works": expect.stringMatching(
      /SERVICE_UNAVAILABLE.* first repair what the check of the embedding reports\.$/,
    ),
    "a vector search finds it":
      "Not tried: nothing is indexed. First repair what the check of the embedding reports.",
  });
  expect(code).toBe(1);
}, 240_000);
