import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { awsLimits } from "../contract/limits.ts";
import { awsClientConfig, sendRepeatedly } from "../runtime/aws-client.ts";
import type { AwsIdentity } from "../runtime/aws-identity.ts";
import { required } from "../runtime/required.ts";

/** Reads and writes whole objects of one bucket. */
export type ObjectStore = {
  put(key: string, body: Uint8Array): Promise<unknown>;
  get(key: string): Promise<Uint8Array>;
};

/** AWS's client of S3. Import this file only when an object is read or written: the client is large. */
export function openBucket(Bucket: string, identity?: AwsIdentity): ObjectStore {
  const { objectAnswerMsMax: answerMsMax, attemptsMax } = awsLimits;
  const client = new S3Client({
    ...awsClientConfig({ identity, answerMsMax, streamed: true }),
    cacheMiddleware: true,
  });
  return {
    put: (Key, Body) =>
      sendRepeatedly({ attemptsMax }, () =>
        client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType: "application/json" })),
      ),
    get: (Key) =>
      sendRepeatedly({ attemptsMax }, async () => {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
        return required(Body, "body of the object").transformToByteArray();
      }),
  };
}
