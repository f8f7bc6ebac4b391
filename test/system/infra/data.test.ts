import { expect, test } from "vitest";
import { eventLimits, requestLimits } from "../../../lib/contract/limits.ts";
import type { Operation } from "../../../lib/contract/operation.ts";
import { whoami } from "../../../lib/contract/operations/keys.ts";
import {
  alarms,
  apiGatewayLimits,
  eventQueueSettings,
  functionSettings,
  lambdaLimits,
  queueLimits,
  retention,
  stackOutputs,
  throttle,
} from "../../../lib/contract/platform.ts";
import { type Worker, workers } from "../../../lib/contract/workers.ts";
import { fullOptions } from "../../measure/bench/scale/pages.ts";
import { chosenTemplate, plainTemplate } from "./built-templates.ts";
import { ofType, properties } from "./support.ts";
import { synthesize, variant } from "./synthesize.ts";

/** CloudFormation takes 500 resources in a stack. */
const resourcesMax = 420;

test("an operation takes a function and its role, whatever its path; the stack has room with every option", () => {
  const { length } = Object.keys(plainTemplate().Resources);
  expect(length).toBeLessThanOrEqual(300);
  expect(
    Object.keys(synthesize(fullOptions).Resources).length,
    `Over ${resourcesMax} resources: move the workers and alarms into a nested stack before you add more.`,
  ).toBeLessThanOrEqual(resourcesMax);
  const counted = (operations: readonly Operation[]) =>
    Object.keys(synthesize({}, { operations }).Resources).length;
  for (const path of ["/v1/added", "/v1/added/{id}", "/v1/added/{id}/below/{other}"]) {
    const added = variant(whoami, { id: "added", path });
    expect([path, counted([whoami, added]) - counted([whoami])]).toEqual([path, 2]);
  }
});

/** CloudFormation takes a template of this size from a bucket, where `cdk deploy` puts it. */
const templateBytesMax = 1_000_000;

test("the template with every option is less than half of what CloudFormation takes", () => {
  expect(JSON.stringify(synthesize(fullOptions)).length).toBeLessThan(templateBytesMax / 2);
});

test("data survives the deletion of the stack", () => {
  for (const id of ["Table", "EventsQueue", "DeadLetterQueue", "EventsBucket"])
    expect(plainTemplate().Resources[id], id).toMatchObject({
      DeletionPolicy: expect.stringMatching(/^Retain/),
      UpdateReplacePolicy: "Retain",
    });
});

test("a failed first deployment leaves only the protected table and the account's role for logs", () => {
  const kept = Object.entries(plainTemplate().Resources).filter(
    ([, { DeletionPolicy }]) => DeletionPolicy === "Retain",
  );
  expect(kept.map(([id]) => id).sort()).toEqual(["RestApiAccount", "RestApiCloudWatchRole", "Table"]);
});

test("every log group, also of the gateway's own errors, is in the stack and expires its lines in time", () => {
  const groups = ofType(plainTemplate(), "AWS::Logs::LogGroup");
  for (const [id, { Properties }] of groups)
    expect(Properties, id).toMatchObject({ RetentionInDays: retention.logDays });
  expect(properties(plainTemplate(), "ExecutionLogs").LogGroupName).toEqual({
    "Fn::Join": ["", ["API-Gateway-Execution-Logs_", { Ref: "RestApi" }, "/live"]],
  });
  expect(plainTemplate().Resources.RestApiDeploymentStageLive).toMatchObject({
    DependsOn: expect.arrayContaining(["ExecutionLogs"]),
  });
});

