import { environmentVariables } from "../contract/platform.ts";
import { optionalVariable, requiredVariable } from "../runtime/environment.ts";
import { createBedrockEmbedder } from "./bedrock-embedder.ts";
import type { Embedder } from "./embedder.ts";

let known: Embedder | undefined;
let localEmbedder: Embedder | undefined;

/** Bedrock's where a model is named, as in every deployed function. */
export function configuredEmbedder(): Embedder {
  const modelId = optionalVariable(environmentVariables.bedrockModelId);
  if (modelId === undefined && localEmbedder) return localEmbedder;
  known ??= createBedrockEmbedder(requiredVariable(environmentVariables.bedrockModelId));
  return known;
}

/** For the local service and the tests: the embedder where no model is named. No function imports the local one. */
export function useFallbackEmbedder(embedder: Embedder): void {
  localEmbedder = embedder;
}
