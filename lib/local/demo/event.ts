import { v5 as uuidFromName } from "uuid";
import type { OutgoingEvent } from "../../events/send.ts";
import { toTimestamp } from "../../runtime/clock.ts";

const demoNamespace = "5b0d3c5e-6b0f-4d5c-9d5e-0d9f5f1f7c11";

/** The event's id is derived from its name, so that sending the same events again changes nothing. */
export const demoEvent = (
  type: string,
  name: string,
  atMs: number,
  data: Readonly<Record<string, unknown>>,
): OutgoingEvent => ({
  id: uuidFromName(`${type} ${name}`, demoNamespace),
  type,
  occurred_at: toTimestamp(atMs),
  data,
});
