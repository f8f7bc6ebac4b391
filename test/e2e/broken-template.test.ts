import { beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { ofType, partOf, type StackTemplate } from "../infra/support.ts";
import { everyKindOfKey, World } from "../support/world.ts";
import { useDeployment } from "./deployment.ts";
import { logLines, metricsOf } from "./logs.ts";

/**
 * The end-to-end tests can fail: a template that lacks a variable, a route, a grant, a permission, a streaming mode or
 * time does not work. Each function here lacks one thing.
 */
const deployment = useDeployment({
  alter(template) {
    dropVariable(template, "whoami", "TABLE_NAME");
    dropVariable(template, "listPermissions", "METRICS_NAMESPACE");
    dropMethod(template, "GET", "ListRolesFunction");
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
  for (const [id, { Properties }] of ofType(template, "AWS::ApiGateway::Method"))
    if (Properties.HttpMethod === method && JSON.stringify(Properties).includes(`"${functionId}"`))
      delete template.Resources[id];
}

function dropStatements(template: StackTemplate, id: string, action: string): void {
  const policy = properties(template, partOf(id, "RoleDefaultPolicy"));
  const { Statement } = z.object({ Statement: z.array(z.unknown()) }).parse(policy.PolicyDocument);
  policy.PolicyDocument = { Statement: Statement.filter((each) => !JSON.stringify(each).includes(action)) };
}

function renamePartition(template: StackTemplate, id: string, from: string, to: string): void {
  const policy = properties(template, partOf(id, "RoleDefaultPolicy"));
  policy.PolicyDocument = JSON.parse(
    JSON.stringify(policy.PolicyDocument).replaceAll(`"${from}*"`, `"${to}*"`),
  );
}

function dropPermission(template: StackTemplate, id: string): void {
  for (const [permission, { Properties }] of ofType(template, "AWS::Lambda::Permission"))
    if (JSON.stringify(Properties.FunctionName).includes(partOf(id, "Function")))
      delete template.Resources[permission];
}

function bufferInsteadOfStream(template: StackTemplate, functionId: string): void {
  for (const [, { Properties }] of ofType(template, "AWS::ApiGateway::Method"))
    if (JSON.stringify(Properties).includes(`"${functionId}"`))
      Properties.Integration = JSON.parse(
        JSON.stringify(Properties.Integration)
          .replace('"STREAM"', '"BUFFERED"')
          .replace("/response-streaming-invocations", "/invocations"),
      );
}

test("what is whole works, on the same template", async () => {
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

test("without its grant a function is denied exactly what was dropped", () => {
  expect(deployment().warden.denied).toMatchObject([
    { functionId: "ListOrganizationsFunction", action: "dynamodb:BatchGetItem" },
  ]);
});

test("with the name of another table a function is denied, however well it is granted its own", async () => {
  const { status } = await call(`/v1/organizations/${fixture.organization}/repositories`);
  expect(status).toBe(500);
  expect(deployment().warden.denied.at(-1)).toMatchObject({
    functionId: "ListRepositoriesFunction",
    resource: expect.stringMatching(/another$/),
  });
});

test("with a grant for other partitions a function is denied, although its action is granted", async () => {
  expect((await call("/v1/security/scans/code")).status).toBe(500);
  expect(deployment().warden.denied.at(-1)).toMatchObject({
    functionId: "ListSecurityFindingsFunction",
    partitions: [expect.stringMatching(/^SCANS#/)],
  });
});

test("without the namespace a function's metrics are missing", async () => {
  expect((await call("/v1/roles/permissions")).status).toBe(200);
  await expect
    .poll(() => logLines(deployment()).some(({ operation }) => operation === "listPermissions"))
    .toBe(true);
  const emitted = logLines(deployment()).flatMap(metricsOf);
  expect(emitted).toContain("ReviewApi duration_ms operation=listAuditLogs");
  expect(emitted).not.toContain("ReviewApi duration_ms operation=listPermissions");
});
