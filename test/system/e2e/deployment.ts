import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { afterAll, beforeAll } from "vitest";
import * as z from "zod";
import { environmentVariables, lambdaLimits } from "../../../lib/contract/platform.ts";
import type { QueueMessage } from "../../../lib/events/ports.ts";
import { RicFunction } from "../../ric/ric-function.ts";
import { answeredTo } from "../../support/custom-resource.ts";
import { type TestStore, useStore } from "../../support/engine.ts";
import { call, type RawAnswer } from "../gateway/support.ts";
import { builtOnce } from "../infra/build.ts";
import { ofType, type StackTemplate } from "../infra/support.ts";
import { Account, matchesPattern } from "./account.ts";
import type { DeployedFunction, FunctionSettings } from "./deployed-function.ts";
import { type IamProxy, secretAccessKey, startIamProxy } from "./iam-proxy.ts";
import { LambdaFunction } from "./lambda-function.ts";
import { allows, roleStatements } from "./policy.ts";
import { startTemplateGateway, type TemplateGateway } from "./template-gateway.ts";

export type CallOptions = {
  readonly method?: string;
  readonly key?: string;
  readonly headers?: readonly string[];
  readonly body?: object | string;
};

export type DeployedAnswer = RawAnswer & {
  /** Decompressed. */
  readonly text: string;
  /** Undefined when the body is not JSON. */
  readonly json: unknown;
};

export type Deployment = {
  readonly template: StackTemplate;
  readonly account: Account;
  readonly store: TestStore;
  readonly iamProxy: IamProxy;
  readonly gateway: TemplateGateway;
  readonly functions: ReadonlyMap<string, DeployedFunction>;
  call(target: string, options?: CallOptions): Promise<DeployedAnswer>;
  /** Delivers messages to the function that the template connects to the queue; returns the messages to redeliver. */
  deliver(messages: readonly QueueMessage[]): Promise<readonly string[]>;
  /** Lets the rule of this name trigger its function. */
  wake(ruleId: string): Promise<unknown>;
};

export type DeploymentOptions = {
  /** Without options, or with `chosenOptions` of test/system/infra/build.ts. */
  readonly stack?: "plain" | "chosen";
  /** Changes the template before it is used. */
  readonly alter?: (template: StackTemplate) => void;
};

/** The stack as `cdk deploy` would create it, as far as possible without AWS: bundles, template, engine, gateway. */
export function useDeployment({ stack = "plain", alter }: DeploymentOptions = {}): () => Deployment {
  const store = useStore();
  let made: Deployment | undefined;
  let stop: () => Promise<unknown> = async () => {};
  beforeAll(async () => {
    const { templates, threadFile } = await builtOnce();
    const template = templates[stack];
    alter?.(template);
    ({ made, stop } = await deploy(template, store(), threadFile));
  });
  afterAll(() => stop());
  return () => {
    if (!made) throw new Error("The deployment is there only inside tests and hooks.");
    return made;
  };
}

async function deploy(template: StackTemplate, store: TestStore, threadFile: string) {
  const account = new Account(template, store.tableName);
  const roles = new Map(
    ofType(template, "AWS::Lambda::Function").map(([id]) => [id, roleStatements(template, account, id)]),
  );
  const iamProxy = await startIamProxy({
    account,
    engineEndpoint: store.endpoint,
    statementsOf: (id) => roles.get(id) ?? [],
  });
  const settings = ofType(template, "AWS::Lambda::Function").map(([id]) => ({
    ...settingsOf(template, account, id, iamProxy.url),
    threadFile,
  }));
  const functions = new Map(settings.map((each) => [each.id, createFunction(each)]));
  const gateway = await startTemplateGateway(template, account, functions);
  // The public address of this deployment. No function has been started yet.
  for (const { environment } of settings)
    if (environment[environmentVariables.apiUrl] !== undefined)
      environment[environmentVariables.apiUrl] = `${gateway.url}${gateway.mount}`;
  const made: Deployment = {
    template,
    account,
    store,
    iamProxy,
    gateway,
    functions,
    call: (target, request) => callGateway(gateway.url, `${gateway.mount}${target}`, request),
    deliver: (messages) => deliver(made, messages),
    wake: (ruleId) => wake(made, ruleId),
  };
  await runCustomResources(made);
  const stop = async () => {
    await gateway.close();
    await Promise.all([...functions.values()].map((each) => each.stop()));
    await iamProxy.close();
  };
  return { made, stop };
}

