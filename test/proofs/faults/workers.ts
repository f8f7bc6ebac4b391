import { handler as searchLearnings } from "../../../functions/internal/search-for-review.ts";
import { handler as approveDue } from "../../../functions/workers/approve-due.ts";
import { handler as expireWaiting } from "../../../functions/workers/expire-waiting.ts";
import { handler as finishMoves } from "../../../functions/workers/finish-moves.ts";
import { handler as housekeeping } from "../../../functions/workers/housekeeping.ts";
import { handler as reconcileIndex } from "../../../functions/workers/reconcile-index.ts";
import { handler as ringWebhooks } from "../../../functions/workers/ring-webhooks.ts";
import { handler as rotateCursorKeys } from "../../../functions/workers/rotate-cursor-keys.ts";
import { msPerDay } from "../../../lib/contract/days.ts";
import { organizationUuid } from "../../../lib/contract/identity.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { isOf } from "../../../lib/contract/kind.ts";
import { auditLimits, streamLimits } from "../../../lib/contract/limits.ts";
import { searchForReview as searching, type WorkerId } from "../../../lib/contract/workers.ts";
import type { OutgoingEvent } from "../../../lib/events/send.ts";
import { markStale } from "../../../lib/index/stale.ts";
import { newLogMove } from "../../../lib/organizations/move-log.ts";
import { parseLearning } from "../../../lib/store/items/learning.ts";
import { parseWebhook, type WebhookItem } from "../../../lib/store/items/webhook.ts";
import { vectorKey, waitingKey } from "../../../lib/store/layout.ts";
import { queryAll } from "../../../lib/store/table.ts";
import { shardOf } from "../../../lib/webhooks/scope.ts";
import {
  createIngestHarness,
  deliver,
  event,
  memberSaved,
  organizationName,
  organizationSaved,
  repositorySaved,
  uuidOf,
  workspaceSaved,
} from "../../events/support.ts";
import { FrozenClock } from "../../support/clock.ts";
import { finalized, mcp } from "../../support/event-data.ts";
import { github } from "../../support/world.ts";
import { failingForDays } from "../../webhooks/support.ts";
import { ingestMessages, markPartsForRemoval, messageOf } from "./events.ts";
import { capturedData, manyComments } from "./fixture.ts";
import type { CallResult, FaultEnvironment, ScenarioSet } from "./scenario.ts";
import { dieAt } from "./wire.ts";

/** A copy of an audit entry that was not written in time. */
const owedNote = (id: string) => ({
  put: {
    ...kinds.owed.key({ name: `2026-01-01T00:00:00.000Z#${id}#0` }),
    entry: {
      action: "seats.unassigned",
      resource_type: "seat",
      resource_id: null,
      actor: { type: "system", id: null, name: "operator", key_id: null, key_kind: null },
    },
    texts: [{ summary: "Seats unassigned: 1", metadata: { ids: ["1"] } }],
    copies: [{ owner: `o#${uuidOf()}`, text: 0, own: { id, organizations: [uuidOf()] } }],
  },
});

const one = organizationName();
const repository = repositorySaved(3, { repository_id: "r1" });
const base = [organizationSaved(2), repository];
const delayed = [organizationSaved(2, { approval_delay_days: 3 }), repository];
const captured = (at: number, text: string) => event("learning.captured", at, capturedData(one, text));
const large = event(
  "pull_request.finalized",
  6,
  finalized(one, 7, { repository_id: "r1", comments: manyComments(), ...mcp }),
);
const pullRequest = (at: number, number: number, count = 0) =>
  event(
    "pull_request.finalized",
    at,
    finalized(one, number, { repository_id: "r1", comments: manyComments(count) }),
  );
const another = organizationName("1002");
const moving = [
  workspaceSaved(1),
  ...base,
  organizationSaved(2, another),
  memberSaved(5, { user_id: "1" }),
  large,
  captured(6, "Mind the gap."),
  captured(7, "Mind the step."),
];
const moved = organizationSaved(9, { ...one, workspace_id: "acme" });
const movedToo = organizationSaved(9, { ...another, workspace_id: "acme" });

