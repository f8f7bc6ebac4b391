import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { parseOptions, type StackOptions } from "../../../infra/options.ts";
import { createApp } from "../../../infra/stack.ts";
import type { Operation } from "../../../lib/contract/operation.ts";
import { whoami } from "../../../lib/contract/operations/keys.ts";
import { operations } from "../../../lib/contract/operations.ts";
import { lambdaLimits, stackOutputs } from "../../../lib/contract/platform.ts";
import { ingest, rotateCursorKeys } from "../../../lib/contract/workers.ts";
import { chosenOptions } from "./build.ts";
import { chosenTemplate, plainTemplate } from "./built-templates.ts";
import { everyOption } from "./every-option.ts";
import {
  definitionOf,
  environmentOf,
  gatewayResponsesOf,
  ofType,
  partOf,
  properties,
  type StackTemplate,
  statementsOf,
} from "./support.ts";
import { noCode, synthesize, testContext, variant } from "./synthesize.ts";

const contract: readonly Operation[] = operations;
const given = (options: Readonly<Record<string, unknown>>) => parseOptions((name) => options[name]);
/** One operation and one worker: most options do not depend on the number of functions. */
const few = { operations: [whoami], workers: [ingest] };
const small = (options: Readonly<Record<string, unknown>>) => synthesize(options, few);

const atTheEdge = [...contract.map(({ id }) => id), "mcp", "fallback"];

const policySchema = z.object({ Statement: z.array(z.object({ Action: z.unknown() }).loose()) });

const certificateArn = "arn:aws:acm:eu-west-1:111122223333:certificate/0a1b";
const domain = { domainName: "api.example.com", certificateArn };

