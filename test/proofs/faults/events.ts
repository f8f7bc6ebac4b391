import { handler as ingestBatch } from "../../../functions/workers/ingest.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { eventLimits, storeLimits } from "../../../lib/contract/limits.ts";
import { ingest } from "../../../lib/contract/workers.ts";
import { s3Bucket } from "../../../lib/events/s3.ts";
import { groupOf, type OutgoingEvent, sendEvents } from "../../../lib/events/send.ts";
import { createSqsCall, sqsQueue } from "../../../lib/events/sqs.ts";
import { learningUuid } from "../../../lib/learnings/identity.ts";
import { lambdaContext } from "../../../lib/local/lambda.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import type { Table } from "../../../lib/store/table.ts";
import {
  createIngestHarness,
  deliver,
  event,
  instanceSaved,
  memberSaved,
  organizationName,
  organizationSaved,
  repositorySaved,
  uuidOf,
  workspaceSaved,
} from "../../events/support.ts";
import { closed, finalized, mcp, urlOf } from "../../support/event-data.ts";
import { capturedData, manyComments, scanData } from "./fixture.ts";
import type { CallResult, FaultEnvironment, Scenario, ScenarioSet, Scenarios } from "./scenario.ts";
import { dieAt } from "./wire.ts";

const one = organizationName();
const inAcme = { ...one, workspace_id: "acme" };
const team = ["1", "2", "3"].map((user_id) => memberSaved(5, { user_id, email: `${user_id}@acme.test` }));
/** More than fits into one transaction. */
const manyMemberships = Array.from({ length: storeLimits.transactionActionsMax }, (_, index) => {
  const name = organizationName(String(3_000 + index));
  return [
    organizationSaved(2, { ...name, workspace_id: "acme" }),
    memberSaved(5, { ...name, user_id: "1", email: "1@acme.test" }),
  ];
}).flat();
const repository = repositorySaved(3, { repository_id: "r1" });
const base = [organizationSaved(2), repository];
const teamSaved = (at: number, name: string) =>
  event("team.saved", at, { ...one, team_id: "t1", name, user_ids: ["1", "2"], active: true });

const pullRequest = (at: number, number: number, change: object = {}) =>
  event(
    "pull_request.finalized",
    at,
    finalized(one, number, { repository_id: "r1", author_id: "1", ...change }),
  );
const captured = (at: number, text: string, more: object = {}) =>
  event("learning.captured", at, capturedData(one, text, more));
const inPullRequest = { source: "pull_request", pr_url: urlOf(7) };
const scanned = (at: number, id: string, findings: readonly string[]) =>
  event("security_scan.completed", at, scanData(one, id, findings));
const large = { comments: manyComments(), ...mcp };

const gapId = learningUuid(uuidOf(), "r1", "Mind the gap.", 1);

/** The events that were applied before, and the events that are sent under faults. */
type Story = {
  readonly before: readonly OutgoingEvent[];
  /** A sweep died while it checked the parts of large pull requests. */
  readonly isMarkedForRemoval?: boolean;
  readonly now: readonly OutgoingEvent[];
  /** The last of the earlier events was cut off here. */
  readonly cutOffAt?: string;
  readonly settlesPeopleLater?: boolean;
  readonly recordsLater?: boolean;
};

