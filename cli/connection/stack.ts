import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { S3Client } from "@aws-sdk/client-s3";
import { SQSClient } from "@aws-sdk/client-sqs";
import { stackOutputs } from "../../lib/contract/platform.ts";
import { s3Bucket } from "../../lib/events/s3.ts";
import { sqsQueue } from "../../lib/events/sqs.ts";
import { systemChance } from "../../lib/runtime/chance.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { createDynamoTable } from "../../lib/store/dynamo.ts";
import { OperatorFault } from "../fault.ts";
import type { Connection } from "./connection.ts";
import { failedEventsOf } from "./stack-dead-letters.ts";

/** The parts of a deployed stack, found by its outputs, with whatever AWS identity the environment has. */
export async function connectToStack(stackName: string, region: string | undefined): Promise<Connection> {
  const place = region === undefined ? {} : { region };
  const outputs = await readOutputs(new CloudFormationClient(place), stackName);
  const output = (name: string): string => {
    const value = outputs.get(name);
    if (!value)
      throw new OperatorFault(`Stack ${stackName} has no output ${name}; is it this service's stack?`);
    return value;
  };
  // Retries are the store's own, which knows what may be repeated.
  const store = new DynamoDBClient({ ...place, maxAttempts: 1 });
  const queues = new SQSClient(place);
  const objects = new S3Client(place);
  const queue = sqsQueue(queues, output(stackOutputs.eventsQueueUrl));
  const deadLetterQueueUrl = output(stackOutputs.deadLetterQueueUrl);
  return {
    queue,
    table: createDynamoTable({
      client: store,
      tableName: output(stackOutputs.tableName),
      clock: systemClock,
      chance: systemChance,
    }),
    bucket: s3Bucket(objects, output(stackOutputs.eventsBucket)),
    failedEvents: () =>
      failedEventsOf({
        client: queues,
        queueUrl: deadLetterQueueUrl,
        queue,
        clock: systemClock,
        chance: systemChance,
      }),
    async close() {
      for (const client of [store, queues, objects]) client.destroy();
    },
  };
}

async function readOutputs(
  client: CloudFormationClient,
  StackName: string,
): Promise<ReadonlyMap<string, string>> {
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    const outputs = Stacks[0]?.Outputs ?? [];
    return new Map(outputs.map(({ OutputKey = "", OutputValue = "" }) => [OutputKey, OutputValue]));
  } catch (error) {
    throw new OperatorFault(`Stack ${StackName} cannot be reached: ${reasonOf(error)}.`);
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
