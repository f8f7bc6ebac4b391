import { learningLimits } from "../../contract/limits.ts";
import { appliedEventKey } from "../../store/layout.ts";
import type { Key, Put } from "../../store/table.ts";
import { ttlAfter } from "../../store/ttl.ts";

/** `occurred_at#event id`, as the events' list hands it to whoever applies one. */
const eventIdOf = (version: string): string => version.slice(version.indexOf("#") + 1);

export const appliedKey = (version: string): Key => appliedEventKey(eventIdOf(version));

/** In the transaction of what the event did: delivered twice, it counts once. */
export const appliedOnce = (version: string, nowMs: number): Put => ({
  put: {
    ...appliedKey(version),
    ttl: ttlAfter(nowMs, learningLimits.appliedEventDays),
  },
  when: { absent: "pk" },
});
