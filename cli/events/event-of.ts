import { EventRefused, readMessage } from "../../lib/events/envelope.ts";
import { redactMessage } from "../../lib/events/redact-message.ts";
import type { FailedEvent } from "../../lib/operator/connection.ts";
import { redact } from "../../lib/redaction/redact.ts";

/** Redacted for display: SQS moves messages to the dead letters unchanged. */
export const redacted = (letter: FailedEvent): FailedEvent => ({
  ...letter,
  reason: redact(letter.reason).text,
  body: redactMessage(letter.body),
});

/** Id and type of the message's event; if the body is not an event, the message's id. */
export function eventOf({ id, body }: Pick<FailedEvent, "id" | "body">): {
  readonly id: string;
  readonly type: string | null;
} {
  try {
    const { id: eventId, type } = readMessage(body);
    return { id: eventId, type };
  } catch (error) {
    if (error instanceof EventRefused) return { id, type: null };
    throw error;
  }
}
