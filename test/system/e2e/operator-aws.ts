import { createHash } from "node:crypto";
import { onTestFinished, vi } from "vitest";
import * as z from "zod";
import { stackOutputs } from "../../../lib/contract/platform.ts";
import { startFakeAws } from "../../checks/fake-aws.ts";
import type { Deployment } from "./deployment.ts";

const sendBatch = z.object({
  Entries: z.array(
    z.object({
      Id: z.string(),
      MessageBody: z.string(),
      MessageGroupId: z.string(),
      MessageDeduplicationId: z.string(),
    }),
  ),
});

/** CloudFormation's description of the stack; the API's address is where the gateway listens here. */
const outputsOf = ({ template, account, gateway }: Deployment): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    Object.entries(template.Outputs).map(([name, { Value }]) => [name, account.resolve(Value)]),
  ),
  [stackOutputs.apiUrl]: `${gateway.url}${gateway.mount}`,
});

/**
 * Lets the operator's tool in this process find the deployment by its stack's name, during the current test: an event
 * that the tool sends is delivered to the worker at once, an object is in the bucket, an invoked function runs.
 */
export async function useAsOperator(deployment: Deployment): Promise<void> {
  const { iamProxy, functions, store, account, deliver } = deployment;
  const outputs = outputsOf(deployment);
  const aws = await startFakeAws(() => outputs, {
    async sqs({ body }, response) {
      const { Entries } = sendBatch.parse(JSON.parse(body.toString()));
      await deliver(
        Entries.map(({ MessageBody, MessageGroupId, MessageDeduplicationId }) => ({
          id: MessageDeduplicationId,
          group: MessageGroupId,
          body: MessageBody,
        })),
      );
      const Successful = Entries.map(({ Id, MessageBody }) => {
        const MD5OfMessageBody = createHash("md5").update(MessageBody).digest("hex");
        return { Id, MessageId: Id, MD5OfMessageBody };
      });
      response.end(JSON.stringify({ Successful }));
    },
    s3({ target, body }, response) {
      const [, , name = ""] = target.split("?", 1)[0]?.split("/") ?? [];
      iamProxy.objects.set(decodeURIComponent(name), body);
      response.end();
    },
    async lambda({ target, body }, response) {
      const id = /\/functions\/(\w+)\/invocations/.exec(target)?.[1] ?? "";
      const answer = await functions
        .get(id)
        ?.invoke(JSON.parse(body.toString()))
        .catch(() => undefined);
      if (answer === undefined) response.setHeader("x-amz-function-error", "Unhandled");
      response.end(JSON.stringify(answer ?? {}));
    },
  });
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await aws.close();
  });
  for (const [name, value] of Object.entries({
    AWS_REGION: account.region,
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL: aws.url,
    AWS_ENDPOINT_URL_DYNAMODB: store.endpoint,
  }))
    vi.stubEnv(name, value);
}
