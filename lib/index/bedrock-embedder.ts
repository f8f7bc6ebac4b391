import * as z from "zod";
import { indexLimits } from "../contract/limits.ts";
import { tableShape } from "../contract/table.ts";
import { NoAnswer } from "../runtime/aws-fault.ts";
import type { AwsIdentity } from "../runtime/aws-identity.ts";
import type { ModelClient } from "./bedrock-client.ts";
import { type Embedder, normalised } from "./embedder.ts";
import { limitConcurrency } from "./limit-concurrency.ts";

const answerSchema = z.object({ embedding: z.array(z.number()) });

/** Titan Text Embeddings v2: one text a call, a bounded number of calls at once. */
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

/** The client of Bedrock is loaded with the first text. */
export function bedrockClient(identity?: AwsIdentity): ModelClient {
  let opened: Promise<ModelClient> | undefined;
  return {
    async invoke(modelId, input, signal) {
      opened ??= import("./bedrock-client.ts").then(({ openBedrock }) => openBedrock(identity));
      return (await opened).invoke(modelId, input, signal);
    },
  };
}

/** Without the parser's own words, which quote the text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NoAnswer("The answer of the model is not JSON.");
  }
}

/** The model refuses longer texts, and a text that was cut would be found by half of what it says. */
function checkedLength(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= indexLimits.embeddedBytesMax) return text;
  throw new RangeError(
    `inputText: has ${bytes} bytes, and the model takes ${indexLimits.embeddedBytesMax}. Embed the text in pieces.`,
  );
}
