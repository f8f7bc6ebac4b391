import { MoveUnderWay } from "../organizations/move.ts";
import { CorruptItem } from "../store/items/parse.ts";
import { isTemporaryStoreError, refusesInput } from "../store/retry.ts";
import { EventRefused } from "./envelope.ts";
import { QueueUnavailable } from "./sqs.ts";

/**
 * What an error means for the event that met it:
 *
 * - `event`: no later try can succeed (an invalid event, an item that the table refuses, a damaged dependency);
 * - `passing`: the event is not to blame (the store, the bucket or the queue does not answer; the time is up; an
 *   earlier move is not finished);
 * - `unclear`: perhaps other writers, perhaps a bug that the event triggers every time. A few more tries show which.
 */
export type EventErrorKind = "event" | "passing" | "unclear";

export function eventErrorKind(error: unknown): EventErrorKind {
  if (error instanceof EventRefused || error instanceof CorruptItem || refusesInput(error)) return "event";
  const mayPass = passing.some((kind) => error instanceof kind) || isTemporaryStoreError(error);
  return mayPass ? "passing" : "unclear";
}

/** Another event, which waited for this one, failed. Its tries are counted separately. */
export class WaitingEventFailed extends Error {
  override readonly name = "WaitingEventFailed";
}

const passing = [QueueUnavailable, WaitingEventFailed, MoveUnderWay];
