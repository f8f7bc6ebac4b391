import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { stackOutputs } from "../contract/platform.ts";
import { s3Bucket } from "../events/s3.ts";
import { createSqsCall, sqsQueue } from "../events/sqs.ts";
import type { AwsIdentity } from "../runtime/aws-identity.ts";
import { systemClock } from "../runtime/clock.ts";
import { OperatorError } from "../runtime/operator-error.ts";
import { systemRandom } from "../runtime/random.ts";
import { required } from "../runtime/required.ts";
import { createStoreClient } from "../store/client.ts";
import { createDynamoTable } from "../store/dynamo.ts";
import { createVectorSearch } from "../store/vectors.ts";
import type { Connection } from "./connection.ts";
import { operatorDeps } from "./operator-deps.ts";
import { importQueue, pacedQueue } from "./paced-queue.ts";
import { failedEventsOf, receiveMessagesMax } from "./stack-dead-letters.ts";
import { queueCounter, waitForEmptyQueue } from "./stack-queue.ts";

/** The parts of a deployed stack, found by its outputs, with the AWS identity of the environment. */
export async function connectToStack(stackName: string, region: string | undefined): Promise<Connection> {
  const output = await outputsOf(stackName, region);
  const identity = await operatorIdentity(region);
  const client = createStoreClient({ identity });
  const call = createSqsCall(identity);
  const eventsQueueUrl = output(stackOutputs.eventsQueueUrl);
  const countMessages = queueCounter(identity, eventsQueueUrl);
  const queue = pacedQueue(sqsQueue(call, eventsQueueUrl), countMessages, systemClock);
  const options = {
    client,
    tableName: output(stackOutputs.tableName),
    clock: systemClock,
    random: systemRandom,
  };
  const table = createDynamoTable(options);
  const deadLetterQueueUrl = output(stackOutputs.deadLetterQueueUrl);
  return {
    queue: importQueue(queue, systemRandom.uuid()),
    table,
    audited: operatorDeps(table, Number(output(stackOutputs.auditRetentionDays))),
    // A closed network may not reach this service of AWS: that must not stop a repair.
    identityName: () => callerArn(identity).catch(() => "operator, whose identity AWS did not tell"),
    vectors: createVectorSearch(options),
    embedder: async () => {
      const { embedderInUse } = await import("./stack-embedder.ts");
      // Read only here: a stack from before this output still supports every other command.
      return embedderInUse(table, { ...identity, region: output(stackOutputs.bedrockRegion) });
    },
    bucket: s3Bucket(output(stackOutputs.eventsBucket), identity),
    failedEvents: () =>
      failedEventsOf({
        call,
        queueUrl: deadLetterQueueUrl,
        queue,
        random: systemRandom,
      }),
    failedEventsShownMax: receiveMessagesMax,
    settle: () => waitForEmptyQueue(countMessages, systemClock),
    waitsAfterSend: false,
    async close() {
      client.destroy();
    },
  };
}

/** Who signs the requests, as AWS names it; every identity may ask this. */
async function callerArn(identity: AwsIdentity): Promise<string> {
  const { GetCallerIdentityCommand, STSClient } = await import("@aws-sdk/client-sts");
  const client = new STSClient(identity);
  const { Arn } = await client.send(new GetCallerIdentityCommand({})).finally(() => client.destroy());
  return required(Arn, "the caller's ARN");
}

/** Region and credentials come from where AWS's own tools find them: environment, profiles, single sign-on. */
export async function operatorIdentity(region: string | undefined): Promise<AwsIdentity> {
  const { config } = new CloudFormationClient(region === undefined ? {} : { region });
  return { region: await config.region(), credentials: () => config.credentials() };
}

/**
 * Where the stack's API is called. No DNS knows the addresses of an emulator's gateway: these are reached through the
 * endpoint, by the path that LocalStack introduced and others took over.
 */
export async function apiUrlOf(output: (name: string) => string): Promise<string> {
  const url = output(stackOutputs.apiUrl);
  const [, api, stage] = /^https:\/\/(\w+)\.execute-api\.[^/]+\/(\w+)$/.exec(url) ?? [];
  const endpoint = api && (await gatewayEndpoint());
  // A private endpoint of AWS itself serves only the control plane.
  const isEmulator = endpoint && !new URL(endpoint).hostname.includes("amazonaws.com");
  return isEmulator ? `${endpoint.replace(/\/$/, "")}/restapis/${api}/${stage}/_user_request_` : url;
}

/** What the environment or the profile sets for API Gateway, or for all services; undefined is AWS itself. */
async function gatewayEndpoint(): Promise<string | undefined> {
  const { APIGatewayClient } = await import("@aws-sdk/client-api-gateway");
  return await new APIGatewayClient().config.serviceConfiguredEndpoint?.();
}

/** The outputs of a stack, by name; an absent one without an `otherwise` is an error. */
export async function outputsOf(
  stackName: string,
  region: string | undefined,
): Promise<(name: string, otherwise?: string) => string> {
  const outputs = await readOutputs(stackName, region);
  return (name, otherwise) => {
    const value = outputs.get(name) || otherwise;
    if (value === undefined)
      throw new OperatorError(
        `Stack ${stackName} has no output ${name}. Is it this service's stack? If it is older than this tool, deploy it again.`,
      );
    return value;
  };
}

async function readOutputs(
  StackName: string,
  region: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const client = new CloudFormationClient(region === undefined ? {} : { region });
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    const outputs = Stacks[0]?.Outputs ?? [];
    return new Map(outputs.map(({ OutputKey = "", OutputValue = "" }) => [OutputKey, OutputValue]));
  } catch (error) {
    throw new OperatorError(`Stack ${StackName} cannot be reached: ${reasonOf(error)}.`);
  } finally {
    client.destroy();
  }
}

function reasonOf(error: unknown): string {
  const { name = "", message = "" } = error instanceof Error ? error : {};
  if (/does not exist/.test(message)) return "there is no such stack in this account and region";
  if (/^Region is missing/.test(message)) return "no AWS region is set; give --region or set AWS_REGION";
  if (name === "CredentialsProviderError") return "no AWS credentials were found";
  return message.replaceAll(/\s+/g, " ").replace(/\.$/, "") || name || "unknown reason";
}
