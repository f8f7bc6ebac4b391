import { Duration, RemovalPolicy, Validations } from "aws-cdk-lib";
import type { Key } from "aws-cdk-lib/aws-kms";
import { EventSourceMapping } from "aws-cdk-lib/aws-lambda";
import { BlockPublicAccess, Bucket, BucketEncryption } from "aws-cdk-lib/aws-s3";
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { eventQueueSettings, queueLimits, retention } from "../../lib/contract/platform.ts";
import type { ServiceFunction } from "./service-function.ts";

/**
 * The input for platform events: a FIFO queue, its dead letters, and a bucket for events that the queue cannot hold.
 */
export class Ingestion extends Construct {
  readonly eventsQueue: Queue;
  readonly deadLetterQueue: Queue;
  readonly eventsBucket: Bucket;

  readonly #workersMax: number;

  constructor(
    scope: Construct,
    id: string,
    { encryptionKey, workersMax }: { readonly encryptionKey: Key | undefined; readonly workersMax: number },
  ) {
    super(scope, id);
    this.#workersMax = workersMax;
    const shared = {
      fifo: true,
      // The ids are the events' own, and equal ids count as duplicates only within their tenant's group.
      contentBasedDeduplication: false,
      deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
      fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
      retentionPeriod: Duration.days(queueLimits.retentionDaysMax),
      visibilityTimeout: Duration.seconds(eventQueueSettings.visibilitySeconds),
      enforceSSL: true,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      ...(encryptionKey
        ? { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey }
        : { encryption: QueueEncryption.SQS_MANAGED }),
    };
    this.deadLetterQueue = new Queue(this, "DeadLetterQueue", {
      ...shared,
      maxMessageSizeBytes: queueLimits.deadLetterBytesMax,
    });
    this.eventsQueue = new Queue(this, "EventsQueue", {
      ...shared,
      maxMessageSizeBytes: queueLimits.messageBytesMax,
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount: eventQueueSettings.receivesMax },
    });
    this.eventsBucket = createBucket(this, encryptionKey);
  }

  feed(worker: ServiceFunction): void {
    new EventSourceMapping(this, "EventsMapping", {
      target: worker.lambda,
      eventSourceArn: this.eventsQueue.queueArn,
      batchSize: eventQueueSettings.batchMessagesMax,
      reportBatchItemFailures: true,
      maxConcurrency: this.#workersMax,
    });
  }
}

function createBucket(scope: Construct, encryptionKey: Key | undefined): Bucket {
  const bucket = new Bucket(scope, "EventsBucket", {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    enforceSSL: true,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    lifecycleRules: [
      {
        id: "events-are-applied-or-dead-by-then",
        expiration: Duration.days(retention.eventObjectDays),
        abortIncompleteMultipartUploadAfter: Duration.days(1),
      },
    ],
    ...(encryptionKey
      ? { encryption: BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }
      : { encryption: BucketEncryption.S3_MANAGED }),
  });
  Validations.of(bucket).acknowledge({
    id: "AwsSolutions-S1",
    reason:
      "One worker reads it and logs what it read; a log bucket would keep names longer than the events.",
  });
  return bucket;
}
