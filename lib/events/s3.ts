import { AwsError } from "../runtime/aws-error.ts";
import type { AwsIdentity } from "../runtime/aws-identity.ts";
import type { EventBucket } from "./ports.ts";
import type { ObjectStore } from "./s3-client.ts";

/** For events too large for the queue. The S3 client is loaded with the first such event. */
export function s3Bucket(bucketName: string, identity?: AwsIdentity): EventBucket {
  let opened: Promise<ObjectStore> | undefined;
  const objects = () => {
    opened ??= import("./s3-client.ts").then(({ openBucket }) => openBucket(bucketName, identity));
    return opened;
  };
  return {
    async put(name, content) {
      await (await objects()).put(name, content);
    },
    async get(name) {
      try {
        return await (await objects()).get(name);
      } catch (error) {
        // S3 reports this only with permission to list: without it, a missing object looks like a forbidden one.
        if (error instanceof AwsError && error.name === "NoSuchKey") return undefined;
        throw error;
      }
    },
  };
}