/** The effect of each option on the template. The type requires every option: one without a test does not compile. */
const effects: Readonly<Record<keyof StackOptions, Readonly<Record<string, () => void>>>> = {
  stackName: {
    "names the stack's API and dashboard": () => {
      const template = small({ stackName: "Blue" });
      expect(properties(template, "RestApi")).toMatchObject({ Name: "Blue" });
      expect(properties(template, "Dashboard")).toMatchObject({ DashboardName: "Blue" });
    },
  },
  stage: {
    "names the API's stage": () => {
      expect(properties(small({ stage: "blue" }), "RestApiDeploymentStageBlue")).toMatchObject({
        StageName: "blue",
      });
    },
  },
  domainName: {
    "serves the API at the root of that name": () => {
      const template = small(domain);
      expect(properties(template, "RestApiDomain")).toMatchObject({ DomainName: "api.example.com" });
      const [[, mapping] = []] = ofType(template, "AWS::ApiGateway::BasePathMapping");
      expect(mapping?.Properties).not.toHaveProperty("BasePath");
      expect(template.Outputs.ApiUrl?.Value).toBe("https://api.example.com");
      expect(ofType(template, "AWS::Route53::RecordSet")).toEqual([]);
    },
  },
  certificateArn: {
    "sets the domain's certificate, with at least TLS 1.2": () => {
      expect(properties(small(domain), "RestApiDomain")).toEqual({
        DomainName: "api.example.com",
        RegionalCertificateArn: certificateArn,
        EndpointConfiguration: { Types: ["REGIONAL"], IpAddressType: "dualstack" },
        SecurityPolicy: "TLS_1_2",
      });
    },
  },
  hostedZoneId: {
    "creates alias records in the zone, for IPv4 and IPv6": () => {
      const template = small({ ...domain, hostedZoneId: "Z0ABC" });
      for (const [id, Type] of [
        ["Record", "A"],
        ["Ipv6Record", "AAAA"],
      ] as const)
        expect(properties(template, id)).toMatchObject({
          Name: "api.example.com",
          Type,
          HostedZoneId: "Z0ABC",
          AliasTarget: { DNSName: { "Fn::GetAtt": ["RestApiDomain", "RegionalDomainName"] } },
        });
    },
  },
  basePath: {
    "sets the domain's path below which the API is served, and is part of its address": () => {
      const template = small({ ...domain, basePath: "review" });
      const [[, mapping] = []] = ofType(template, "AWS::ApiGateway::BasePathMapping");
      expect(mapping?.Properties).toMatchObject({ BasePath: "review" });
      expect(template.Outputs.ApiUrl?.Value).toBe("https://api.example.com/review");
    },
    "is in the links of the gateway's own answers, as the stage is without a domain": () => {
      const linksOf = (template: StackTemplate) =>
        [...gatewayResponsesOf(template).values()].map(
          (answer) => /<(.*)\/docs\/errors\/\w+>/.exec(JSON.stringify(answer))?.[1],
        );
      const mountsOf = (options: object) => [...new Set(linksOf(small({ ...options })))];
      expect(mountsOf({ ...domain, basePath: "review" })).toEqual(["/review"]);
      expect(mountsOf(domain)).toEqual([""]);
      expect(mountsOf({ stage: "blue" })).toEqual(["/blue"]);
    },
  },
  disableExecuteApiEndpoint: {
    "leaves the domain as the only address": () => {
      const template = small({ ...domain, disableExecuteApiEndpoint: "true" });
      const extension = "x-amazon-apigateway-endpoint-configuration";
      // OpenAPI 3.0's place and Swagger 2.0's: an import ignores the one that is not its own.
      const imported = (of: StackTemplate) => {
        const { servers, [extension]: topLevel } = definitionOf(of);
        return [servers, topLevel];
      };
      const configured = (disableExecuteApiEndpoint: boolean) => [
        [{ url: "/", [extension]: { disableExecuteApiEndpoint } }],
        { disableExecuteApiEndpoint },
      ];
      expect(properties(template, "RestApi")).toMatchObject({ DisableExecuteApiEndpoint: true });
      expect(imported(template)).toEqual(configured(true));
      expect(properties(plainTemplate(), "RestApi").DisableExecuteApiEndpoint).toBe(false);
      expect(imported(plainTemplate())).toEqual(configured(false));
    },
    "names the closed address for verify, which calls it": () => {
      const template = small({ ...domain, disableExecuteApiEndpoint: "true" });
      const value = JSON.stringify(template.Outputs[stackOutputs.closedUrl]?.Value);
      expect(value).toContain(".execute-api.");
      expect(plainTemplate().Outputs[stackOutputs.closedUrl]).toBeUndefined();
    },
  },
  eventWorkers: {
    "limits how many batches of events are applied at once": () => {
      const scaling = (template: ReturnType<typeof small>) =>
        properties(template, "EventsMapping").ScalingConfig;
      expect(scaling(small({ eventWorkers: "5" }))).toEqual({ MaximumConcurrency: 5 });
      expect(scaling(plainTemplate())).toEqual({ MaximumConcurrency: 20 });
    },
    "sets the least concurrency that may be reserved for the worker": () => {
      expect(() => given({ eventWorkers: "5", reservedConcurrency: "ingest=5" })).not.toThrow();
      expect(() => given({ eventWorkers: "6", reservedConcurrency: "ingest=5" })).toThrow(
        "reservedConcurrency must give ingest at least 6",
      );
    },
  },
  apiGatewayLogRole: {
    "can be switched off: the role for API Gateway's logs exists once per account": () => {
      expect(ofType(plainTemplate(), "AWS::ApiGateway::Account")).toHaveLength(1);
      const template = small({ apiGatewayLogRole: "false" });
      expect(ofType(template, "AWS::ApiGateway::Account")).toEqual([]);
      expect(template.Resources).not.toHaveProperty("RestApiCloudWatchRole");
    },
  },
  tracing: {
    "is off by default, because traces cost money": () => {
      const traced = small({ tracing: "true" });
      const modeOf = (template: ReturnType<typeof small>) =>
        properties(template, partOf("whoami", "Function")).TracingConfig;
      expect([modeOf(plainTemplate()), modeOf(traced)]).toEqual([undefined, { Mode: "Active" }]);
      expect(JSON.stringify(statementsOf(plainTemplate(), "whoami"))).not.toContain("xray:");
      expect(JSON.stringify(statementsOf(traced, "whoami"))).toContain("xray:PutTraceSegments");
      const stageOf = (template: ReturnType<typeof small>) =>
        ofType(template, "AWS::ApiGateway::Stage")[0]?.[1].Properties.TracingEnabled;
      expect([stageOf(plainTemplate()), stageOf(traced)]).toEqual([false, true]);
    },
  },
  commit: {
    "is an output and nothing else: a commit that changes no code changes no resource": () => {
      const [one, other] = ["0a1b2c3", "4d5e6f7"].map((commit) => small({ commit }));
      expect([one?.Outputs.Commit?.Value, other?.Outputs.Commit?.Value]).toEqual(["0a1b2c3", "4d5e6f7"]);
      expect(one?.Resources).toEqual(other?.Resources);
    },
  },
  corsOrigins: {
    "reaches every function behind the API, and opens the gateway's own answers": () => {
      const template = chosenTemplate();
      for (const id of atTheEdge)
        expect(environmentOf(template, id), id).toMatchObject({
          CORS_ORIGINS: "https://app.example.com",
        });
      expect(environmentOf(template, "ingest")).not.toHaveProperty("CORS_ORIGINS");
      for (const [type, { responseParameters }] of gatewayResponsesOf(template))
        expect(responseParameters, type).toMatchObject({
          "gatewayresponse.header.access-control-allow-origin": "'*'",
        });
      for (const id of atTheEdge)
        expect(environmentOf(plainTemplate(), id)).not.toHaveProperty("CORS_ORIGINS");
    },
  },
  keyHeaderNames: {
    "reaches every function behind the API": () => {
      const template = chosenTemplate();
      for (const id of atTheEdge)
        expect(environmentOf(template, id), id).toMatchObject({ KEY_HEADER_NAMES: "x-api-key" });
      expect(environmentOf(plainTemplate(), "whoami")).not.toHaveProperty("KEY_HEADER_NAMES");
    },
  },
  waf: {
    "puts a firewall before the stage, which lets large bodies and code in them pass": () => {
      expect(ofType(plainTemplate(), "AWS::WAFv2::WebACL")).toEqual([]);
      const template = small({ waf: "true" });
      const acl = JSON.stringify(properties(template, "WebAcl"));
      expect(properties(template, "WebAcl")).toMatchObject({
        Scope: "REGIONAL",
        DefaultAction: { Allow: {} },
      });
      expect(acl).not.toContain("AWSManagedRulesCommonRuleSet");
      expect(properties(template, "Association")).toMatchObject({
        WebACLArn: { "Fn::GetAtt": ["WebAcl", "Arn"] },
      });
    },
  },
  ephemeral: {
    "leaves nothing: deleting the stack deletes every resource, and nothing protects its table": () => {
      const options = { waf: "true", customerManagedKey: "true", ephemeral: "true" };
      const { Resources } = synthesize(options);
      const kept = Object.entries(Resources).filter(
        ([, { DeletionPolicy = "Delete", UpdateReplacePolicy = "Delete" }]) =>
          DeletionPolicy !== "Delete" || UpdateReplacePolicy !== "Delete",
      );
      expect(kept).toEqual([]);
      expect(Resources.Table?.Properties).toMatchObject({ DeletionProtectionEnabled: false });
      expect(Resources.EncryptionKey?.Properties).toMatchObject({ PendingWindowInDays: 7 });
    },
    "does not touch the account's logging role, which other APIs need after the stack is gone": () => {
      expect(ofType(small({ ephemeral: "true" }), "AWS::ApiGateway::Account")).toEqual([]);
      expect(() => given({ ephemeral: "true", apiGatewayLogRole: "true" })).toThrow(
        "apiGatewayLogRole must not be true if ephemeral is",
      );
    },
  },
  tableName: {
    "is refused for a stack that is deleted with its data: it would write into another stack's table": () => {
      expect(() => given({ ephemeral: "true", tableName: "restored" })).toThrow(
        "tableName must not be set if ephemeral is true",
      );
    },
    "changes the custom resource, so that the deployment waits for a cursor key in the restored table":
      () => {
        const runOf = (options: Readonly<Record<string, unknown>>) =>
          ofType(synthesize(options, { ...few, workers: [ingest, rotateCursorKeys] }), "Custom::WorkerRun");
        const ServiceToken = { "Fn::GetAtt": [partOf("rotateCursorKeys", "Function"), "Arn"] };
        const run = (tableName: unknown) => ({ ServiceToken, ServiceTimeout: "120", tableName });
        expect(runOf({}).map(([, { Properties }]) => Properties)).toEqual([run({ Ref: "Table" })]);
        expect(runOf({ tableName: "restored" }).map(([, { Properties }]) => Properties)).toEqual([
          run("restored"),
        ]);
      },
    "points functions, grants and alarms at a restored table, and keeps the stack's own": () => {
      const template = small({ tableName: "restored" });
      expect(template.Outputs.TableName?.Value).toBe("restored");
      expect(template.Resources.Table).toEqual(small({}).Resources.Table);
      for (const id of ["whoami", "ingest"]) {
        expect(environmentOf(template, id)).toMatchObject({ TABLE_NAME: "restored" });
        const resources = JSON.stringify(statementsOf(template, id).map(({ Resource }) => Resource));
        expect(resources).toContain(":table/restored");
        expect(resources).not.toContain('"Table"');
      }
      const { Table: _, ...others } = template.Resources;
      expect(JSON.stringify(others)).not.toMatch(/"(Ref|Fn::GetAtt)":\[?"Table"/);
    },
  },
  tags: {
    "are the stack's, with the service's own: CloudFormation copies them to every resource": () => {
      const tagsOf = (options: Readonly<Record<string, unknown>>) => {
        const context = { ...testContext, ...options };
        const outdir = mkdtempSync(join(tmpdir(), "tags-"));
        const { stack } = createApp({ codeOf: noCode, checked: false, context, outdir, ...few });
        rmSync(outdir, { recursive: true });
        return stack.tags.tagValues();
      };
      expect(tagsOf({})).toEqual({ service: "review-api" });
      expect(tagsOf({ tags: "team=reviews, costCenter=42, service=mine" })).toEqual({
        service: "review-api",
        team: "reviews",
        costCenter: "42",
      });
    },
  },
  platformAccounts: {
    "may send events and invoke the search from their own roles, and nothing else": () => {
      const platformAccounts = "444455556666";
      const template = small({ platformAccounts, customerManagedKey: "true" });
      const before = small({ customerManagedKey: "true" });
      const principal = `:iam::${platformAccounts}:root`;
      const admitted = Object.entries(template.Resources).filter(([, { Properties }]) =>
        JSON.stringify(Properties).includes(platformAccounts),
      );
      expect(Object.fromEntries(admitted.map(([id, { Type }]) => [id, Type]))).toEqual({
        EventsQueuePolicy: "AWS::SQS::QueuePolicy",
        EventsBucketPolicy: "AWS::S3::BucketPolicy",
        EncryptionKey: "AWS::KMS::Key",
        SearchForReviewFunctionPlatform444455556666: "AWS::Lambda::Permission",
      });
      const added = (id: string, document: "PolicyDocument" | "KeyPolicy") => {
        const of = (each: StackTemplate) => policySchema.parse(properties(each, id)[document]).Statement;
        return of(template).slice(of(before).length);
      };
      expect(JSON.stringify(added("EventsQueuePolicy", "PolicyDocument"))).toContain(principal);
      expect(added("EventsQueuePolicy", "PolicyDocument")).toMatchObject([
        { Action: ["sqs:GetQueueAttributes", "sqs:GetQueueUrl", "sqs:SendMessage"] },
      ]);
      expect(added("EventsBucketPolicy", "PolicyDocument")).toMatchObject([{ Action: "s3:PutObject" }]);
      expect(added("EncryptionKey", "KeyPolicy")).toMatchObject([
        {
          Action: ["kms:Decrypt", "kms:GenerateDataKey"],
          Condition: { StringEquals: { "kms:ViaService": [expect.anything(), expect.anything()] } },
        },
      ]);
      expect(properties(template, "SearchForReviewFunctionPlatform444455556666")).toMatchObject({
        Action: "lambda:InvokeFunction",
        Principal: platformAccounts,
      });
    },
  },
  bedrockRegion: {
    "is the only region in which functions call, and may call, the model": () => {
      const template = chosenTemplate();
      expect(environmentOf(template, "ingest")).not.toHaveProperty("BEDROCK_REGION");
      expect(environmentOf(template, "searchForReview")).toMatchObject({ BEDROCK_REGION: "us-west-2" });
      expect(JSON.stringify(statementsOf(template, "searchForReview"))).toContain(
        ":bedrock:us-west-2::foundation-model/",
      );
      expect(environmentOf(plainTemplate(), "searchForReview")).not.toHaveProperty("BEDROCK_REGION");
    },
    "is an output for the operator's tool, which embeds there too": () => {
      expect(chosenTemplate().Outputs.BedrockRegion?.Value).toBe("us-west-2");
      expect(plainTemplate().Outputs.BedrockRegion?.Value).toEqual({ Ref: "AWS::Region" });
    },
  },
  customerManagedKey: {
    "encrypts table, queues and bucket with one rotated key, usable only through them": () => {
      const template = small({ customerManagedKey: "true" });
      const key = { "Fn::GetAtt": ["EncryptionKey", "Arn"] };
      expect(properties(template, "EncryptionKey")).toMatchObject({ EnableKeyRotation: true });
      expect(template.Resources.EncryptionKey).toMatchObject({ DeletionPolicy: "RetainExceptOnCreate" });
      expect(JSON.stringify(properties(template, "EncryptionKey").KeyPolicy)).toContain("kms:ViaService");
      expect(properties(template, "Table").SSESpecification).toEqual({
        SSEEnabled: true,
        SSEType: "KMS",
        KMSMasterKeyId: key,
      });
      for (const queue of ["EventsQueue", "DeadLetterQueue"])
        expect(properties(template, queue)).toMatchObject({ KmsMasterKeyId: key });
      expect(JSON.stringify(properties(template, "EventsBucket").BucketEncryption)).toContain(
        "EncryptionKey",
      );
      expect(ofType(plainTemplate(), "AWS::KMS::Key")).toEqual([]);
    },
  },
  alarmEmail: {
    "receives every alarm and its end, and every alarm names its section of the runbook": () => {
      const template = small({ alarmEmail: "ops@example.com" });
      expect(
        ofType(template, "AWS::SNS::Subscription").map(([, { Properties }]) => Properties),
      ).toMatchObject([{ Protocol: "email", Endpoint: "ops@example.com" }]);
      const alarms = ofType(template, "AWS::CloudWatch::Alarm");
      expect(alarms.length).toBeGreaterThan(5);
      for (const [id, { Properties }] of alarms)
        expect(Properties, id).toMatchObject({
          AlarmActions: [{ Ref: "AlarmTopic" }],
          OKActions: [{ Ref: "AlarmTopic" }],
          AlarmDescription: expect.stringMatching(/^Runbook: docs\/operate\/runbook\.md#[a-z0-9]+$/),
        });
      for (const [id, { Properties }] of ofType(plainTemplate(), "AWS::CloudWatch::Alarm"))
        expect(Properties, id).not.toHaveProperty("AlarmActions");
    },
    "creates a topic that accepts messages only from this account's alarms, and only over TLS": () => {
      const template = small({ alarmEmail: "ops@example.com" });
      expect(properties(template, "AlarmTopic")).not.toHaveProperty("KmsMasterKeyId");
      expect(properties(template, "AlarmTopicPolicy")).toMatchObject({
        Topics: [{ Ref: "AlarmTopic" }],
        PolicyDocument: {
          Statement: [
            {
              Effect: "Deny",
              Action: "sns:Publish",
              Principal: "*",
              Condition: { Bool: { "aws:SecureTransport": "false" } },
            },
            {
              Effect: "Allow",
              Action: "sns:Publish",
              Principal: { Service: "cloudwatch.amazonaws.com" },
              Resource: { Ref: "AlarmTopic" },
              Condition: { StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } },
            },
          ],
        },
      });
    },
  },
  alarmTopicArn: {
    "receives every alarm and its end beside alarmEmail; the stack makes no topic and no policy for it":
      () => {
        const alarmTopicArn = "arn:aws:sns:eu-west-1:444455556666:pager";
        const template = small({ alarmTopicArn });
        expect(ofType(template, "AWS::SNS::Topic")).toEqual([]);
        expect(ofType(template, "AWS::SNS::TopicPolicy")).toEqual([]);
        const both = small({ alarmTopicArn, alarmEmail: "ops@example.com" });
        for (const [stack, receivers] of [
          [template, [alarmTopicArn]],
          [both, [{ Ref: "AlarmTopic" }, alarmTopicArn]],
        ] as const) {
          const alarms = ofType(stack, "AWS::CloudWatch::Alarm");
          expect(alarms.length).toBeGreaterThan(5);
          for (const [id, { Properties }] of alarms)
            expect(Properties, id).toMatchObject({ AlarmActions: receivers, OKActions: receivers });
        }
      },
  },
  auditRetentionDays: {
    "reaches every operation, the event worker and the operator's tool": () => {
      const template = chosenTemplate();
      expect(template.Outputs.AuditRetentionDays?.Value).toBe("90");
      for (const { id } of contract)
        expect(environmentOf(template, id)).toMatchObject({ AUDIT_RETENTION_DAYS: "90" });
      expect(environmentOf(template, "ingest")).toMatchObject({ AUDIT_RETENTION_DAYS: "90" });
    },
  },
  bedrockModelId: {
    "is the only model that functions call, and may call": () => {
      const template = chosenTemplate();
      for (const id of ["createLearnings", "reconcileIndex", "searchForReview"]) {
        expect(environmentOf(template, id), id).toMatchObject({
          BEDROCK_MODEL_ID: chosenOptions.bedrockModelId,
        });
        const models = JSON.stringify(statementsOf(template, id)).match(/foundation-model\/[\w.:-]+/g);
        expect(models, id).toEqual([`foundation-model/${chosenOptions.bedrockModelId}`]);
      }
    },
  },
  reservedConcurrency: {
    "is set on the named functions only": () => {
      const template = small({ reservedConcurrency: "ingest=20" });
      expect(properties(template, partOf("ingest", "Function"))).toMatchObject({
        ReservedConcurrentExecutions: 20,
      });
      expect(properties(template, partOf("whoami", "Function"))).not.toHaveProperty(
        "ReservedConcurrentExecutions",
      );
    },
  },
  pointInTimeRecovery: {
    "can be switched off": () => {
      expect(properties(small({ pointInTimeRecovery: "false" }), "Table")).toMatchObject({
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false },
      });
    },
  },
};