test("the table's properties do not change: CloudFormation would replace the table or refuse", () => {
  expect(properties(plainTemplate(), "Table")).toEqual({
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
    AttributeDefinitions: [
      { AttributeName: "pk", AttributeType: "S" },
      { AttributeName: "sk", AttributeType: "S" },
      { AttributeName: "vector_space", AttributeType: "S" },
      { AttributeName: "vector_repository", AttributeType: "S" },
    ],
    VectorIndexes: [
      {
        IndexName: "review-index",
        VectorAttribute: { AttributeName: "vector" },
        SearchSchema: [
          { AttributeName: "vector_space", SearchSchemaElementType: "HASH" },
          { AttributeName: "vector_repository", SearchSchemaElementType: "INLINE_FILTER" },
        ],
        Projection: { ProjectionType: "KEYS_ONLY" },
        Dimensions: 256,
        DistanceFunction: "COSINE",
      },
    ],
    BillingMode: "PAY_PER_REQUEST",
    TimeToLiveSpecification: { AttributeName: "ttl", Enabled: true },
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    DeletionProtectionEnabled: true,
  });
});

test("events wait in order, in an encrypted queue, and failed ones go to a FIFO queue of their own", () => {
  const shared = {
    FifoQueue: true,
    ContentBasedDeduplication: false,
    DeduplicationScope: "messageGroup",
    FifoThroughputLimit: "perMessageGroupId",
    MessageRetentionPeriod: 14 * 86_400,
    SqsManagedSseEnabled: true,
    VisibilityTimeout: 180,
  };
  expect(properties(plainTemplate(), "DeadLetterQueue")).toEqual({
    ...shared,
    MaximumMessageSize: 1_048_576,
  });
  expect(properties(plainTemplate(), "EventsQueue")).toEqual({
    ...shared,
    MaximumMessageSize: 262_144,
    RedrivePolicy: {
      deadLetterTargetArn: { "Fn::GetAtt": ["DeadLetterQueue", "Arn"] },
      maxReceiveCount: 1_000,
    },
  });
});

test("large events are stored encrypted and private, reachable over TLS only, and expire in time", () => {
  expect(properties(plainTemplate(), "EventsBucket")).toMatchObject({
    BucketEncryption: {
      ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: "AES256" } }],
    },
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    },
    LifecycleConfiguration: { Rules: [{ ExpirationInDays: retention.eventObjectDays, Status: "Enabled" }] },
  });
  for (const id of ["EventsBucketPolicy", "EventsQueuePolicy", "DeadLetterQueuePolicy"])
    expect(JSON.stringify(properties(plainTemplate(), id)), id).toContain(
      '"Condition":{"Bool":{"aws:SecureTransport":"false"}},"Effect":"Deny"',
    );
});

test("an object outlives every queue and list that can hold its event", () => {
  const longestDays = 2 * queueLimits.retentionDaysMax + eventLimits.waitingDaysMax;
  expect(retention.eventObjectDays).toBeGreaterThan(longestDays + queueLimits.retentionDaysMax);
});

test("the operator's tool finds everything by the stack's outputs", () => {
  const { domainTarget, commit, closedUrl, ...always } = stackOutputs;
  expect(Object.keys(plainTemplate().Outputs).toSorted()).toEqual(Object.values(always).toSorted());
  expect(Object.keys(chosenTemplate().Outputs)).toContain(commit);
  expect(Object.keys(chosenTemplate().Outputs)).toContain(closedUrl);
  expect(Object.keys(chosenTemplate().Outputs)).toContain(domainTarget);
  expect(plainTemplate().Outputs[stackOutputs.tableName]?.Value).toEqual({ Ref: "Table" });
  expect(plainTemplate().Outputs[stackOutputs.eventsQueueUrl]?.Value).toEqual({ Ref: "EventsQueue" });
  expect(plainTemplate().Outputs[stackOutputs.deadLetterQueueUrl]?.Value).toEqual({ Ref: "DeadLetterQueue" });
  expect(plainTemplate().Outputs[stackOutputs.eventsBucket]?.Value).toEqual({ Ref: "EventsBucket" });
  expect(plainTemplate().Outputs[stackOutputs.auditRetentionDays]?.Value).toBe("400");
  expect(JSON.stringify(plainTemplate().Outputs[stackOutputs.apiUrl]?.Value)).toMatch(/https:.*execute-api/);
});

