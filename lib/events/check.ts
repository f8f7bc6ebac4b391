import { eventLimits } from "../contract/limits.ts";
import { isTooFarAhead } from "../store/items/version.ts";
import { EventRefused, type PlatformEvent, parseOrRefuse, unknownType } from "./envelope.ts";
import { eventTypeNamed } from "./event-type-named.ts";
import { type EventType, eventTypes } from "./event-types.ts";

/** Everything that the worker can refuse without looking at the table: the time, the type and every field. */
export function checkData(
  { type: name, data }: Pick<PlatformEvent, "type" | "data">,
  nowMs: number,
): { readonly type: EventType<unknown>; readonly data: unknown } {
  const type = eventTypeNamed(name);
  if (!type) throw unknownType(name, Object.keys(eventTypes));
  const checked = parseOrRefuse(type.schema, data);
  const problem = type.misdated?.(checked, nowMs);
  if (problem) throw new EventRefused(problem);
  return { type, data: checked };
}

export function checkOccurredAt({ occurred_at }: Pick<PlatformEvent, "occurred_at">, nowMs: number): void {
  if (isTooFarAhead(Date.parse(occurred_at), nowMs))
    throw new EventRefused(
      `occurred_at: lies more than ${eventLimits.aheadMsMax / 60_000} minutes in the future`,
    );
}
