import { QueueUnavailable } from "../../../lib/events/sqs.ts";
import { AwsError, NoAnswer } from "../../../lib/runtime/aws-error.ts";
import { StoreUnavailable } from "../../../lib/store/table.ts";
import type { CallResult, Scenario } from "./scenario.ts";

/** A command of the operator's tool: the tool prints its result, or that AWS could not be reached. */
export const change = (verb: () => Promise<unknown>, more: Partial<Scenario> = {}): Scenario => ({
  fixture: "office",
  isRepeated: true,
  says: /^(done|approved|\d of them)$/,
  maySay: ["503 SERVICE_UNAVAILABLE"],
  act: () => act(verb),
  ...more,
});

async function act(verb: () => Promise<unknown>): Promise<CallResult> {
  try {
    return { text: summaryOf(await verb()), isAcknowledged: true };
  } catch (error) {
    const isRefused = error instanceof Error && error.name === "KeyRegistryError";
    if (isRefused)
      return {
        text: `refused: ${error.message}`.replaceAll(/k[a-z2-7]{16}/g, "a key"),
        isAcknowledged: false,
      };
    if (error instanceof AwsError || error instanceof NoAnswer || error instanceof QueueUnavailable)
      return { text: "the queue does not answer", isAcknowledged: false };
    if (error instanceof StoreUnavailable) return { text: "503 SERVICE_UNAVAILABLE", isAcknowledged: false };
    throw error;
  }
}

const summaryOf = (answer: unknown): string =>
  Array.isArray(answer) ? `${answer.length} of them` : typeof answer === "string" ? answer : "done";
