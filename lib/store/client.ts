import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  DynamoDBDocumentClient,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from "@aws-sdk/lib-dynamodb";
import type { SmithyResolvedConfiguration } from "@smithy/core/client";
import type { Command, HttpHandlerOptions } from "@smithy/types";
import { awsLimits } from "../contract/limits.ts";
import { type AwsClientOptions, awsClientConfig, sendOnce } from "../runtime/aws-client.ts";
import { type AwsIdentity, localIdentity } from "../runtime/aws-identity.ts";
import { optionalVariable } from "../runtime/environment.ts";
import { translation } from "./values.ts";

/** The part of DynamoDB's document client that the store uses. */
export type StoreClient = {
  /** One attempt: the store retries calls itself, and knows which may be repeated. Throws AwsError or NoAnswer. */
  send<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
    command: Command<
      ServiceInputTypes,
      Input,
      ServiceOutputTypes,
      Output,
      SmithyResolvedConfiguration<HttpHandlerOptions>
    >,
    signal?: AbortSignal,
  ): Promise<Output>;
  destroy(): void;
};

export function createStoreClient(
  options: Partial<
    Pick<AwsClientOptions, "identity" | "endpoint" | "answerMsMax" | "reusedAnswerMsMax">
  > = {},
): StoreClient {
  const { answerMsMax = awsLimits.storeAnswerMsMax, ...more } = options;
  const client = new DynamoDBClient(awsClientConfig({ ...more, answerMsMax }));
  const documents = DynamoDBDocumentClient.from(client, translation());
  return {
    send: (command, signal) => sendOnce(() => documents.send(command, signal && { abortSignal: signal })),
    destroy: () => client.destroy(),
  };
}

/**
 * For an engine on this machine. No freeze breaks its connections, so a reused connection has as much time as a new one:
 * a busy machine would otherwise repeat calls that the engine is still working on.
 */
export function createLocalStoreClient(endpoint: string, identity: AwsIdentity = localIdentity): StoreClient {
  const answerMsMax = awsLimits.localStoreAnswerMsMax;
  return createStoreClient({ endpoint, identity, answerMsMax, reusedAnswerMsMax: answerMsMax });
}

const opened = new Map<string | undefined, StoreClient>();

/** For functions: configured by the environment only. Shared, so that a function keeps one set of connections. */
export function storeClient(): StoreClient {
  const endpoint = optionalVariable("DYNAMODB_ENDPOINT");
  const client =
    opened.get(endpoint) ?? (endpoint === undefined ? createStoreClient() : createLocalStoreClient(endpoint));
  opened.set(endpoint, client);
  return client;
}
