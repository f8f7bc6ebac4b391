import * as z from "zod";
import { listening } from "./listening.ts";

const answerSchema = z.looseObject({ Status: z.string(), PhysicalResourceId: z.string() });

/** Invokes a function as CloudFormation does for a custom resource; the answer that the function sent. */
export async function answeredTo(
  RequestType: string,
  invoke: (event: object) => Promise<unknown> | undefined,
) {
  let answer: unknown;
  const cloudFormation = await listening(async (request, response) => {
    answer = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString());
    response.end();
  });
  const ids = { StackId: "stack", RequestId: "request", LogicalResourceId: "InDeployment" };
  try {
    await invoke({ ...ids, RequestType, ResponseURL: cloudFormation.url });
  } finally {
    cloudFormation.close();
  }
  return answerSchema.parse(answer);
}
