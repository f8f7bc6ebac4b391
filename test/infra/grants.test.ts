import { describe, expect, test } from "vitest";
import { chainGrants } from "../../lib/contract/grants.ts";
import type { Operation, TableAction } from "../../lib/contract/operation.ts";
import { whoami } from "../../lib/contract/operations/keys.ts";
import { operations } from "../../lib/contract/operations.ts";
import { eventQueueSettings } from "../../lib/contract/platform.ts";
import {
  expireWaiting,
  ingest,
  internalFunctions,
  type Worker,
  workers,
} from "../../lib/contract/workers.ts";
import {
  documentStatements,
  environmentOf,
  ofType,
  partOf,
  plainTemplate,
  properties,
  type Statement,
  statementsOf,
  synthesize,
  variant,
} from "./support.ts";

const contract: readonly Operation[] = operations;
const workerList: readonly Worker[] = workers;
const everyFunction = [
  ...[...contract, ...workerList, ...internalFunctions].map(({ id }) => id),
  "reference",
  "fallback",
];

const tableArn = { "Fn::GetAtt": ["Table", "Arn"] };
const table = (actions: readonly TableAction[], partitions?: readonly string[]) => ({
  Effect: "Allow",
  Action: actions.map((action) => `dynamodb:${action}`).toSorted(),
  Resource: [tableArn],
  Condition: partitions && {
    "ForAllValues:StringLike": { "dynamodb:LeadingKeys": partitions.map((prefix) => `${prefix}*`) },
    Null: { "dynamodb:LeadingKeys": "false" },
  },
});
const invokeModel = (modelId: string) => ({
  Effect: "Allow",
  Action: ["bedrock:InvokeModel"],
  Resource: [
    {
      "Fn::Join": [
        "",
        [
          "arn:",
          { Ref: "AWS::Partition" },
          ":bedrock:",
          { Ref: "AWS::Region" },
          `::foundation-model/${modelId}`,
        ],
      ],
    },
  ],
  Condition: undefined,
});
const onTable = (statements: readonly Statement[]) =>
  statements.filter(({ Action }) => Action.some((action) => action.startsWith("dynamodb:")));
const beyondLogsAndTraces = (statements: readonly Statement[]) =>
  statements.filter(({ Action }) => !Action.some((action) => /^(logs|xray):/.test(action)));

describe("roles", () => {
  test("every function has a role, a policy and a log group of its own", () => {
    const template = plainTemplate();
    expect(
      ofType(template, "AWS::Lambda::Function")
        .map(([id]) => id)
        .toSorted(),
    ).toEqual(everyFunction.map((id) => partOf(id, "Function")).toSorted());
    for (const id of everyFunction) {
      expect(properties(template, partOf(id, "Function"))).toMatchObject({
        Role: { "Fn::GetAtt": [partOf(id, "Role"), "Arn"] },
        LoggingConfig: { LogGroup: { Ref: partOf(id, "Logs") } },
        Runtime: "nodejs24.x",
        Architectures: ["arm64"],
        TracingConfig: { Mode: "Active" },
      });
      expect(properties(template, partOf(id, "Role"))).not.toHaveProperty("ManagedPolicyArns");
      expect(properties(template, partOf(id, "RoleDefaultPolicy")).Roles).toEqual([
        { Ref: partOf(id, "Role") },
      ]);
      expect(properties(template, partOf(id, "Logs"))).toMatchObject({ RetentionInDays: 90 });
    }
  });

  test("no policy names a wildcard action", () => {
    const policies = ofType(plainTemplate(), "AWS::IAM::Policy");
    const actions = policies.flatMap(([, { Properties }]) =>
      documentStatements(Properties.PolicyDocument).flatMap(({ Action }) => Action),
    );
    expect(actions.length).toBeGreaterThan(50);
    expect(actions.filter((action) => action.includes("*"))).toEqual([]);
  });

  test("wildcard resources are X-Ray, which has no resources, and the objects of the events bucket", () => {
    const wild = everyFunction.flatMap((id) =>
      statementsOf(plainTemplate(), id)
        .filter(({ Resource }) => JSON.stringify(Resource).includes("*"))
        .map(({ Action, Resource }) => [id, Action, Resource] as const),
    );
    const traces = everyFunction.map((id) => [
      id,
      ["xray:PutTelemetryRecords", "xray:PutTraceSegments"],
      ["*"],
    ]);
    const objects = { "Fn::Join": ["", [{ "Fn::GetAtt": ["EventsBucket", "Arn"] }, "/*"]] };
    const readers = workerList.filter(({ uses }) => uses.includes("eventsBucket"));
    const reads = readers.map(({ id }) => [id, ["s3:GetObject"], [objects]]);
    expect(wild).toHaveLength(traces.length + reads.length);
    expect(wild).toEqual(expect.arrayContaining([...traces, ...reads]));
  });

  test.each(contract)("$id may do what the chain does and what its entry says, nothing more", (operation) => {
    const own = operation.tableActions.length > 0 ? [table(operation.tableActions)] : [];
    const model = operation.uses?.includes("embedder") ? [invokeModel("amazon.titan-embed-text-v2:0")] : [];
    const chain = chainGrants.map(({ actions, partitions }) => table(actions, partitions));
    expect(beyondLogsAndTraces(statementsOf(plainTemplate(), operation.id))).toEqual([
      ...chain,
      ...own,
      ...model,
    ]);
  });

  test("a grant in the contract becomes a statement; a search is bound to its index", () => {
    const search = variant(whoami, {
      id: "search",
      path: "/v1/search",
      tableActions: ["BatchGetItem", "SearchVectors"],
    });
    const statements = onTable(statementsOf(synthesize({}, { operations: [search] }), "search"));
    expect(statements.slice(chainGrants.length)).toEqual([
      table(["BatchGetItem"]),
      {
        Effect: "Allow",
        Action: ["dynamodb:SearchVectors"],
        Resource: [{ "Fn::Join": ["", [tableArn, "/index/review-index"]] }],
        Condition: undefined,
      },
    ]);
  });

  test.each(["fallback", "reference"])("the %s can neither see the table nor find it", (id) => {
    expect(beyondLogsAndTraces(statementsOf(plainTemplate(), id))).toEqual([]);
    expect(environmentOf(plainTemplate(), id)).toEqual({});
  });
});