const customResource = z.object({
  ServiceToken: z.object({ "Fn::GetAtt": z.tuple([z.string(), z.literal("Arn")]) }),
});

/** CloudFormation's part: a deployment ends when the functions behind custom resources have answered. */
async function runCustomResources({ template, functions }: Deployment): Promise<void> {
  for (const [id, { Type, Properties }] of Object.entries(template.Resources)) {
    if (!Type.startsWith("Custom::")) continue;
    const [functionId] = customResource.parse(Properties).ServiceToken["Fn::GetAtt"];
    const invoke = (event: object) => functions.get(functionId)?.invoke(event);
    const { Status } = await answeredTo("Create", invoke);
    if (Status !== "SUCCESS") throw new Error(`The custom resource ${id} ended with ${Status}.`);
  }
}

/** Set by `npm run test:ric`: then the functions run on AWS's own runtime client. */
const createFunction = (settings: FunctionSettings): DeployedFunction =>
  process.env.E2E_RUNTIME === "ric" ? new RicFunction(settings) : new LambdaFunction(settings);

const functionSchema = z.object({
  Handler: z.string(),
  Runtime: z.literal("nodejs24.x"),
  Timeout: z.number(),
  MemorySize: z.number(),
  ReservedConcurrentExecutions: z.number().default(lambdaLimits.concurrencyMax),
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }).optional(),
});
const assetSchema = z.object({ "aws:asset:path": z.string() });

/**
 * The variables that Lambda itself sets, and the address of the iamProxy in place of AWS; all others come from the
 * template.
 */
function settingsOf(
  template: StackTemplate,
  account: Account,
  id: string,
  awsUrl: string,
): Omit<FunctionSettings, "threadFile" | "environment"> & { readonly environment: Record<string, string> } {
  const { Properties, Metadata } = template.Resources[id] ?? {};
  const { Handler, Timeout, MemorySize, ReservedConcurrentExecutions, Environment } =
    functionSchema.parse(Properties);
  const directory = assetSchema.safeParse(Metadata).data?.["aws:asset:path"] ?? "";
  const variables = Object.entries(Environment?.Variables ?? {});
  return {
    id,
    directory,
    handler: Handler,
    timeoutSeconds: Timeout,
    memoryMegabytes: MemorySize,
    concurrencyMax: ReservedConcurrentExecutions,
    environment: {
      AWS_REGION: account.region,
      AWS_ACCESS_KEY_ID: id,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: "session",
      AWS_ENDPOINT_URL: awsUrl,
      LAMBDA_TASK_ROOT: directory,
      AWS_LAMBDA_FUNCTION_NAME: id,
      // Receivers of rings are on this machine.
      [environmentVariables.webhooksToLoopback]: "true",
      ...Object.fromEntries(variables.map(([name, value]) => [name, account.resolve(value)])),
    },
  };
}

async function callGateway(url: string, target: string, options: CallOptions = {}): Promise<DeployedAnswer> {
  const { method = options.body === undefined ? "GET" : "POST", key, headers = [], body } = options;
  const sent = typeof body === "object" ? JSON.stringify(body) : body;
  const answer = await call(url, target, {
    method,
    headers: [
      ...(key === undefined ? [] : ["x-service-api-key", key]),
      ...(sent === undefined
        ? []
        : ["content-type", "application/json", "content-length", `${Buffer.byteLength(sent)}`]),
      ...headers,
    ],
    ...(sent !== undefined && { body: sent }),
  });
  const coding = answer.headers["content-encoding"];
  const plain =
    coding === "gzip"
      ? gunzipSync(answer.body)
      : coding === "br"
        ? brotliDecompressSync(answer.body)
        : answer.body;
  const isJson = /^application\/(\w+\+)?json/.test(answer.headers["content-type"] ?? "") && plain.length > 0;
  return { ...answer, text: plain.toString(), json: isJson ? JSON.parse(plain.toString()) : undefined };
}

