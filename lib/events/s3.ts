import { awsLimits } from "../contract/limits.ts";
import { AwsFault } from "../runtime/aws-fault.ts";
import { type AwsIdentity, endpointInstead } from "../runtime/aws-identity.ts";
import { createAwsClient } from "../runtime/aws-request.ts";
import type { EventBucket } from "./ports.ts";

/** The stack's encrypted bucket, for events too large for the queue. */
export function s3Bucket(bucketName: string, identity?: AwsIdentity): EventBucket {
  // A bucket is a host on AWS; whatever stands in for S3 has one host, and buckets in its paths.
  const folder = endpointInstead("s3") === undefined ? "" : `/${bucketName}`;
  const client = createAwsClient({
    service: "s3",
    identity,
    hostPrefix: `${bucketName}.`,
    answerMsMax: awsLimits.objectAnswerMsMax,
    attemptsMax: awsLimits.attemptsMax,
  });
  const pathOf = (name: string) => `${folder}/${strictlyEncoded(name)}`;
  return {
    async put(name, content) {
      const headers = { "content-type": "application/json" };
      await client.send({ method: "PUT", path: pathOf(name), headers, body: content });
    },
    async get(name) {
      try {
        return (await client.send({ method: "GET", path: pathOf(name) })).body;
      } catch (error) {
        // Only with leave to list the bucket; without it a missing object looks like a forbidden one.
        if (error instanceof AwsFault && error.name === "NoSuchKey") return undefined;
        throw error;
      }
    },
  };
}

/** The signature is over the path as S3 itself would encode it. */
const strictlyEncoded = (name: string): string =>
  encodeURIComponent(name).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