describe.each(Object.entries(effects))("%s", (option, tests) => {
  test.each(Object.entries(tests))(`the option ${option} %s`, (_, check) => check());
});

test.each([
  ["no option", {}],
  ["every option", everyOption],
])("data keeps its logical ids with %s: another id would create another, empty table", (_, options) => {
  const stateful =
    /^AWS::(DynamoDB|S3|SQS|KMS|SecretsManager|RDS)::(Table|GlobalTable|Bucket|Queue|Key|Secret)/;
  const ids = Object.entries(synthesize(options, few).Resources)
    .filter(([, { Type }]) => stateful.test(Type) && !Type.endsWith("Policy"))
    .map(([id, { Type }]) => [id, Type]);
  expect(Object.fromEntries(ids)).toEqual({
    Table: "AWS::DynamoDB::Table",
    EventsQueue: "AWS::SQS::Queue",
    DeadLetterQueue: "AWS::SQS::Queue",
    EventsBucket: "AWS::S3::Bucket",
    ...("customerManagedKey" in options && { EncryptionKey: "AWS::KMS::Key" }),
  });
});

test("with every option on, environments and template stay within the limits of CloudFormation and Lambda", () => {
  const template = synthesize({
    ...everyOption,
    corsOrigins: Array(20).fill("https://a-long-origin.example.com"),
  });
  for (const [id, { Properties }] of ofType(template, "AWS::Lambda::Function"))
    expect(JSON.stringify(Properties.Environment ?? {}).length, id).toBeLessThan(
      lambdaLimits.environmentBytesMax,
    );
  expect(Object.keys(template.Resources).length).toBeLessThan(500);
});

test("a changed route is deployed: the deployment's id changes with transfer mode and gateway responses", () => {
  const deployment = (template: ReturnType<typeof synthesize>) =>
    ofType(template, "AWS::ApiGateway::Deployment").map(([id]) => id);
  const streamed = { ...few, operations: [variant(whoami, { streaming: true })] };
  const before = deployment(synthesize({}, few));
  expect(deployment(synthesize({}, few))).toEqual(before);
  expect(deployment(synthesize({}, streamed))).not.toEqual(before);
  expect(deployment(synthesize({ corsOrigins: "*" }, few))).not.toEqual(before);
});