const stories: Readonly<Record<string, Story>> = {
  "a workspace arrives that others wait for": {
    before: [organizationSaved(2, inAcme), ...team.slice(0, 1), repository],
    now: [workspaceSaved(1)],
  },
  "an event comes before its organization": { before: [], now: [memberSaved(3)] },
  "an instance is sent": { before: [], now: [instanceSaved(1)] },
  "a repository is sent again": {
    before: base,
    now: [repositorySaved(9, { repository_id: "r1", name: "new" })],
  },
  "a team is sent again": { before: [...base, teamSaved(4, "old")], now: [teamSaved(9, "new")] },
  "an organization is sent after one whose epoch nobody published": {
    before: [workspaceSaved(1), organizationSaved(2, inAcme)],
    cutOffAt: "lib/organizations/visibility.ts UpdateItem",
    now: [organizationSaved(2, inAcme)],
  },
  "an organization that is still moving moves again": {
    before: [
      workspaceSaved(1),
      workspaceSaved(1, { id: "other" }),
      ...base,
      ...team.slice(0, 1),
      organizationSaved(9, inAcme),
    ],
    cutOffAt: "lib/stream/move.ts",
    settlesPeopleLater: true,
    now: [organizationSaved(10, { ...one, workspace_id: "other" })],
  },
  "a workspace buys a seat for a person of many organizations": {
    before: [workspaceSaved(1, { seats_purchased: 0 }), ...manyMemberships],
    settlesPeopleLater: true,
    recordsLater: true,
    now: [workspaceSaved(9)],
  },
  "a workspace buys seats that people are short of": {
    before: [workspaceSaved(1, { seats_purchased: 1 }), organizationSaved(2, inAcme), ...team],
    settlesPeopleLater: true,
    now: [workspaceSaved(9)],
  },
  "someone changes address into another person": {
    before: [workspaceSaved(1, { seats_purchased: 2 }), organizationSaved(2, inAcme), ...team],
    settlesPeopleLater: true,
    now: [memberSaved(9, { user_id: "1", email: "2@acme.test", readable_repository_ids: "*" })],
  },
  "an organization moves into a workspace with all it has": {
    before: [
      workspaceSaved(1, { seats_purchased: 2 }),
      ...base,
      ...team,
      pullRequest(6, 7, large),
      pullRequest(6, 8, mcp),
      captured(6, "Mind the gap."),
      captured(7, "Mind the step."),
      scanned(6, "s1", ["a"]),
      repositorySaved(3, { repository_id: "r2" }),
      event("security_scan.completed", 6, { ...scanData(one, "s2", ["a"]), repository_id: "r2" }),
    ],
    settlesPeopleLater: true,
    now: [organizationSaved(9, inAcme)],
  },
  "an organization moves with parts that a sweep was judging": {
    before: [workspaceSaved(1), ...base, pullRequest(6, 7, large)],
    isMarkedForRemoval: true,
    settlesPeopleLater: true,
    now: [organizationSaved(9, inAcme)],
  },
  "an organization that is still moving is sent again": {
    before: [
      workspaceSaved(1),
      ...base,
      ...team.slice(0, 1),
      pullRequest(6, 8, mcp),
      organizationSaved(9, inAcme),
    ],
    cutOffAt: "lib/stream/move.ts",
    settlesPeopleLater: true,
    now: [organizationSaved(9, inAcme)],
  },
  "a pull request that is large": { before: base, now: [pullRequest(6, 7, large), pullRequest(6, 8, mcp)] },
  "a pull request that replaces a large one": {
    before: [...base, pullRequest(6, 7, large)],
    now: [pullRequest(7, 7, { comments: manyComments(900) })],
  },
  "a pull request that lost its comments": {
    before: [...base, pullRequest(6, 8)],
    now: [pullRequest(7, 8, { comments: [] })],
  },
  "a pull request sent again as it was": { before: [...base, pullRequest(6, 8)], now: [pullRequest(7, 8)] },
  "a pull request after one that was cut off": {
    before: [...base, pullRequest(6, 7), pullRequest(7, 7, closed)],
    cutOffAt: "lib/stream/settle.ts",
    now: [pullRequest(8, 8)],
  },
  "a reviewed pull request earns a seat": {
    before: [
      organizationSaved(2, { seat_assignment_mode: "automatic" }),
      repository,
      memberSaved(5, { user_id: "1", seat_assigned: false }),
    ],
    now: [pullRequest(6, 8)],
  },
  "a Learning is captured": { before: base, now: [captured(6, "Mind the gap.")] },
  "a Learning is captured again": {
    before: [...base, captured(6, "Mind the gap.")],
    now: [captured(7, "Mind the gap.")],
  },
  "a Learning is used": {
    before: [...base, captured(6, "Mind the gap.")],
    now: [
      event("learning.used", 7, { ...one, learning_id: gapId, used_at: "2026-11-03T00:00:00Z", count: 7 }),
    ],
  },
  "a Learning is captured in a pull request": { before: base, now: [captured(6, "Mind it.", inPullRequest)] },
  "a pull request is merged with its Learning": {
    before: [...base, captured(6, "Mind it.", inPullRequest)],
    now: [pullRequest(8, 7)],
  },
  "a pull request is closed with its Learning": {
    before: [...base, captured(6, "Mind it.", inPullRequest)],
    now: [pullRequest(8, 7, closed)],
  },
  "a closed pull request with a Learning is merged after all": {
    before: [...base, captured(6, "Mind it.", inPullRequest), pullRequest(8, 7, closed)],
    now: [pullRequest(9, 7)],
  },
  "the earliest event of an organization comes last, and makes its seats automatic": {
    before: [
      organizationSaved(5, { seat_assignment_mode: "manual" }),
      repository,
      memberSaved(6, { user_id: "1", seat_assigned: false }),
      pullRequest(7, 7),
      pullRequest(8, 8),
    ],
    now: [organizationSaved(2, { seat_assignment_mode: "automatic" })],
  },
  "the earliest event of an organization comes last, with another approval delay": {
    before: [
      organizationSaved(5, { approval_delay_days: 3 }),
      repository,
      captured(6, "Mind the gap."),
      captured(7, "Mind the step."),
    ],
    now: [organizationSaved(2, { approval_delay_days: 9 })],
  },
  "a scan": { before: base, now: [scanned(6, "s1", ["f1"])] },
  "a scan replaces another": {
    before: [...base, scanned(6, "s1", ["f1"]), scanned(7, "s2", ["f1", "f2"])],
    now: [scanned(8, "s3", ["f2", "f3", "f4"])],
  },
  "a bad event": { before: [], now: [event("workspace.saved", 1, { id: "" })] },
};

/**
 * The next scan removes chunks of an interrupted scan, the sweep removes parts, and the schedule of a move removes its
 * notes.
 */
const mayLeave = /"pk":"(?:FINDINGS#|SPILL#|PART#|RELIST")/;

