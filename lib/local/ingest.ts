import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { finishMoves, probeApi, type Worker, type WorkerId, workers } from "../contract/workers.ts";
import { expireWaiting } from "../events/expire.ts";
import { ingest } from "../events/ingest.ts";
import type { EventDeps } from "../events/ports.ts";
import { systemClock } from "../runtime/clock.ts";
import { systemRandom } from "../runtime/random.ts";
import type { LocalBackend } from "./backend.ts";
import { loadFunction } from "./functions.ts";
import { invokeBuffered } from "./lambda.ts";
import { QueuePoller } from "./queue-poller.ts";
import type { Task } from "./schedule.ts";

export type LocalLog = EventDeps["log"];

/** The dependencies of the write side, with the engine and a folder instead of SQS and S3. */
const eventDeps = ({ table, queue, bucket }: LocalBackend, log: LocalLog): EventDeps => ({
  table,
  bucket,
  deadLetters: queue.deadLetters,
  clock: systemClock,
  random: systemRandom,
  triesToTakeBack: new Map(),
  knownTenants: new Map(),
  log,
});

export function createQueuePoller(
  backend: LocalBackend,
  log: LocalLog,
  onFault?: (error: unknown) => void,
): QueuePoller {
  const deps = eventDeps(backend, log);
  return new QueuePoller({
    queue: backend.queue,
    clock: systemClock,
    deliver: (event) => deliver(deps, event),
    ...(onFault && { onFault }),
  });
}

async function deliver(deps: EventDeps, { Records }: SQSEvent): Promise<SQSBatchResponse> {
  const messages = Records.map(({ messageId, body, attributes }) => ({
    messageId,
    body,
    id: attributes.MessageDeduplicationId ?? messageId,
    group: attributes.MessageGroupId ?? "",
    receives: Number(attributes.ApproximateReceiveCount),
  }));
  const unfinished = await ingest(deps, messages);
  return { batchItemFailures: unfinished.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

/** The scheduled workers, as on AWS. */
export function scheduledTasks(backend: LocalBackend, log: LocalLog): readonly Task[] {
  const deps = eventDeps(backend, log);
  // As functions these use SQS or S3, so here they get the local replacement.
  const ownWork: Partial<Record<WorkerId, () => Promise<void>>> = {
    expireWaiting: () => expireWaiting(deps),
  };
  return workers.flatMap((worker) => {
    // The check of the public address has nothing to check here.
    if (worker.trigger.kind !== "schedule" || worker.id === probeApi.id) return [];
    // A person waits for a move: the next run does not wait for the next minute.
    const everyMs = worker.id === finishMoves.id ? 1_000 : worker.trigger.everyMinutes * 60_000;
    return [{ name: worker.id, everyMs, run: ownWork[worker.id] ?? asFunction(worker) }];
  });
}

/** The service stops when its runs have ended. What a run has no time for, the next one continues. */
const runMsMax = 20_000;

/** The other workers need only the table, which they find through the environment. */
function asFunction(worker: Worker): () => Promise<void> {
  if (worker.uses.includes("deadLetterQueue") || worker.uses.includes("eventsBucket"))
    throw new TypeError(`The local service has no way to run ${worker.id}.`);
  const options = {
    functionName: worker.id,
    timeoutMs: Math.min(worker.timeoutSeconds * 1000, runMsMax),
    clock: systemClock,
    random: systemRandom,
  };
  return async () => {
    await invokeBuffered(await loadFunction(worker.source), {}, options);
  };
}
