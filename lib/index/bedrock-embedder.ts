import * as z from "zod";
import { indexLimits } from "../contract/limits.ts";
import { tableShape } from "../contract/table.ts";
import { NoAnswer } from "../runtime/aws-error.ts";
import type { AwsIdentity } from "../runtime/aws-identity.ts";
import { limitConcurrency } from "../runtime/limit-concurrency.ts";
import type { ModelClient } from "./bedrock-client.ts";
import { type Embedder, normalised } from "./embedder.ts";

const answerSchema = z.object({ embedding: z.array(z.number()) });

/** Titan Text Embeddings v2: one text per call, a limited number of calls at the same time. */
export function createBedrockEmbedder(modelId: string, client: ModelClient = bedrockClient()): Embedder {
  const oneOfFew = limitConcurrency(indexLimits.embeddingsAtOnceMax);
  const { dimensions } = tableShape.vectorIndex;
  return {
    id: `bedrock:${modelId}`,
    embed: (text, signal) =>
      oneOfFew(async () => {
        const input = JSON.stringify({ inputText: checkedLength(text), dimensions, normalize: true });
        const answer = parseJson(await client.invoke(modelId, input, signal));
        return normalised(answerSchema.parse(answer).embedding);
      }),
  };
}

/** Loads the Bedrock client when the first text is embedded. */
export function bedrockClient(identity?: AwsIdentity): ModelClient {
  let opened: Promise<ModelClient> | undefined;
  return {
    async invoke(modelId, input, signal) {
      opened ??= import("./bedrock-client.ts").then(({ openBedrock }) => openBedrock(identity));
      return (await opened).invoke(modelId, input, signal);
    },
  };
}

/** Does not pass on the parser's message, because it quotes the text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NoAnswer("The answer of the model is not JSON.");
  }
}

/** The model refuses longer texts, and a truncated text would be found by only part of its content. */
function checkedLength(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= indexLimits.embeddedBytesMax) return text;
  throw new RangeError(
    `inputText: has ${bytes} bytes, and the model takes ${indexLimits.embeddedBytesMax}. Embed the text in pieces.`,
  );
}
