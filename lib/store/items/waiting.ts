import * as z from "zod";
import { itemSchema, parseItem } from "./parse.ts";

/** A message whose event cannot be applied yet, to be processed later like any other; its free texts are redacted. */
const waitingItem = itemSchema({
  id: z.string(),
  group: z.string(),
  body: z.string(),
  event_id: z.string(),
  since: z.string(),
});

/** The same message by age, without the body: the clock worker reads these. */
const waitingByAgeItem = itemSchema({
  since: z.string(),
  dependency: z.object({ pk: z.string(), sk: z.string() }),
  /** A readable name of the dependency. */
  label: z.string(),
  version: z.string(),
});

export type WaitingItem = z.output<typeof waitingItem>;
export type WaitingByAgeItem = z.output<typeof waitingByAgeItem>;
export const parseWaiting = parseItem("waiting event", waitingItem);
export const parseWaitingByAge = parseItem("waiting event's age", waitingByAgeItem);
