import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { AwsIdentity } from "../runtime/aws-identity.ts";
import type { Clock } from "../runtime/clock.ts";

const pollMs = 2_000;
/** The message counts of SQS are slightly delayed: a single empty result proves nothing. */
const quietPolls = 8;
const waitMsMax = 5 * 60_000;

/**
 * Waits until the queue has been empty for a quarter of a minute; false if it is not within five minutes. An event that
 * cannot be applied is in the dead-letter queue by then: the worker moves it there before it deletes the message.
 */
export async function waitForEmptyQueue(
  countMessages: () => Promise<number>,
  clock: Clock,
): Promise<boolean> {
  const startedMs = clock.nowMs();
  for (let quiet = 0; quiet < quietPolls; ) {
    if (clock.nowMs() - startedMs >= waitMsMax) return false;
    await clock.sleep(pollMs);
    quiet = (await countMessages()) === 0 ? quiet + 1 : 0;
  }
  return true;
}

const counted = [
  "ApproximateNumberOfMessages",
  "ApproximateNumberOfMessagesNotVisible",
  "ApproximateNumberOfMessagesDelayed",
] as const;

/** Counts the messages that wait and the messages that a worker has received. */
export function queueCounter(identity: AwsIdentity, QueueUrl: string): () => Promise<number> {
  // The SDK's endpoint rules choose the endpoint, as for all our other calls.
  const client = new SQSClient({ ...identity, useQueueUrlAsEndpoint: false });
  return async () => {
    const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...counted] });
    const { Attributes = {} } = await client.send(command);
    return counted.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
  };
}
