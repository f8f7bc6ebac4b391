import { describe, expect, test } from "vitest";
import {
  deniedAttributes,
  operationGrants,
  type TableGrant,
  workerGrants,
} from "../../../lib/contract/grants.ts";
import type { Operation } from "../../../lib/contract/operation.ts";
import { operations } from "../../../lib/contract/operations.ts";
import { eventQueueSettings } from "../../../lib/contract/platform.ts";
import {
  type InternalFunction,
  ingest,
  internalFunctions,
  type Worker,
  workers,
} from "../../../lib/contract/workers.ts";
import { chosenOptions } from "./build.ts";
import { chosenTemplate, plainTemplate } from "./built-templates.ts";
import {
  environmentOf,
  ofType,
  partOf,
  properties,
  roleStatementsOf,
  routesOf,
  type Statement,
  statementsOf,
} from "./support.ts";

const contract: readonly Operation[] = operations;
const workerList: readonly Worker[] = workers;
const everyFunction = [
  ...[...contract, ...workerList, ...internalFunctions].map(({ id }) => id),
  "mcp",
  "reference",
  "fallback",
];

const ofApi = [...contract.map(({ id }) => id), "mcp", "reference", "fallback"];

const tableArn = { "Fn::GetAtt": ["Table", "Arn"] };
/** A search has no leading keys, and its resource is the index. */
const searchStatement = {
  Effect: "Allow",
  Action: ["dynamodb:SearchVectors"],
  Resource: [{ "Fn::Join": ["", [tableArn, "/index/review-index"]] }],
};
const table = (grant: TableGrant) =>
  grant.actions.includes("SearchVectors") ? searchStatement : tableStatement(grant);
