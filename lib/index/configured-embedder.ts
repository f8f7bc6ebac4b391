import { environmentVariables } from "../contract/platform.ts";
import { optionalVariable } from "../runtime/environment.ts";
import { createBedrockEmbedder } from "./bedrock-embedder.ts";
import type { Embedder } from "./embedder.ts";
import { localEmbedder } from "./local-embedder.ts";

let known: Embedder | undefined;

/** Bedrock's where a model is named, the local one elsewhere. Import it only where texts are embedded: it brings Bedrock's client along. */
export function configuredEmbedder(): Embedder {
  const modelId = optionalVariable(environmentVariables.bedrockModelId);
  known ??= modelId === undefined ? localEmbedder : createBedrockEmbedder(modelId);
  return known;
}
