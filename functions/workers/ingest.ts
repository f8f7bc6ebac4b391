import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { eventLimits } from "../../lib/contract/limits.ts";
import { eventMetrics } from "../../lib/contract/telemetry.ts";
import { workerDependencies } from "../../lib/events/dependencies.ts";
import { ingest } from "../../lib/events/ingest.ts";
import { EventTally } from "../../lib/events/tally.ts";
import { log } from "../../lib/runtime/log.ts";
import { embedMetrics } from "../../lib/runtime/metrics.ts";
import { worker } from "../../lib/runtime/worker.ts";

/** Reads the FIFO queue of platform events. Returns the messages of the batch that must be delivered again. */
export const handler = worker(
  "ingest",
  async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const deps = workerDependencies();
    const tally = new EventTally();
    const timeBudgetMs = context.getRemainingTimeInMillis() - eventLimits.workerMarginMs;
    const messages = event.Records.map(toMessage);
    const returned = await ingest({ ...deps, onOutcome: tally.onOutcome }, messages, { timeBudgetMs });
    log("info", "events", { ...tally.fields(returned.length), ...embedMetrics(deps.clock, [eventMetrics]) });
    return { batchItemFailures: returned.map(({ sending }) => ({ itemIdentifier: sending })) };
  },
);

const toMessage = ({ messageId, body, attributes }: SQSRecord) => ({
  sending: messageId,
  id: attributes.MessageDeduplicationId ?? messageId,
  // SQS names the group of every message of a FIFO queue; an emulator that does not must not cost the order.
  group: attributes.MessageGroupId ?? "",
  body,
  receives: Number(attributes.ApproximateReceiveCount),
});
