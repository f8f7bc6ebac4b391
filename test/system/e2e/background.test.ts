import { beforeAll, describe, expect, test } from "vitest";
import { organizationUuid } from "../../../lib/contract/identity.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { indexLimits } from "../../../lib/contract/limits.ts";
import { organizationTenant, workspaceTenant } from "../../../lib/contract/tenants.ts";
import { internalFunctions, type Worker, workers } from "../../../lib/contract/workers.ts";
import { systemClock, toTimestamp } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { queryAll, type Table } from "../../../lib/store/table.ts";
import { pendingValue } from "../../../lib/stream/pending.ts";
import { writeSpill } from "../../../lib/stream/spill.ts";
import { keyOfWebhook } from "../../../lib/webhooks/scope.ts";
import { item, newHome, verbsOf } from "../../learnings/fixture.ts";
import { TestClock } from "../../support/clock.ts";
import { organizationOf } from "../../support/stored.ts";
import { github, World } from "../../support/world.ts";
import { failingForDays } from "../../webhooks/support.ts";
import { ofType } from "../infra/support.ts";
import { useDeployment } from "./deployment.ts";
import { logLines } from "./logs.ts";
import { QueuedWorld } from "./platform.ts";
import { captured, pullRequest, scan } from "./samples.ts";
import { unusedGrants } from "./unused-grants.ts";

/** The functions without an HTTP route, as bundles, triggered in the way that the template says. */
const deployment = useDeployment();
const world = new QueuedWorld(deployment);
const table = () => deployment().store.table;

const agoMs = (days: number) => systemClock.nowMs() - days * 86_400_000;
/** The same world with events of days ago, without a queue: they triggered no function. */
const worldOf = (days: number, through: () => Table = table) =>
  new World(through, new TestClock(toTimestamp(agoMs(days))));

const waiting = async () => (await table().queryPage(kinds.waitingByAge.range())).items;

const cloud = github("background");
beforeAll(async () => {
  await world.workspace("background-before");
  await world.workspace("background-after");
  await world.organization("background", { workspace_id: "background-before", approval_delay_days: 1 });
  await world.repository(cloud, "1");
  await world.member(cloud, "u-admin", { role: "cr_admin", seat_assigned: true });
  await world.member(cloud, "u-member", { seat_assigned: true });
  await world.sendEvent("pull_request.finalized", pullRequest(cloud, 1));
  await world.sendEvent("security_scan.completed", scan(cloud));
});

const search = (text = "a structured logger") =>
  deployment()
    .functions.get("SearchForReviewFunction")
    ?.invoke({ ...cloud, repository_id: "1", text, file_paths: ["src/log.ts"], k: 5 });

/** Only its author's pull request has it until that pull request ends. */
const privateOf = (organization: typeof cloud, pr_url: string) =>
  captured(organization, { learning: "Close what you open.", source: "pull_request", pr_url });

/** Too many bytes for one queue message. */
const large = { comments: comments(900) };
function comments(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    url: `https://git.example.com/group/repository-1/pull/9#discussion_r${"0".repeat(200)}${index}`,
    severity: "minor",
    category: null,
    accepted: null,
  }));
}

describe("ingest", () => {
  const deadLetters = () => [...deployment().iamProxy.sent.values()].flat();

  test("ingest applies a large event from the bucket, and replaces the earlier state", async () => {
    await world.sendEvent("pull_request.finalized", pullRequest(cloud, 9, large));
    expect(deployment().iamProxy.objects.size).toBe(1);
    await world.sendEvent("pull_request.finalized", pullRequest(cloud, 9, { comments: comments(2) }));
  });

  test("ingest keeps an early event, and applies it when its organization arrives", async () => {
    await world.repository(github("late"), "1");
    expect(await waiting()).toHaveLength(1);
    await world.organization("late");
    expect(await waiting()).toEqual([]);
  });

  test("ingest shares the Learnings of a pull request when it is merged", async () => {
    const ended = pullRequest(cloud, 7);
    await world.sendEvent("learning.captured", privateOf(cloud, ended.pr_url));
    await world.sendEvent("pull_request.finalized", ended);
    const { items } = await table().queryPage({
      pk: kinds.learning.partition({ organization: organizationUuid(cloud) }),
    });
    expect(items).toMatchObject([{ text: "Close what you open.", state: "approved" }]);
  });

  test("ingest gives up an event that it can never apply: invalid, or without its object", async () => {
    const broken = { id: systemRandom.uuid(), group: "g", body: '{"not":"an event"}' };
    const missing = { id: systemRandom.uuid(), type: "member.saved", occurred_at: "2026-11-01T00:00:00Z" };
    const lost = { id: missing.id, group: "g", body: JSON.stringify({ ...missing, reference: "gone.json" }) };
    expect(await deployment().deliver([broken, lost])).toEqual([]);
    expect(deadLetters()).toEqual([broken.body, lost.body]);
  });
});

