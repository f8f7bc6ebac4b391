import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { optionalVariable } from "../runtime/environment.ts";

/** Retries are the store's own, which knows what may be repeated; the SDK makes one attempt. */
export function storeClient(): DynamoDBClient {
  const endpoint = optionalVariable("DYNAMODB_ENDPOINT");
  return new DynamoDBClient({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
    ...(endpoint && { endpoint, ...localIdentity }),
  });
}

/** An engine on this machine takes any credentials, yet the SDK will not send without some. */
const localIdentity = { region: "local", credentials: { accessKeyId: "local", secretAccessKey: "local" } };
