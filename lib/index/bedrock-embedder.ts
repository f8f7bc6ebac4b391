import * as z from "zod";
import { indexLimits } from "../contract/limits.ts";
import { tableShape } from "../contract/table.ts";
import type { AwsIdentity } from "../runtime/aws-identity.ts";
import { type AwsClient, createAwsClient, jsonOf } from "../runtime/aws-request.ts";
import { atMost } from "./at-most.ts";
import { type Embedder, normalised } from "./embedder.ts";

const answerSchema = z.object({ embedding: z.array(z.number()) });

/** What is used of a client of Bedrock's. */
export type ModelClient = Pick<AwsClient, "send">;

/** Titan Text Embeddings v2: one text a call, a bounded number of calls at once. */
export function createBedrockEmbedder(modelId: string, client: ModelClient = bedrockClient()): Embedder {
  const oneOfFew = atMost(indexLimits.embeddingsAtOnceMax);
  return {
    id: `bedrock:${modelId}`,
    embed: (text, signal) =>
      oneOfFew(async () => {
        const { body } = await client.send({
          method: "POST",
          path: `/model/${encodeURIComponent(modelId)}/invoke`,
          headers: { "content-type": "application/json", accept: "application/json" },
          body: JSON.stringify({
            inputText: cut(text),
            dimensions: tableShape.vectorIndex.dimensions,
            normalize: true,
          }),
          signal,
        });
        return normalised(answerSchema.parse(jsonOf(body)).embedding);
      }),
  };
}

export const bedrockClient = (identity?: AwsIdentity): ModelClient =>
  createAwsClient({
    service: "bedrock-runtime",
    identity,
    answerMsMax: indexLimits.embeddingTimeoutMs,
    attemptsMax: indexLimits.embeddingAttemptsMax,
  });

/** The model refuses longer texts; the beginning says what a text is about. */
function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= indexLimits.embeddedBytesMax) return text;
  // The cut may fall into a character, which then decodes to one replacement mark.
  return bytes.subarray(0, indexLimits.embeddedBytesMax - 3).toString();
}
