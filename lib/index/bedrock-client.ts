import { BedrockRuntimeClient, InvokeModelCommand } from "@aws-sdk/client-bedrock-runtime";
import { indexLimits } from "../contract/limits.ts";
import { environmentVariables } from "../contract/platform.ts";
import { awsClientConfig, sendRepeatedly } from "../runtime/aws-client.ts";
import type { AwsIdentity } from "../runtime/aws-identity.ts";
import { optionalVariable } from "../runtime/environment.ts";

/** Runs a model once: JSON in, JSON out. */
export type ModelClient = {
  invoke(modelId: string, input: string, signal?: AbortSignal): Promise<string>;
};

/** In the identity's region, or the function's. Import this file only when a text is embedded: the client is large. */
export function openBedrock(identity?: AwsIdentity): ModelClient {
  const region = identity ? undefined : optionalVariable(environmentVariables.bedrockRegion);
  // Our request handler uses HTTP/1.1. The client's own would open HTTP/2 sessions, which break when Lambda freezes.
  const client = new BedrockRuntimeClient({
    ...awsClientConfig({ identity, answerMsMax: indexLimits.embeddingTimeoutMs }),
    ...(region !== undefined && { region }),
  });
  const json = "application/json";
  return {
    invoke: (modelId, body, signal) =>
      sendRepeatedly({ attemptsMax: indexLimits.embeddingAttemptsMax, signal }, async () => {
        const command = new InvokeModelCommand({ modelId, body, contentType: json, accept: json });
        const answer = await client.send(command, signal && { abortSignal: signal });
        return answer.body.transformToString();
      }),
  };
}