describe("workers", () => {
  const queueArn = (id: string) => ({ "Fn::GetAtt": [id, "Arn"] });

  test("ingest reads its queue, the events bucket and the table, and sends dead letters", () => {
    const statements = beyondLogsAndTraces(statementsOf(plainTemplate(), "ingest"));
    expect(statements.map(({ Action, Resource }) => [Action, Resource])).toEqual([
      [ingest.tableActions.map((action) => `dynamodb:${action}`).toSorted(), [tableArn]],
      [["sqs:SendMessage"], [queueArn("DeadLetterQueue")]],
      [["s3:GetObject"], [{ "Fn::Join": ["", [queueArn("EventsBucket"), "/*"]] }]],
      [["s3:ListBucket"], [queueArn("EventsBucket")]],
      [["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"], [queueArn("EventsQueue")]],
    ]);
    expect(Object.keys(environmentOf(plainTemplate(), "ingest")).toSorted()).toEqual([
      "AUDIT_RETENTION_DAYS",
      "DEAD_LETTER_QUEUE_URL",
      "EVENTS_BUCKET",
      "METRICS_NAMESPACE",
      "TABLE_NAME",
    ]);
  });

  test("the queue feeds ingest in batches, each message failing alone", () => {
    expect(properties(plainTemplate(), "EventsMapping")).toEqual({
      EventSourceArn: queueArn("EventsQueue"),
      FunctionName: { Ref: "IngestFunction" },
      BatchSize: 10,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      ScalingConfig: { MaximumConcurrency: eventQueueSettings.workersMax },
    });
  });

  test("scheduled workers are woken by the clock and by nobody else", () => {
    expect(properties(plainTemplate(), "ScheduleExpireWaiting")).toMatchObject({
      ScheduleExpression: "rate(1 hour)",
      State: "ENABLED",
      Targets: [{ Arn: { "Fn::GetAtt": ["ExpireWaitingFunction", "Arn"] } }],
    });
    expect(properties(plainTemplate(), "ScheduleExpireWaitingPermission")).toMatchObject({
      FunctionName: { "Fn::GetAtt": ["ExpireWaitingFunction", "Arn"] },
      Principal: "events.amazonaws.com",
      SourceArn: { "Fn::GetAtt": ["ScheduleExpireWaiting", "Arn"] },
    });
    expect(Object.keys(environmentOf(plainTemplate(), "expireWaiting")).toSorted()).toEqual([
      "AUDIT_RETENTION_DAYS",
      "DEAD_LETTER_QUEUE_URL",
      "EVENTS_BUCKET",
      "METRICS_NAMESPACE",
      "TABLE_NAME",
    ]);
  });

  test("what a worker does not use it is neither told nor granted", () => {
    const bare: Worker = { ...expireWaiting, id: "bare", uses: [], tableActions: ["Query"] };
    const template = synthesize({}, { workers: [ingest, bare] });
    expect(beyondLogsAndTraces(statementsOf(template, "bare"))).toEqual([table(["Query"])]);
    expect(Object.keys(environmentOf(template, "bare")).toSorted()).toEqual([
      "AUDIT_RETENTION_DAYS",
      "METRICS_NAMESPACE",
      "TABLE_NAME",
    ]);
  });

  test("a worker that embeds may call the one model it was given", () => {
    const indexer: Worker = { ...expireWaiting, id: "indexer", uses: ["embedder"] };
    const template = synthesize({ bedrockModelId: "some.model-v1:0" }, { workers: [ingest, indexer] });
    expect(beyondLogsAndTraces(statementsOf(template, "indexer"))).toEqual([
      table(indexer.tableActions),
      invokeModel("some.model-v1:0"),
    ]);
    expect(environmentOf(template, "indexer")).toMatchObject({ BEDROCK_MODEL_ID: "some.model-v1:0" });
  });
});

describe("internal functions", () => {
  test.each(internalFunctions)("nothing leads to $id: the account's roles invoke it by name", ({ id }) => {
    const permissions = ofType(plainTemplate(), "AWS::Lambda::Permission");
    const invoked = permissions.map(([, { Properties }]) => JSON.stringify(Properties.FunctionName));
    expect(invoked.filter((name) => name.includes(partOf(id, "Function")))).toEqual([]);
    expect(invoked.length).toBeGreaterThan(contract.length);
    expect(plainTemplate().Outputs.SearchLearningsFunctionName?.Value).toEqual({
      Ref: "SearchLearningsFunction",
    });
  });
});