describe("expireWaiting", () => {
  /** Delivers the event while its organization is unknown; then creates the organization without notifying anything. */
  async function strand(name: string, events: ReadonlyArray<readonly [string, object]>): Promise<void> {
    for (const [type, data] of events) await world.send(type, { ...github(name), ...data });
    await worldOf(0).organization(name);
  }

  test("expireWaiting applies events whose object exists by now, even if that takes long", async () => {
    await strand("stranded", [
      ["repository.saved", repositoryData],
      ["member.saved", memberData],
      ["learning.captured", privateOf(github("stranded"), pullRequest(github("stranded"), 1).pr_url)],
      ["pull_request.finalized", pullRequest(github("stranded"), 1)],
      ["pull_request.finalized", pullRequest(github("stranded"), 1, { comments: comments(2) })],
      ["pull_request.finalized", pullRequest(github("stranded"), 2, large)],
      ["security_scan.completed", scan(github("stranded"))],
      ["security_scan.completed", scan(github("stranded"), { scan_id: "scan-2", findings: [] })],
    ]);
    deployment().iamProxy.objects.delete([...deployment().iamProxy.objects.keys()].at(-1) ?? "");
    await strand("stranded-large", [
      ["repository.saved", repositoryData],
      ["pull_request.finalized", pullRequest(github("stranded-large"), 3, large)],
    ]);
    await deployment().wake("ScheduleExpireWaiting");
    expect(deployment().iamProxy.denied).toEqual([]);
    expect(await waiting()).toEqual([]);
  });

  const repositoryData = {
    repository_id: "1",
    name: "r",
    full_name: "g/r",
    private: true,
    url: "https://git.example.com/g/r",
    active: true,
    approval_delay_days: null,
  };
  const memberData = {
    user_id: "u-member",
    username: "u-member",
    email: null,
    role: null,
    seat_assigned: true,
    readable_repository_ids: "*",
    active: true,
  };
});

test("Learnings undecided in time: approveDue approves, reconcileIndex indexes, searchForReview finds them", async () => {
  await worldOf(3).sendEvent("learning.captured", captured(cloud));
  expect(await search()).toEqual({ learnings: [] });
  await deployment().wake("ScheduleApproveDue");
  await deployment().wake("ScheduleReconcileIndex");
  expect(await search()).toMatchObject({
    learnings: [{ learning: "Log with the structured logger." }, { learning: "Close what you open." }],
  });
});

test("approveDue moves a Learning to the new tenant if it was listed with the old one during the move", async () => {
  const yesterday = worldOf(1);
  const home = await newHome(yesterday, { workspace_id: "background-before" });
  const before = await organizationOf(table(), home.uuid);
  await yesterday.organization(home.name.provider_organization_id, { workspace_id: "background-after" });
  const { post } = verbsOf(table(), { clock: yesterday.deps.clock });
  await post({ organization: before, authorId: "ann" }, item("Late, but not lost."));
  await deployment().wake("ScheduleApproveDue");
  const { items } = await table().queryPage({
    pk: kinds.listedLearning.partition({ tenant: workspaceTenant("background-after") }),
  });
  expect(items).toMatchObject([{ text: "Late, but not lost." }]);
});

test("a long change counts with all the searches of the vector index that it needs", async () => {
  await search("logger ".repeat(indexLimits.pieceBytesMax / 7 + 1));
  const counted = () => logLines(deployment()).flatMap(({ vector_searches }) => vector_searches ?? []);
  await expect.poll(counted).toContain(2);
});

test("finishMoves moves an organization to its new tenant after an interrupted move", async () => {
  const moving = worldOf(0, () => cutOffByMove(table())).organization("background", {
    workspace_id: "background-after",
  });
  await expect(moving).rejects.toThrow("cut off");
  const uuid = organizationUuid(cloud);
  expect(await table().get(kinds.organization.key({ organization: uuid }))).toHaveProperty("leaving");
  // The turn of the process that was cut off is over.
  await table().write({
    update: kinds.moving.key({ organization: uuid }),
    change: { set: [["busy_until_ms", 0]] },
  });
  // Another process was cut off before it deleted the parts of a large entry that it had replaced.
  const deps = { table: table(), clock: systemClock, random: systemRandom };
  const spill = await writeSpill(deps, uuid, "nobody", Buffer.alloc(10));
  const pending = { added: [], dropped: [], spills: [{ organization: uuid, ...spill }] };
  await table().write({
    update: kinds.streamHead.key({ tenant: workspaceTenant("background-before") }),
    change: { set: [["q", pendingValue(pending)]] },
  });
  await deployment().wake("ScheduleFinishMoves");
  expect(await table().get(kinds.organization.key({ organization: uuid }))).not.toHaveProperty("leaving");
  expect(await table().get(kinds.spillPart.key({ spillId: spill.id, index: 0 }))).toBeUndefined();
});

