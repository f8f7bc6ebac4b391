import type { EventBucket, EventQueue } from "./ports.ts";
import { type OutgoingEvent, sendEvents } from "./send.ts";

const sendTogether = 100;

/** Sends any number of events in order, without holding all of them in memory; returns how many there were. */
export async function sendAll(
  { queue, bucket }: { readonly queue: EventQueue; readonly bucket: EventBucket },
  events: Iterable<OutgoingEvent> | AsyncIterable<OutgoingEvent>,
  onSent: (count: number) => void = () => undefined,
): Promise<number> {
  let sent = 0;
  let batch: OutgoingEvent[] = [];
  const flush = async () => {
    await sendEvents(queue, bucket, batch);
    sent += batch.length;
    onSent(batch.length);
    batch = [];
  };
  for await (const event of events) {
    batch.push(event);
    if (batch.length >= sendTogether) await flush();
  }
  if (batch.length > 0) await flush();
  return sent;
}
