import { environmentVariables } from "../contract/platform.ts";
import { optionalVariable, requiredVariable } from "../runtime/environment.ts";
import { createBedrockEmbedder } from "./bedrock-embedder.ts";
import type { Embedder } from "./embedder.ts";

let known: Embedder | undefined;
let localEmbedder: Embedder | undefined;

/** Returns the Bedrock embedder if a model is configured, as in every deployed function. */
export function configuredEmbedder(): Embedder {
  const modelId = optionalVariable(environmentVariables.bedrockModelId);
  if (modelId === undefined && localEmbedder) return localEmbedder;
  known ??= createBedrockEmbedder(requiredVariable(environmentVariables.bedrockModelId));
  return known;
}

/** For the local service and the tests, if no model is configured. No function imports the local embedder. */
export function useFallbackEmbedder(embedder: Embedder): void {
  localEmbedder = embedder;
}
