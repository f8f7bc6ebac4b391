import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { eventLimits } from "../../lib/contract/limits.ts";
import { workerDependencies } from "../../lib/events/dependencies.ts";
import { ingest } from "../../lib/events/ingest.ts";

/** Behind the FIFO queue of platform events; answers which messages of the batch are to come again. */
export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const timeBudgetMs = context.getRemainingTimeInMillis() - eventLimits.workerMarginMs;
  const unfinished = await ingest(workerDependencies(), event.Records.map(toMessage), { timeBudgetMs });
  return { batchItemFailures: unfinished.map(({ receipt }) => ({ itemIdentifier: receipt })) };
}

const toMessage = ({ messageId, body, attributes }: SQSRecord) => ({
  receipt: messageId,
  id: attributes.MessageDeduplicationId ?? messageId,
  group: attributes.MessageGroupId ?? messageId,
  body,
});