const inTime = { getRemainingTimeInMillis: () => 60_000 };
const scheduled = {
  approveDue: () => approveDue({}, inTime),
  expireWaiting,
  finishMoves: () => finishMoves({}, inTime),
  housekeeping,
  reconcileIndex,
  ringWebhooks,
  rotateCursorKeys,
} satisfies Record<Exclude<WorkerId, "ingest" | "probeApi">, () => Promise<unknown>>;
const worker = (covers: keyof typeof scheduled) => ({
  covers,
  isRepeated: true,
  says: /^done$/,
  maySay: ["failed"],
  act: () => run(scheduled[covers]),
});

/** Nobody waits for scheduled work: the next run finishes it at the latest. */
async function run(work: () => Promise<unknown>): Promise<CallResult> {
  try {
    await work();
    return { text: "done", isAcknowledged: false };
  } catch {
    return { text: "failed", isAcknowledged: false };
  }
}

export function workerScenarios(environment: FaultEnvironment): ScenarioSet {
  const table = () => environment.api.store().table;
  /** Its rings are sent again, also one whose attempts the last release wrote as an item each. */
  const makeDue = async (webhook: WebhookItem) => {
    const { pk, sk, id, retries } = webhook;
    for (const { place } of Object.values(retries)) {
      const [item] = await Array.fromAsync(queryAll(table(), kinds.delivery.range({ webhookId: id, place })));
      const key = kinds.delivery.key({ webhookId: id, place, attempt: 9 });
      if (item) await table().write({ put: { ...item, ...key } });
    }
    const due = Object.fromEntries(
      Object.entries(retries).map(([type, retry]) => [type, { ...retry, due_ms: 1 }]),
    );
    await table().write({ update: { pk, sk }, change: { set: [["retries", due]] } });
  };
  const ingestEvents = async (...events: OutgoingEvent[]) => {
    for (const each of events) await deliver(createIngestHarness(table(), clockNow()), [each]);
  };
  const clockNow = () => {
    const clock = new FrozenClock();
    clock.now = Date.now();
    return clock;
  };
  const cutOff = (at: string, event: OutgoingEvent) =>
    dieAt(environment, at, () => ingestMessages([messageOf(event)]));

  return {
    fixtures: {
      "events that wait": {
        build: async () => {
          await ingestEvents(memberSaved(4, { provider_organization_id: "never" }), memberSaved(5));
          const since = new Date(Date.now() - msPerDay).toISOString();
          const dependency = { pk: "ORG#gone", sk: "ORG" };
          await table().write({
            put: {
              ...kinds.waitingByAge.key({ since, eventId: "lost" }),
              since,
              dependency,
              label: "x",
              version: "v",
            },
          });
          await environment.world.organization("1001");
          const damaged = { since, event_id: "damaged" };
          const known = kinds.organization.key({ organization: uuidOf() });
          await table().writeMany([
            { put: { ...waitingKey(known, "2026"), ...damaged } },
            {
              put: {
                ...kinds.waitingByAge.key({ since, eventId: "damaged" }),
                since,
                dependency: known,
                label: "x",
                version: "2026",
              },
            },
          ]);
        },
      },
      "Learnings whose time is up": {
        build: async () => {
          await ingestEvents(...delayed, captured(6, "Mind the gap."), captured(7, "Mind the step."));
        },
      },
      "Learnings that moved": {
        build: async () => {
          await ingestEvents(...moving, moved, movedToo);
        },
      },
      "an index that is behind": {
        build: async () => {
          // Each is long enough for two pieces.
          const long = (text: string) => `${text} `.repeat(700).trim();
          await ingestEvents(
            ...base,
            organizationSaved(2, another),
            captured(6, long("Mind the gap.")),
            captured(7, long("Mind the way.")),
            captured(8, long("Mind it all.")),
          );
          await reconcileIndex();
          const { items } = await table().queryPage({
            pk: kinds.learning.partition({ organization: uuidOf() }),
          });
          const [first, second, third] = items.map(parseLearning);
          if (!first || !second || !third) throw new Error("There are three Learnings.");
          const vector = await table().get(vectorKey(uuidOf(), second.id));
          if (!vector) throw new Error("It was indexed.");
          await table().writeMany([
            { delete: vectorKey(uuidOf(), first.id) },
            { put: { ...vector, digest: "of another text" } },
            { put: { ...vector, sk: "00000000-0000-4000-8000-000000000000" } },
            ...[first.revision, "of an earlier text"].map((revision) =>
              markStale({ organization: uuidOf(), id: first.id, revision }, Date.now() - 3 * msPerDay),
            ),
          ]);
        },
      },
      "organizations on their way": {
        build: async () => {
          await ingestEvents(...moving);
          for (const each of [moved, movedToo]) await cutOff("lib/learnings/move-learnings.ts", each);
          // The log of a third organization was moving, and then it went where no copy is needed.
          await table().writeMany([
            ...["a", "b", "c"].map(owedNote),
            newLogMove({ uuid: uuidOf("1003"), arrived: "before" }, Date.now()),
          ]);
        },
      },
      "parts that nothing names": {
        build: async () => {
          await ingestEvents(
            ...base,
            organizationSaved(2, another),
            large,
            pullRequest(6, 8),
            pullRequest(6, 9),
          );
          await markPartsForRemoval(table(), uuidOf());
          // Of a stored one, and of one that never existed.
          for (const number of [9, 10])
            await cutOff("lib/stream/append.ts TransactWriteItems", pullRequest(7, number, 900));
          // One that was dropped, with a part that came late; and the last sweep stopped half-way.
          const ttl = Math.ceil(Date.now() / 1000) + (streamLimits.droppedSpillDays * msPerDay) / 1000;
          const organization = kinds.organizationDirectory.key({
            providerId: one.provider_organization_id,
            organization: uuidOf(),
          }).sk;
          await table().writeMany([
            { put: { ...kinds.spill.key({ organization: uuidOf(), spillId: "dropped" }), c: 1, x: 1, ttl } },
            { put: { ...kinds.spillPart.key({ spillId: "dropped", index: 0 }), d: new Uint8Array(9) } },
            { put: { ...kinds.sweeper.key(), organization, spill: "0" } },
          ]);
          // An earlier release made this key, without notes.
          await environment.world.key({ kind: "legacy", organization: uuidOf(), expiresInDays: 365 });
          const notes = await Array.fromAsync(
            queryAll(table(), kinds.news.range({ tenant: `o#${uuidOf()}` })),
          );
          await table().writeMany(notes.map(({ pk, sk }) => ({ delete: { pk, sk } })));
        },
      },
      "webhooks that nobody answers": {
        build: async () => {
          const { world } = environment;
          await world.workspace("rings");
          const uuid = await world.organization("rung", { workspace_id: "rings", approval_delay_days: 3 });
          await world.member(github("rung"), "u-admin", { role: "cr_admin" });
          await world.adminKey(uuid);
          await world.repository(github("rung"), "9001");
          await world.learning(github("rung"), "Mind the gap.");
          const hopeless = await world.webhook(uuid);
          await world.webhook("w#rings");
          await world.webhook("w#rings", { types: ["webhook.disabled"] });
          const told = `0#${new Date(Date.now() - msPerDay).toISOString()}`;
          const listening = await world.webhook(uuid, { types: ["learnings", "audit_logs"] });
          for await (const item of queryAll(table(), {
            pk: kinds.webhook.partition({ shard: shardOf(`o#${uuid}`) }),
          }))
            if (item.id === listening)
              await table().write({
                update: item,
                change: { set: [["rung", { learnings: told, audit_logs: told }]] },
              });
          for await (const item of queryAll(table(), {
            pk: kinds.webhook.partition({ shard: shardOf(`o#${uuid}`) }),
          }))
            if (item.id === hopeless)
              await table().write({
                update: item,
                change: {
                  set: [
                    ["rung", {}],
                    ["retries", failingForDays],
                  ],
                },
              });
          for await (const item of queryAll(table(), {
            pk: kinds.webhook.partition({ shard: shardOf("w#rings") }),
          }))
            if (!isOf(kinds.webhookCount, item))
              await table().write({ update: item, change: { set: [["rung", {}]] } });
        },
      },
      "what can be found": {
        build: async () => {
          await ingestEvents(...base, captured(6, "Mind the gap."), captured(7, "Prefer early returns."));
          await reconcileIndex();
        },
      },
    },
    scenarios: () => ({
      "waiting events are looked through": {
        fixture: "events that wait",
        laterMs: 20 * msPerDay,
        ...worker("expireWaiting"),
      },
      "Learnings are approved by their deadline": {
        fixture: "Learnings whose time is up",
        laterMs: 4 * msPerDay,
        ...worker("approveDue"),
      },
      "Learnings that moved are listed once more": {
        fixture: "Learnings that moved",
        laterMs: msPerDay,
        ...worker("approveDue"),
      },
      "the index is reconciled": {
        fixture: "an index that is behind",
        laterMs: 2 * msPerDay,
        // The marker at which it stopped; the next run continues there.
        uncompared: /"sk":"MARKERS"/,
        ...worker("reconcileIndex"),
      },
      "moves are finished": {
        fixture: "organizations on their way",
        laterMs: 2 * auditLimits.settledAfterMs,
        settlesPeopleLater: true,
        mayLeave: /"pk":"RELIST"/,
        ...worker("finishMoves"),
      },
      housekeeping: {
        fixture: "parts that nothing names",
        laterMs: 40 * msPerDay,
        ...worker("housekeeping"),
      },
      "the first signing key": {
        fixture: "parts that nothing names",
        prepare: async () => void (await table().write({ delete: kinds.cursorKeys.key() })),
        ...worker("rotateCursorKeys"),
      },
      "webhooks are rung": {
        fixture: "webhooks that nobody answers",
        laterMs: 2 * auditLimits.settledAfterMs,
        // Times of attempts, and when the next one is due.
        uncompared: /"pk":"(?:WEBHOOKS|DELIVERIES)#/,
        ...worker("ringWebhooks"),
      },
      "webhooks are rung again": {
        fixture: "webhooks that nobody answers",
        laterMs: 2 * auditLimits.settledAfterMs,
        prepare: async () => {
          await scheduled.ringWebhooks();
          for (const owner of ["w#rings", `o#${organizationUuid(github("rung"))}`] as const)
            for await (const item of queryAll(table(), {
              pk: kinds.webhook.partition({ shard: shardOf(owner) }),
            }))
              if (!isOf(kinds.webhookCount, item)) await makeDue(parseWebhook(item));
        },
        uncompared: /"pk":"(?:WEBHOOKS|DELIVERIES)#/,
        ...worker("ringWebhooks"),
      },
      "an old signing key": {
        fixture: "parts that nothing names",
        laterMs: 40 * msPerDay,
        ...worker("rotateCursorKeys"),
      },
      "the reviewer searches": {
        covers: searching.id,
        isRepeated: true,
        says: /Mind the gap/,
        maySay: ["failed"],
        fixture: "what can be found",
        isRead: true,
        act: async () => {
          const request = { ...one, repository_id: "r1", text: "mind the gap", file_paths: [], k: 2 };
          try {
            const answer = await searchLearnings(request);
            if ("error" in answer) throw new TypeError(answer.error.message);
            return { text: answer.learnings.map(({ learning }) => learning).join("|"), isAcknowledged: true };
          } catch {
            return { text: "failed", isAcknowledged: false };
          }
        },
      },
    }),
  };
}