/** The queue redelivers unfinished events; the sender sends again. */
const repeated = { isRepeated: true, says: /^all are done$/, maySay: ["some come again"] };

const context = () =>
  lambdaContext({ functionName: "test", timeoutMs: 30_000, clock: systemClock, random: systemRandom });

type Message = {
  readonly id: string;
  readonly group: string;
  readonly body: string;
  readonly receives?: number;
};

/** In the form in which the queue delivers them to the function. */
export async function ingestMessages(messages: readonly Message[]): Promise<CallResult> {
  const Records = messages.map(({ id, group, body, receives = 1 }) => ({
    messageId: id,
    receiptHandle: id,
    body,
    attributes: {
      ApproximateReceiveCount: String(receives),
      SentTimestamp: "0",
      SenderId: "test",
      ApproximateFirstReceiveTimestamp: "0",
      MessageDeduplicationId: id,
      MessageGroupId: group,
    },
    messageAttributes: {},
    md5OfBody: "",
    eventSource: "aws:sqs",
    eventSourceARN: "arn",
    awsRegion: "local",
  }));
  const { batchItemFailures } = await ingestBatch({ Records }, context());
  const left = batchItemFailures.length;
  return { text: left === 0 ? "all are done" : "some come again", isAcknowledged: left === 0 };
}

export const messageOf = (outgoing: OutgoingEvent): Message => ({
  id: outgoing.id,
  group: groupOf(outgoing),
  body: JSON.stringify(outgoing),
});

export function eventScenarios(environment: FaultEnvironment): ScenarioSet {
  const table = () => environment.api.store().table;

  async function sendBefore({ before, cutOffAt, isMarkedForRemoval }: Story): Promise<void> {
    const whole = cutOffAt === undefined ? before : before.slice(0, -1);
    for (const each of whole) await deliver(createIngestHarness(table()), [each]);
    if (isMarkedForRemoval) await markPartsForRemoval(table(), uuidOf());
    const last = before.at(-1);
    if (cutOffAt === undefined || !last) return;
    await dieAt(environment, cutOffAt, () => ingestMessages([messageOf(last)]));
  }

  const sent: Scenarios = Object.fromEntries(
    Object.entries(stories).map(
      ([name, { now, settlesPeopleLater = false, recordsLater = false }]): [string, Scenario] => [
        name,
        {
          ...repeated,
          mayLeave,
          covers: ingest.id,
          fixture: name,
          settlesPeopleLater,
          recordsLater,
          // Notes of copies that a scheduled worker will write.
          ...(recordsLater && { uncompared: /"pk":"OWED"/ }),
          act: () => ingestMessages(now.map(messageOf)),
        },
      ],
    ),
  );

  const suspected: Message = { ...messageOf(workspaceSaved(1)), receives: eventLimits.suspectFromReceives };
  const suspects: Scenarios = {
    "an event under suspicion meets a passing fault": {
      ...repeated,
      covers: ingest.id,
      fixture: "nothing",
      extraFault: {
        at: "lib/organizations/save-workspace.ts TransactWriteItems",
        fault: "throttle",
        times: storeLimits.retry.attemptsMax,
      },
      act: async () => {
        const first = await ingestMessages([suspected]);
        return first.isAcknowledged ? first : await ingestMessages([suspected]);
      },
    },
  };

  const queue = () => sqsQueue(createSqsCall(), "https://queue.test/events");
  const bucket = () => s3Bucket("events");
  const huge = captured(6, "Mind the gap.", { filler: "x".repeat(210_000) });
  let reference: Message | undefined;
  const referenced: Scenarios = {
    "events are sent, a large one too": {
      ...repeated,
      fixture: "nothing",
      act: async () => {
        try {
          await sendEvents(queue(), bucket(), [workspaceSaved(1), huge]);
          return { text: "all are done", isAcknowledged: true };
        } catch {
          return { text: "some come again", isAcknowledged: false };
        }
      },
    },
    "an event that travels by reference": {
      ...repeated,
      covers: ingest.id,
      fixture: "a repository",
      prepare: async () => {
        const messages: Message[] = [];
        await sendEvents({ send: async (sent) => void messages.push(...sent) }, bucket(), [huge]);
        reference = messages[0];
      },
      act: () => ingestMessages(reference ? [reference] : []),
    },
  };

  const fixtures = Object.fromEntries(
    Object.entries(stories).map(([name, story]) => [name, { build: () => sendBefore(story) }]),
  );
  return {
    fixtures: {
      ...fixtures,
      nothing: { build: async () => undefined },
      "a repository": { build: () => sendBefore({ before: base, now: [] }) },
    },
    scenarios: () => ({ ...sent, ...referenced, ...suspects }),
  };
}

/** The state after a sweep that dies between marking a spill for removal and deciding about it. */
export async function markPartsForRemoval(table: Table, organization: string): Promise<void> {
  const { items } = await table.queryPage({ pk: kinds.spill.partition({ organization }) });
  if (items.length === 0) throw new Error("There is a large pull request.");
  await table.writeMany(items.map((item) => ({ put: { ...item, x: 1 } })));
}
