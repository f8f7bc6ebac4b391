import * as kinds from "../../contract/items.ts";
import { learningLimits } from "../../contract/limits.ts";
import type { Key, Put } from "../../store/table.ts";
import { ttlAfter } from "../../store/ttl.ts";

/** `occurred_at#event id`, as the list of events passes it to the function that applies an event. */
const eventIdOf = (version: string): string => version.slice(version.indexOf("#") + 1);

export const appliedKey = (version: string): Key => kinds.applied.key({ eventId: eventIdOf(version) });

/** Part of the transaction that applies the event: an event that is delivered twice counts once. */
export const appliedOnce = (version: string, nowMs: number): Put => ({
  put: {
    ...appliedKey(version),
    ttl: ttlAfter(nowMs, learningLimits.appliedEventDays),
  },
  when: { absent: "pk" },
});
