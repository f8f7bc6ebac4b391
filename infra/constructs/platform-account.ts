import { AccountPrincipal, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { type Data, servicesOf } from "./data.ts";
import type { Ingestion } from "./ingestion.ts";
import type { ServiceFunction } from "./service-function.ts";

export type PlatformAccountProps = {
  readonly platformAccount: string;
  readonly data: Data;
  readonly ingestion: Ingestion;
  readonly search: ServiceFunction | undefined;
};

/** That account decides which of its roles send events or search; both sides must allow it. */
export function admitPlatform({ platformAccount, data, ingestion, search }: PlatformAccountProps): void {
  const principal = new AccountPrincipal(platformAccount);
  const { eventsQueue, eventsBucket } = ingestion;
  const allow = (actions: string[], resources: string[]) =>
    new PolicyStatement({ principals: [principal], actions, resources });
  eventsQueue.addToResourcePolicy(
    allow(["sqs:SendMessage", "sqs:GetQueueUrl", "sqs:GetQueueAttributes"], [eventsQueue.queueArn]),
  );
  eventsBucket.addToResourcePolicy(allow(["s3:PutObject"], [eventsBucket.arnForObjects("*")]));
  search?.lambda.addPermission(`Platform${platformAccount}`, { principal, action: "lambda:InvokeFunction" });
  data.encryptionKey?.addToResourcePolicy(
    new PolicyStatement({
      principals: [principal],
      // A sender decrypts too: SQS and multipart uploads check their own data key.
      actions: ["kms:GenerateDataKey", "kms:Decrypt"],
      resources: ["*"],
      conditions: { StringEquals: { "kms:ViaService": servicesOf(data, ["sqs", "s3"]) } },
    }),
  );
}