const tableStatement = ({ actions, partitions, inside }: TableGrant) => ({
  Effect: "Allow",
  Action: actions.map((action) => `dynamodb:${action}`).toSorted(),
  Resource: [tableArn],
  Condition: {
    "ForAllValues:StringLike": { "dynamodb:LeadingKeys": partitions },
    Null: { "dynamodb:LeadingKeys": "false" },
    ...(inside && { "ForAnyValue:StringEquals": { "dynamodb:EnclosingOperation": [inside] } }),
  },
});
const denial = (attributes: readonly string[]) => ({
  Effect: "Deny",
  Action: ["dynamodb:BatchWriteItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
  Resource: [tableArn],
  Condition: { "ForAnyValue:StringEquals": { "dynamodb:Attributes": attributes } },
});
/** CDK merges statements that differ only in their actions. */
const merged = (grants: readonly TableGrant[]): TableGrant[] =>
  [...Map.groupBy(grants, ({ partitions, inside }) => JSON.stringify([partitions, inside])).values()].map(
    ([first, ...others]) => ({
      ...(first ?? { partitions: [] }),
      actions: [first, ...others].flatMap((grant) => grant?.actions ?? []),
    }),
  );
/** In the stack's own region unless one is given. */
const invokeModel = (modelId: string, region?: string) => ({
  Effect: "Allow",
  Action: ["bedrock:InvokeModel"],
  Resource: [
    {
      "Fn::Join": [
        "",
        [
          "arn:",
          { Ref: "AWS::Partition" },
          ...(region === undefined
            ? [":bedrock:", { Ref: "AWS::Region" }, `::foundation-model/${modelId}`]
            : [`:bedrock:${region}::foundation-model/${modelId}`]),
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
  test("every function has a role with one inline policy, and logs with its kind", () => {
    const template = plainTemplate();
    expect(
      ofType(template, "AWS::Lambda::Function")
        .map(([id]) => id)
        .toSorted(),
    ).toEqual(everyFunction.map((id) => partOf(id, "Function")).toSorted());
    for (const id of everyFunction) {
      expect(properties(template, partOf(id, "Function"))).toMatchObject({
        Role: { "Fn::GetAtt": [partOf(id, "Role"), "Arn"] },
        LoggingConfig: { LogGroup: { Ref: ofApi.includes(id) ? "ApiLogs" : "WorkerLogs" } },
        Runtime: "nodejs24.x",
        Architectures: ["arm64"],
      });
      expect(properties(template, partOf(id, "Role"))).not.toHaveProperty("ManagedPolicyArns");
    }
    expect(ofType(template, "AWS::IAM::Policy")).toEqual([]);
    for (const id of ["ApiLogs", "WorkerLogs"])
      expect(properties(template, id)).toMatchObject({ RetentionInDays: 90 });
  });

  test("no policy names a wildcard action", () => {
    const roles = [...everyFunction.map((id) => partOf(id, "Role")), "InvokeRole"];
    const actions = roles.flatMap((id) =>
      roleStatementsOf(plainTemplate(), id).flatMap(({ Action }) => Action),
    );
    expect(actions.length).toBeGreaterThan(50);
    expect(actions.filter((action) => action.includes("*"))).toEqual([]);
  });

  test("wildcard resources are the objects of the events bucket", () => {
    const wild = everyFunction.flatMap((id) =>
      statementsOf(plainTemplate(), id)
        .filter(({ Resource }) => JSON.stringify(Resource).includes("*"))
        .map(({ Action, Resource }) => [id, Action, Resource] as const),
    );
    const objects = { "Fn::Join": ["", [{ "Fn::GetAtt": ["EventsBucket", "Arn"] }, "/*"]] };
    const readers = workerList.filter(({ uses }) => uses.includes("eventsBucket"));
    const reads = readers.map(({ id }) => [id, ["s3:GetObject"], [objects]]);
    expect(wild).toHaveLength(reads.length);
    expect(wild).toEqual(expect.arrayContaining(reads));
  });

  test.each(contract)("$id may do what the chain and its own entry need, nothing more", (operation) => {
    const model = operation.uses?.includes("embedder") ? [invokeModel("amazon.titan-embed-text-v2:0")] : [];
    expect(beyondLogsAndTraces(statementsOf(plainTemplate(), operation.id))).toEqual([
      ...merged(operationGrants(operation)).map(table),
      denial(deniedAttributes(operation)),
      ...model,
    ]);
  });

  test("no statement on the table covers the whole table", () => {
    const statements = everyFunction.flatMap((id) => onTable(statementsOf(plainTemplate(), id)));
    const unbound = statements.filter(({ Condition }) => Condition === undefined);
    // Of the public search, and of the reviewer's.
    expect(unbound).toEqual([searchStatement, searchStatement]);
    expect(JSON.stringify(statements)).not.toContain('"dynamodb:LeadingKeys":[]');
  });

  /** The functions with this action on a partition with this prefix, inside a transaction or not. */
  const holdersOf = (action: string, prefix: string, operation?: string) =>
    everyFunction.filter((id) =>
      onTable(statementsOf(plainTemplate(), id)).some(
        ({ Action, Condition }) =>
          Action.includes(`dynamodb:${action}`) &&
          JSON.stringify(Condition ?? {}).includes(`"${prefix}`) &&
          (operation === undefined || JSON.stringify(Condition).includes(`["${operation}"]`)),
      ),
    );

  test("only functions that read snapshots may read in transactions, and only there", () => {
    const readers = (prefix: string) => holdersOf("GetItem", prefix, "TransactGetItems");
    const ofMembersLists = [
      ...["createLearnings", "decideLearning", "deleteLearning", "getLearning", "listLearnings"],
      ...["searchLearnings", "updateLearning"],
    ];
    const ofEvents = ["expireWaiting", "ingest"];
    expect(readers("ORG#").toSorted()).toEqual([...ofMembersLists, ...ofEvents].toSorted());
    expect(readers("LEARNINGS#")).toEqual(["listLearnings"]);
    expect(readers("S#").toSorted()).toEqual([...ofEvents, "finishMoves", "housekeeping"].toSorted());
    expect(readers("").toSorted()).toEqual(
      [...ofMembersLists, ...ofEvents, "finishMoves", "housekeeping", "reconcileIndex"].toSorted(),
    );
  });

  test.each(["fallback", "reference"])("the %s has neither access to the table nor its name", (id) => {
    expect(beyondLogsAndTraces(statementsOf(plainTemplate(), id))).toEqual([]);
    expect(environmentOf(plainTemplate(), id)).toEqual({
      METRICS_NAMESPACE: "ReviewApi",
      RELEASE: expect.any(String),
    });
  });
});

test("MCP has no grant, and its address refers to nothing of the stack, so that the template has no circle", () => {
  expect(beyondLogsAndTraces(statementsOf(plainTemplate(), "mcp"))).toEqual([]);
  expect(environmentOf(plainTemplate(), "mcp")).toEqual({
    METRICS_NAMESPACE: "ReviewApi",
    RELEASE: expect.any(String),
    API_URL: {
      "Fn::Join": [
        "",
        [
          ...["https://{apiId}.execute-api.", { Ref: "AWS::Region" }],
          ...[".", { Ref: "AWS::URLSuffix" }, "/live"],
        ],
      ],
    },
  });
});

describe("workers", () => {
  const queueArn = (id: string) => ({ "Fn::GetAtt": [id, "Arn"] });

  test("ingest reads its queue, the events bucket and the table, and sends dead letters", () => {
    const statements = beyondLogsAndTraces(statementsOf(plainTemplate(), "ingest"));
    expect(statements.map(({ Action, Resource }) => [Action, Resource])).toEqual([
      ...merged(workerGrants(ingest)).map(({ actions }) => [
        actions.map((action) => `dynamodb:${action}`).toSorted(),
        [tableArn],
      ]),
      [["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"], [queueArn("EventsQueue")]],
      [["sqs:SendMessage"], [queueArn("DeadLetterQueue")]],
      [["s3:GetObject"], [{ "Fn::Join": ["", [queueArn("EventsBucket"), "/*"]] }]],
      [["s3:ListBucket"], [queueArn("EventsBucket")]],
    ]);
    expect(Object.keys(environmentOf(plainTemplate(), "ingest")).toSorted()).toEqual([
      "AUDIT_RETENTION_DAYS",
      "DEAD_LETTER_QUEUE_URL",
      "EVENTS_BUCKET",
      "METRICS_NAMESPACE",
      "RELEASE",
      "TABLE_NAME",
    ]);
  });

  test("the queue delivers to ingest in batches, and each message fails alone", () => {
    expect(properties(plainTemplate(), "EventsMapping")).toEqual({
      EventSourceArn: queueArn("EventsQueue"),
      FunctionName: { Ref: "IngestFunction" },
      BatchSize: 10,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      ScalingConfig: { MaximumConcurrency: eventQueueSettings.workers },
    });
  });

  test("scheduled workers are triggered by the clock only", () => {
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
      "RELEASE",
      "TABLE_NAME",
    ]);
  });

  test("AWS neither retries a failed run nor keeps a throttled one: the next run does the work", () => {
    const scheduled = workerList.filter(({ trigger }) => trigger.kind === "schedule");
    const configured = ofType(plainTemplate(), "AWS::Lambda::EventInvokeConfig").map(
      ([, each]) => each.Properties,
    );
    expect(configured).toEqual(
      scheduled.map(({ id }) => ({
        FunctionName: { Ref: partOf(id, "Function") },
        Qualifier: "$LATEST",
        MaximumRetryAttempts: 0,
        MaximumEventAgeInSeconds: 60,
      })),
    );
  });

  const functions: ReadonlyArray<InternalFunction> = [...workerList, ...internalFunctions];
  test.each(functions)("$id has the variables and grants that it uses", (worker) => {
    const template = chosenTemplate();
    const { uses } = worker;
    const statements = beyondLogsAndTraces(statementsOf(template, worker.id));
    const granted = merged(workerGrants(worker))
      .map(({ actions, ...grant }) => ({
        ...grant,
        actions: actions.filter((action) => action !== "SearchVectors"),
      }))
      .filter(({ actions }) => actions.length > 0);
    expect(statements.slice(0, 1)).toEqual(granted.slice(0, 1).map(table));
    expect(statements).toEqual(expect.arrayContaining(granted.map(table)));
    const rest = statements.slice(1);
    const models = rest.filter(({ Action }) => Action.includes("bedrock:InvokeModel"));
    const own: readonly string[] = uses;
    const { bedrockModelId, bedrockRegion } = chosenOptions;
    expect(models).toEqual(own.includes("embedder") ? [invokeModel(bedrockModelId, bedrockRegion)] : []);
    expect(Object.keys(environmentOf(template, worker.id)).toSorted()).toEqual(
      [
        ...["METRICS_NAMESPACE", "RELEASE"],
        ...(workerGrants(worker).length > 0 ? ["AUDIT_RETENTION_DAYS", "TABLE_NAME"] : []),
        ...(own.includes("publicApi") ? ["API_URL"] : []),
        ...(own.includes("embedder") ? ["BEDROCK_MODEL_ID", "BEDROCK_REGION"] : []),
        ...(own.includes("eventsBucket") ? ["EVENTS_BUCKET"] : []),
        ...(own.includes("deadLetterQueue") ? ["DEAD_LETTER_QUEUE_URL"] : []),
      ].toSorted(),
    );
  });
});

describe("internal functions", () => {
  test.each(internalFunctions)("no route or trigger leads to $id: roles invoke it by name", ({ id }) => {
    const permissions = ofType(plainTemplate(), "AWS::Lambda::Permission");
    const invoked = permissions.map(([, { Properties }]) => JSON.stringify(Properties.FunctionName));
    expect(invoked.filter((name) => name.includes(partOf(id, "Function")))).toEqual([]);
    expect(invoked.length).toBeGreaterThan(0);
    const routes = routesOf(plainTemplate()).map(({ functionId }) => functionId);
    expect(routes).not.toContain(partOf(id, "Function"));
    expect(plainTemplate().Outputs.SearchForReviewFunctionName?.Value).toEqual({
      Ref: "SearchForReviewFunction",
    });
  });
});
