import { fingerprintOf, type Pointer, pointerIdOf } from "../../lib/stream/pointer.ts";
import { weekOf } from "../../lib/stream/weeks.ts";
import { acme, change, draft, someDayMs } from "./support.ts";

export const organization = "00000000-0000-5000-8000-000000000001";
export const pointerId = pointerIdOf("pr/1");
export const week = weekOf(someDayMs);
export const spill = { id: "s1", parts: 2 };

export const reviews = { number: 3, week, fingerprint: fingerprintOf(draft("one")), spill: undefined };
/** The result of event 1 of "pr/1": comments in parts, reviews, no MCP use. */
export const pointer: Pointer = {
  id: pointerId,
  organization,
  tenant: acme,
  number: 5,
  occurredAtMs: change(organization, "pr/1", 1, {}).occurredAtMs,
  eventId: "event-000001",
  places: {
    "review-comments": { number: 5, week, fingerprint: fingerprintOf(draft("one")), spill },
    reviews,
  },
};
