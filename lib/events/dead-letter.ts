import { eventLimits } from "../contract/limits.ts";
import { queueLimits } from "../contract/platform.ts";
import { describeError } from "../runtime/log.ts";
import { letterGroup } from "./import-group.ts";
import type { EventDeps, QueueMessage } from "./ports.ts";
import { noteGivenUp } from "./tries.ts";

/** Gives the event up: a person will look at it, redacted. Only then may the queue delete it. */
export async function deadLetter(deps: EventDeps, message: QueueMessage, reason: string): Promise<void> {
  const { id, group } = message;
  // Loaded with the first dead letter: the redaction code is a fifth of the worker.
  const { redact, redactMessage } = await import("./redact-message.ts");
  const redacted = redactMessage(message.body);
  // Numbers such as 1e20 become longer when they are written again; as text, only the credentials change.
  const body = isTooLarge(redacted) ? redact(message.body).text : redacted;
  const shortReason = redact(reason).text.slice(0, eventLimits.reasonCharactersMax).toWellFormed();
  await deps.deadLetters.send([{ id, group: letterGroup(message), body, reason: shortReason }]);
  deps.onOutcome?.("dead");
  deps.log("warn", "An event went to the dead letters.", { messageId: id, group, reason: shortReason });
  await closeTries(deps, message);
}

const isTooLarge = (body: string): boolean =>
  Buffer.byteLength(body) > queueLimits.deadLetterBytesMax - eventLimits.messageOverheadBytesMax;

async function closeTries(deps: EventDeps, message: QueueMessage): Promise<void> {
  try {
    await noteGivenUp(deps, message);
  } catch (error) {
    // The dead letter is written: a second one would be worse than tries that are not deleted.
    deps.log("warn", "Tries of a dead letter could not be closed.", {
      messageId: message.id,
      error: describeError(error),
    });
  }
}
