import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import * as z from "zod";
import type { SearchAnswer } from "../learnings/search.ts";
import { OperatorError } from "../runtime/operator-error.ts";

const refusalSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
const answerSchema = z.object({
  learnings: z.array(
    z.object({
      id: z.string(),
      learning: z.string(),
      file: z.string().nullable(),
      source_url: z.string().nullable(),
      score: z.number(),
    }),
  ),
});

/** Invokes the deployed search function, as the reviewer does. */
export function invoker(functionName: string, region: string | undefined) {
  const client = new LambdaClient(region === undefined ? {} : { region });
  return async (request: object): Promise<SearchAnswer> => {
    const Payload = Buffer.from(JSON.stringify(request));
    const answer = await client.send(new InvokeCommand({ FunctionName: functionName, Payload }));
    const text = Buffer.from(answer.Payload ?? []).toString();
    if (answer.FunctionError)
      throw new OperatorError(
        `The function ${functionName} failed. Its log says why. AccessDenied in the log means: a grant is missing, or ` +
          "Bedrock does not have the model in that region (set bedrockRegion).",
      );
    const json: unknown = JSON.parse(text);
    const refusal = refusalSchema.safeParse(json).data?.error;
    if (refusal)
      throw new OperatorError(`The function ${functionName} refused: ${refusal.code}: ${refusal.message}.`);
    return answerSchema.parse(json);
  };
}
