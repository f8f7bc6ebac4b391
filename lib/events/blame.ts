import { CorruptItem } from "../store/items/parse.ts";
import { isPassing, refusesInput } from "../store/retry.ts";
import { EventRefused } from "./envelope.ts";
import { QueueUnavailable } from "./sqs.ts";

/**
 * What a fault says about the event that met it:
 *
 * - `event`: no later try can succeed (a bad event, an item that the table refuses, a damaged item it depends on);
 * - `passing`: the event is not to blame (the store, the bucket or the queue does not answer; the time is up);
 * - `unclear`: perhaps rivals, perhaps a bug that the event meets every time. A few tries tell.
 */
export type Blame = "event" | "passing" | "unclear";

export function blameOf(error: unknown): Blame {
  if (error instanceof EventRefused || error instanceof CorruptItem || refusesInput(error)) return "event";
  const isPassed = error instanceof QueueUnavailable || error instanceof WaitingEventFailed;
  return isPassed || isPassing(error) ? "passing" : "unclear";
}

/** Another event, which waited for this one, failed. It is counted by itself. */
export class WaitingEventFailed extends Error {
  override readonly name = "WaitingEventFailed";
}
