import * as z from "zod";
import { eventLimits } from "../contract/limits.ts";
import { badText, wellFormed } from "../contract/parameters.ts";
import { queueLimits } from "../contract/platform.ts";
import { canonicalInstant } from "../store/items/version.ts";
import { issueMessage, problemsOf } from "./problems.ts";

/** This event can never be applied: it goes to the dead letters with the reason. */
export class EventRefused extends Error {
  override readonly name = "EventRefused";
}

export const unknownType = (name: string, known: readonly string[]): EventRefused =>
  new EventRefused(`type: ${name} is unknown. Known types: ${known.join(", ")}`);

/** The fields that every event has. Further fields are ignored: the platform may add some. */
const head = {
  id: z.guid({ error: "must be a UUID" }).transform((id) => id.toLowerCase()),
  type: z.string().min(1).max(eventLimits.typeCharactersMax).refine(wellFormed, { error: badText }),
  /** Any offset is accepted; stored in UTC, with every digit that was sent. */
  occurred_at: z.iso
    .datetime({ offset: true, error: "must be a date-time with an offset" })
    .max(eventLimits.occurredAtCharactersMax)
    .refine((text) => isShowable(Date.parse(text)), { error: "must lie between 1970 and 9999", abort: true })
    .transform(canonicalInstant),
};
const lastInstantMs = Date.parse("9999-12-31T23:59:59.999Z");
const isShowable = (ms: number): boolean => ms >= 0 && ms <= lastInstantMs;

const inlineEvent = z.object({ ...head, data: z.record(z.string(), z.unknown()) });

export const envelopeWords = {
  id: "Your id of this event, a unique UUID. Sending an event again with the same id changes nothing.",
  type: "One of the ten types.",
  occurred_at:
    "When the thing got this state, with an offset. The newest time wins; all its digits count. If two times are equal, " +
    "the greater id wins. At most ten minutes in the future.",
  data: "The whole state of the thing. Further fields are allowed and ignored.",
};

/** Names become object names in the bucket, or files in a folder: they must not lead out of it. */
const referencedEvent = z.object({
  ...head,
  reference: z
    .string()
    .regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/, { error: "is not a name in the bucket" }),
});

export type PlatformEvent = z.output<typeof inlineEvent>;
export type EventReference = z.output<typeof referencedEvent>;

export function readEvent(value: unknown): PlatformEvent {
  return parseOrRefuse(inlineEvent, value);
}

export function readMessage(body: string): PlatformEvent | EventReference {
  // A waiting message is stored in an item of the table, with the size limit that the queue has always had.
  if (Buffer.byteLength(body) > queueLimits.messageBytesMax) {
    throw new EventRefused(
      `The message has more than ${queueLimits.messageBytesMax} bytes: send it by reference.`,
    );
  }
  const value = readJson(body);
  const isReference =
    typeof value === "object" && value !== null && "reference" in value && !("data" in value);
  return isReference ? parseOrRefuse(referencedEvent, value) : parseOrRefuse(inlineEvent, value);
}

export function readReferenced(
  { id, type, occurred_at }: EventReference,
  content: Uint8Array,
): PlatformEvent {
  const event = readEvent(readJson(decode(content)));
  const isTheSame = event.id === id && event.type === type && event.occurred_at === occurred_at;
  if (!isTheSame) throw new EventRefused("The referenced content is another event.");
  return event;
}

/** Checks a value against a schema; the reason names the fields and what is allowed, never the values. */
export function parseOrRefuse<Output>(schema: z.ZodType<Output>, value: unknown): Output {
  const parsed = schema.safeParse(value, { error: issueMessage });
  if (parsed.success) return parsed.data;
  throw new EventRefused(problemsOf(parsed.error.issues, value).join("; "));
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new EventRefused("The message is not JSON.");
  }
}

function decode(content: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    throw new EventRefused("The referenced content is not UTF-8.");
  }
}