test("names in the template are readable: only the deployment's has a hash", () => {
  const ids = Object.keys(plainTemplate().Resources);
  expect(ids.filter((id) => /[0-9a-f]{8}/i.test(id)).map((id) => id.replace(/[0-9a-f]{32}$/, ""))).toEqual([
    "RestApiDeployment",
  ]);
});

test("a function ends before the gateway gives up on it", () => {
  expect(functionSettings.operation.timeoutSeconds * 1000).toBeLessThan(apiGatewayLimits.integrationMsMax);
  expect(functionSettings.streaming.timeoutSeconds * 1000).toBeLessThan(apiGatewayLimits.streamSilenceMsMax);
});

test("a message stays hidden six times as long as its worker can run, as AWS recommends", () => {
  const queued = workers.filter((worker: Worker) => worker.trigger.kind === "queue");
  for (const { timeoutSeconds } of queued)
    expect(timeoutSeconds * 6).toBeLessThanOrEqual(eventQueueSettings.visibilitySeconds);
  expect(queued).not.toEqual([]);
});

test("an event that may be the cause becomes a dead letter before the alarm on the queue's age", () => {
  const heldSeconds = (eventLimits.triesMax - 1) * eventQueueSettings.visibilitySeconds;
  expect(heldSeconds).toBeLessThan(alarms.queueAge.secondsAbove);
});

test("a day without free concurrency for the worker turns no good event into a dead letter", () => {
  const { receivesMax, workerReceivesMax, visibilitySeconds } = eventQueueSettings;
  expect(workerReceivesMax * visibilitySeconds).toBeGreaterThanOrEqual(86_400);
  expect(receivesMax * visibilitySeconds).toBeGreaterThan(2 * 86_400);
  // One receive per visibility timeout: Lambda keeps trying to start the function in between.
  expect(queueLimits.retentionDaysMax * 86_400).toBeGreaterThan(receivesMax * visibilitySeconds);
});

test("the largest allowed body reaches the function: base64 and headers twice fit Lambda's event", () => {
  const bodyBytes = 4 * Math.ceil(requestLimits.learningsBodyBytesMax / 3);
  expect(bodyBytes + 4 * apiGatewayLimits.headerBytesMax).toBeLessThan(lambdaLimits.eventBytesMax);
});

test("the largest answer can be sent in the time that is left after the longest allowed work", () => {
  const { timeoutSeconds, work } = functionSettings.streaming;
  const slowBytes = requestLimits.responseBytesMax - lambdaLimits.streamFullSpeedBytes;
  const sendingSeconds = slowBytes / lambdaLimits.streamBytesPerSecond;
  expect(work.totalMs / 1000 + sendingSeconds).toBeLessThan(timeoutSeconds);
  expect(timeoutSeconds * 1000).toBeLessThan(apiGatewayLimits.streamMsMax);
  expect(timeoutSeconds).toBeLessThan(lambdaLimits.timeoutSecondsMax);
  expect(requestLimits.responseBytesMax).toBeLessThan(lambdaLimits.streamBytesMax);
});

test("work and answer end before Lambda's timeout, with time to finish", () => {
  for (const { timeoutSeconds, work } of [functionSettings.operation, functionSettings.streaming]) {
    expect(work.totalMs + work.answerMs).toBeLessThanOrEqual(timeoutSeconds * 1000);
    expect(work.wrapUpMs).toBeLessThan(work.totalMs);
  }
});

test("a batch of the largest messages fits Lambda's event, and a message fits the queue", () => {
  expect(eventLimits.inlineBytesMax).toBeLessThan(queueLimits.messageBytesMax);
  const batchBytes = eventQueueSettings.batchMessagesMax * queueLimits.messageBytesMax;
  expect(batchBytes).toBeLessThan(lambdaLimits.eventBytesMax);
});

test("callers and workers at their maximum stay within the account's concurrency", () => {
  const { concurrencyMax, concurrencyUnreservedMin } = lambdaLimits;
  const atOnce = throttle.burstRequests + eventQueueSettings.workers + workers.length;
  expect(atOnce).toBeLessThanOrEqual(concurrencyMax - concurrencyUnreservedMin);
});