test("ringWebhooks rings webhooks of an organization and a workspace, and disables one that fails for days", async () => {
  const uuid = organizationUuid(cloud);
  const { tenant } = await organizationOf(table(), uuid);
  await worldOf(0).key({ kind: "user", organization: uuid, owner: "u-member" });
  const places = [
    keyOfWebhook({ owner: organizationTenant(uuid) }, await worldOf(0).webhook(uuid)),
    keyOfWebhook({ owner: tenant }, await worldOf(0).webhook(tenant)),
  ];
  for (const [index, update] of places.entries())
    await table().write({
      update,
      change: { set: [["rung", {}], ...(index === 0 ? [["retries", failingForDays] as const] : [])] },
    });
  await deployment().wake("ScheduleRingWebhooks");
  expect(deployment().iamProxy.denied).toEqual([]);
  expect(await table().getMany(places)).toMatchObject([
    { disabled_reason: "failing" },
    { disabled_reason: null, retries: { "metrics.review_comments": { failures: 1 } } },
  ]);
  // A second attempt takes the place of the first among the deliveries; types that were never tried would come first.
  const [, update = expect.fail("There is no second webhook.")] = places;
  const due = [["retries", "metrics.review_comments", "due_ms"], 1] as const;
  await table().write({ update, change: { set: [due, ["types", ["metrics.review_comments"]]] } });
  await deployment().wake("ScheduleRingWebhooks");
  expect(await table().get(update)).toMatchObject({
    retries: { "metrics.review_comments": { failures: 2 } },
  });
  expect(deployment().iamProxy.denied).toEqual([]);
});

test("housekeeping drops parts that nothing names, and notes when a key of an earlier release expires", async () => {
  const uuid = organizationUuid(cloud);
  await worldOf(0).key({ kind: "user", organization: uuid, owner: "u-member", expiresInDays: 30 });
  const noted = async () =>
    await Array.fromAsync(queryAll(table(), kinds.news.range({ tenant: organizationTenant(uuid) })));
  const notes = (await noted()).filter(({ type }) => type === "key.expiring");
  await table().writeMany(notes.map((note) => ({ delete: note })));
  const deps = { table: table(), clock: systemClock, random: systemRandom };
  const { id } = await writeSpill(deps, organizationUuid(cloud), "nobody", Buffer.alloc(10));
  // An earlier run stopped before the first organization.
  await table().write({ put: { ...kinds.sweeper.key(), organization: "0", spill: "" } });
  await deployment().wake("ScheduleHousekeeping");
  expect(await table().get(kinds.spillPart.key({ spillId: id, index: 0 }))).toBeUndefined();
  expect((await noted()).filter(({ type }) => type === "key.expiring")).toHaveLength(3);
});

/** Passes on every call up to the write that begins an organization's move, and none after it. */
function cutOffByMove(whole: Table): Table {
  let isCut = false;
  return new Proxy(whole, {
    get:
      (target, name) =>
      async (...given: unknown[]) => {
        if (isCut) throw new Error("cut off");
        const answer: unknown = await Reflect.apply(Reflect.get(target, name), target, given);
        isCut = name === "transact" && JSON.stringify(given).includes(`"pk":"${kinds.moving.partition()}"`);
        return answer;
      },
  });
}

test("rotateCursorKeys makes the first signing key of a new table, and a new one when the last is old", async () => {
  await table().write({ delete: kinds.cursorKeys.key() });
  await deployment().wake("ScheduleRotateCursorKeys");
  expect(await table().get(kinds.cursorKeys.key())).toMatchObject({ current: expect.any(String) });
  const keys = { old: { secret: "c2VjcmV0", created_at_ms: agoMs(100) } };
  await table().write({ put: { ...kinds.cursorKeys.key(), current: "old", keys } });
  await deployment().wake("ScheduleRotateCursorKeys");
  expect(await table().get(kinds.cursorKeys.key())).not.toMatchObject({ current: "old" });
});

test("every schedule of the template triggers a worker that runs", async () => {
  const scheduled = workers.filter((worker: Worker) => worker.trigger.kind === "schedule");
  const rules = ofType(deployment().template, "AWS::Events::Rule").map(([id]) => id);
  expect(rules).toHaveLength(scheduled.length);
  for (const rule of rules) await deployment().wake(rule);
  expect(deployment().iamProxy.denied).toEqual([]);
});

test("no worker has permissions that it never uses", () => {
  expect(unusedGrants(deployment(), [...workers, ...internalFunctions])).toEqual([]);
});