const mappingSchema = z.object({
  EventSourceArn: z.unknown(),
  FunctionName: z.object({ Ref: z.string() }),
  BatchSize: z.number(),
  FunctionResponseTypes: z.tuple([z.literal("ReportBatchItemFailures")]),
});
const answerSchema = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) });
const pollActions = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];

/** Lambda polls the queue with the function's role, so the role must allow it. */
async function deliver(
  { template, account, functions, iamProxy }: Deployment,
  messages: readonly QueueMessage[],
): Promise<readonly string[]> {
  const [[, mapping] = []] = ofType(template, "AWS::Lambda::EventSourceMapping");
  const { EventSourceArn, FunctionName, BatchSize } = mappingSchema.parse(mapping?.Properties);
  const id = FunctionName.Ref;
  const resource = account.resolve(EventSourceArn);
  const statements = roleStatements(template, account, id);
  for (const action of pollActions) {
    if (!statements.some((each) => allows(each, { action, resource })))
      throw new Error(`The role of ${id} does not allow ${action} on its queue.`);
    iamProxy.asked.set(id, [...(iamProxy.asked.get(id) ?? []), { action, resource }]);
  }
  const failed: string[] = [];
  for (let start = 0; start < messages.length; start += BatchSize) {
    const batch = sqsEvent(messages.slice(start, start + BatchSize), resource);
    const answer: SQSBatchResponse = answerSchema.parse(await functions.get(id)?.invoke(batch));
    failed.push(...answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  }
  return failed;
}

const sqsEvent = (messages: readonly QueueMessage[], eventSourceARN: string): SQSEvent => ({
  Records: messages.map(({ id, group, body }) => ({
    messageId: id,
    receiptHandle: id,
    body,
    attributes: {
      MessageGroupId: group,
      MessageDeduplicationId: id,
      ApproximateReceiveCount: "1",
      SentTimestamp: "0",
      SenderId: "platform",
      ApproximateFirstReceiveTimestamp: "0",
    },
    messageAttributes: {},
    md5OfBody: "",
    eventSource: "aws:sqs",
    eventSourceARN,
    awsRegion: "eu-test-1",
  })),
});

const ruleSchema = z.object({
  State: z.literal("ENABLED"),
  Targets: z.array(z.object({ Arn: z.unknown() })),
});
const permissionSchema = z.object({
  FunctionName: z.unknown(),
  Principal: z.string(),
  SourceArn: z.unknown(),
});

async function wake({ template, account, functions }: Deployment, ruleId: string): Promise<unknown> {
  const { Targets } = ruleSchema.parse(template.Resources[ruleId]?.Properties);
  const target = account.resolve(Targets[0]?.Arn);
  const ruleArn = account.resolve({ "Fn::GetAtt": [ruleId, "Arn"] });
  const permitted = ofType(template, "AWS::Lambda::Permission")
    .map(([, { Properties }]) => permissionSchema.parse(Properties))
    .some(
      ({ FunctionName, Principal, SourceArn }) =>
        Principal === "events.amazonaws.com" &&
        account.resolve(FunctionName) === target &&
        matchesPattern(account.resolve(SourceArn), ruleArn),
    );
  if (!permitted) throw new Error(`${ruleId} may not wake its function.`);
  const id = [...functions.keys()].find(
    (each) => account.resolve({ "Fn::GetAtt": [each, "Arn"] }) === target,
  );
  return await functions.get(id ?? "")?.invoke({ source: "aws.events" });
}
