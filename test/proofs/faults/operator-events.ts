import { eventOf } from "../../../cli/events/event-of.ts";
import { operatorOrigin } from "../../../lib/audit/entry.ts";
import { auditLimits } from "../../../lib/contract/limits.ts";
import { dropFailed, dropWaiting } from "../../../lib/events/drop.ts";
import { s3Bucket } from "../../../lib/events/s3.ts";
import { sendEvents } from "../../../lib/events/send.ts";
import { createSqsCall, sqsQueue } from "../../../lib/events/sqs.ts";
import { readWaitingEvents, waitingEventId, waitingRows } from "../../../lib/events/waiting-list.ts";
import { failedEventsOf } from "../../../lib/operator/stack-dead-letters.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import {
  createIngestHarness,
  deliver,
  event,
  organizationName,
  organizationSaved,
} from "../../events/support.ts";
import { capturedData } from "./fixture.ts";
import { change } from "./operator-command.ts";
import type { FaultEnvironment, ScenarioSet } from "./scenario.ts";

const captured = (at: number, text: string, more: object = {}) =>
  event("learning.captured", at, capturedData(organizationName(), text, more));
const waiting = [captured(6, "Mind the gap."), captured(7, "Mind the step.")] as const;
const huge = captured(8, "Mind it all.", { filler: "x".repeat(210_000) });

/** The operator's commands about events that wait or have failed. */
export function operatorEventScenarios(environment: FaultEnvironment): ScenarioSet {
  const bucket = s3Bucket("events");
  const context = () => ({
    ...environment.store(),
    ...operatorOrigin,
    retentionDays: auditLimits.retentionDaysDefault,
    bucket,
  });
  const letters: string[] = [];
  const listed = async (id?: string) => {
    const { table } = environment.store();
    const rows = await Array.fromAsync(waitingRows(table));
    return await Array.fromAsync(
      readWaitingEvents(
        table,
        rows.filter((row) => id === undefined || waitingEventId(row) === id),
      ),
    );
  };

  return {
    fixtures: {
      "events that wait for a repository, and one that failed": {
        build: async () => {
          const harness = createIngestHarness(environment.api.store().table);
          await deliver(harness, [organizationSaved(2), ...waiting]);
          const queue = {
            send: async (sent: readonly { body: string }[]) =>
              void letters.push(...sent.map(({ body }) => body)),
          };
          await sendEvents(queue, bucket, [huge]);
        },
      },
    },
    scenarios: () => {
      const fixture = "events that wait for a repository, and one that failed";
      const maySay = ["503 SERVICE_UNAVAILABLE", "the queue does not answer"];
      return {
        "waiting events are listed": change(() => listed(), { fixture, isRead: true }),
        "a waiting event is dropped": change(
          async () => {
            const outcomes = [];
            for (const waitingEvent of await listed(waiting[0].id)) {
              const { item } = waitingEvent;
              outcomes.push(
                await dropWaiting(context(), waitingEvent, { ...eventOf(item), body: item.body }),
              );
            }
            return outcomes.filter(({ isDropped }) => isDropped);
          },
          { fixture, doneBefore: /^0 of them$/ },
        ),
        "a failed event that travelled by reference is dropped": {
          ...change(() => dropLetters(context()), { fixture, maySay, doneBefore: /^0 of them$/ }),
          deadLetters: letters,
        },
        "one of two dead letters is sent again": {
          ...change(() => redrive("of a"), { maySay: ["the queue does not answer"] }),
          deadLetters: ["of a", "of b"],
        },
      };
    },
  };
}

function failedEvents() {
  const call = createSqsCall();
  const queue = sqsQueue(call, "https://queue.test/events");
  return failedEventsOf({ call, queueUrl: "https://queue.test/dead", queue, random: systemRandom });
}

async function redrive(wanted: string): Promise<void> {
  for await (const letter of failedEvents()) if (letter.body === wanted) await letter.redrive();
}

async function dropLetters(context: Parameters<typeof dropFailed>[0]) {
  const outcomes = [];
  for await (const letter of failedEvents()) {
    const { body, reason, failedAt } = letter;
    outcomes.push(await dropFailed(context, { ...eventOf(letter), body, reason, failedAt }, letter.drop));
  }
  return outcomes;
}
