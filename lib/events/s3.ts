import { GetObjectCommand, NoSuchKey, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import type { EventBucket } from "./ports.ts";

/** The stack's encrypted bucket, for events too large for the queue. */
export const s3Bucket = (client: S3Client, bucketName: string): EventBucket => ({
  async put(name, content) {
    await client.send(
      new PutObjectCommand({
        Bucket: bucketName,
        Key: name,
        Body: content,
        ContentType: "application/json",
      }),
    );
  },
  async get(name) {
    try {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucketName, Key: name }));
      return await Body?.transformToByteArray();
    } catch (error) {
      // Only with leave to list the bucket; without it a missing object looks like a forbidden one.
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  },
});
