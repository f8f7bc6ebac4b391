import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as itemKinds from "../../../lib/contract/items.ts";
import { indexLimits } from "../../../lib/contract/limits.ts";
import { localEmbedder } from "../../../lib/index/local-embedder.ts";
import { reconcileAll, reconcileSome } from "../../../lib/index/reconcile.ts";
import { type LocalBackend, openBackend } from "../../../lib/local/backend.ts";
import { dataDirectory, enginePath } from "../../../lib/local/data-directory.ts";
import { createQueuePoller } from "../../../lib/local/ingest.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { type Item, queryAll } from "../../../lib/store/table.ts";
import { everything } from "../../events/support.ts";
import { problemsOf } from "../../learnings/check-table.ts";
import { checkPeople } from "../../people/checks.ts";
import { seededRandom } from "../../support/clock.ts";
import { isLong, seedOfRun, timeoutMs, volume } from "../../support/volume.ts";
import { github, World } from "../../support/world.ts";
import { ConcurrentClients, type Home } from "./concurrent-clients.ts";
import { CountingClient } from "./counting-client.ts";
import { KillableEngine } from "./killable-engine.ts";
import { auditIn, contradictions, learningsIn, recordsOf, unrecorded } from "./table-state.ts";
import { auditWalk, learningsWalk, metricsWalk, ResumingWalk, type Walk } from "./walks.ts";

const kills = volume(3, 60);
const homesCount = volume(6, 24);
/** Those of the homes that walk the Learnings and the log as well; all homes walk the metrics. */
const readersCount = volume(2, 24);
/** Retries bridge short absences; long ones are answered with 503. */
const awayMsMax = 1_000;
const walkPaceMs = 400;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Whose data the walk reads: the whole workspace's, or one home's. */
type Journey = { readonly walker: ResumingWalk; readonly home: Home | undefined };

let folder = "";
let engine: KillableEngine;
let backend: LocalBackend;
let front: CountingClient;
let crowd: ConcurrentClients;
let homes: readonly Home[] = [];
let journeys: readonly Journey[] = [];
let deliveriesFailed = 0;
/** Contradictions between the table and the answers, with the life of the engine. */
const lost: string[] = [];
let lives = 0;
/** Markers of earlier lives. */
let leftBehind: ReadonlySet<string> = new Set();
let items: readonly Item[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "review-api-kill-"));
  const directory = dataDirectory(folder);
  engine = await KillableEngine.start((kind) => enginePath(directory, kind));
  backend = await openBackend(engine, directory);
  front = await CountingClient.open(engine.endpoint);
  const settled = await settle(new World(() => backend.table));
  homes = settled.homes;
  crowd = new ConcurrentClients({ front, backend, homes });
  const journeysOf = (walk: Walk, count: number) =>
    [undefined, ...homes.slice(0, count)].map((home) => ({
      walker: new ResumingWalk(front, home?.key ?? settled.token, walk),
      home,
    }));
  journeys = [
    ...journeysOf(metricsWalk, homesCount),
    ...journeysOf(learningsWalk, readersCount),
    ...journeysOf(auditWalk, readersCount),
  ];
  await runUntilKilled();
  items = await everything(backend.table);
}, timeoutMs);
afterAll(async () => {
  await front?.close();
  backend?.close();
  await engine?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Half of them are in one workspace and share its stream and its seats; the others are stand-alone. */
async function settle(world: World): Promise<{ homes: Home[]; token: string }> {
  await world.workspace("acme", { seats_purchased: 1000 });
  const made: Home[] = [];
  for (let index = 0; index < homesCount; index++) {
    const name = github(`kill-${index}`);
    const uuid = await world.organization(name.provider_organization_id, {
      workspace_id: index % 2 === 0 ? "acme" : null,
    });
    await world.repository(name, "9001");
    await world.member(name, "owner", { role: "cr_admin", email: null });
    const users = [1, 2, 3].map((user) => `user-${index}-${user}`);
    for (const user of users) await world.member(name, user);
    const key = await world.adminKey(uuid, "owner");
    made.push({ name, uuid, key, users });
  }
  return { homes: made, token: (await world.token("acme")).text };
}

/** The load, the kills, and then quiet: all clients are done and the queue is empty. */
async function runUntilKilled(): Promise<void> {
  const ending = new AbortController();
  const pump = createQueuePoller(
    backend,
    () => undefined,
    () => void deliveriesFailed++,
  );
  const pumping = pump.run(ending.signal);
  const walk = async (walker: ResumingWalk) => {
    for (; !crowd.isEnding; await pause(walkPaceMs)) await walker.step();
  };
  const writers = ["Ann", "Bob", "Cem"].slice(0, volume(2, 3)).map((teacher) => crowd.teach(teacher));
  const walks = journeys.map(({ walker }) => walk(walker));
  const work = [...writers, crowd.promote(), crowd.seat(), crowd.ingest(), ...walks];
  const random = seededRandom(seedOfRun());
  // Adds one life at a time while no kill had an effect: none came between a record and its entry in the index, or
  // retries bridged every absence.
  const hasHurt = () => crowd.leftUnindexed > 0 && front.countOf(503) > lives;
  for (; lives < kills || (!hasHurt() && lives < 4 * kills); lives++) {
    // The first life includes loading every function for the first time.
    await (lives === 0 ? untilMoreIsDone(20_000, ["deletions"]) : untilMoreIsDone(1_500));
    const isBehind = lives % 2 === 0 && (await untilIndexIsBehind(1_500));
    if (!isBehind) await pause(random.below(200));
    await engine.kill();
    if (isBehind) await untilWriterGivesUp(2_500);
    await pause(random.below(awayMsMax));
    await engine.revive();
    await checkLife();
  }
  await untilMoreIsDone(1_500);
  crowd.isEnding = true;
  await Promise.all(work);
  while ((await backend.queue.groups()).length > 0) await pause(50);
  ending.abort();
  await pumping;
}

/** Waits for records whose index entry is not written yet: the moment at which a kill does most damage. */
async function untilIndexIsBehind(patienceMs: number): Promise<boolean> {
  for (const startedMs = performance.now(); performance.now() - startedMs < patienceMs; await pause(2))
    if ((await markersNow()).some((marker) => !leftBehind.has(marker))) return true;
  return false;
}

/** Retries would bridge a short absence. */
async function untilWriterGivesUp(patienceMs: number): Promise<void> {
  const before = crowd.leftUnindexed;
  for (const startedMs = performance.now(); performance.now() - startedMs < patienceMs; await pause(5))
    if (crowd.leftUnindexed > before) return;
}

/** One shard has a part of most batches, and reading it costs the writers little. */
const markersNow = (): Promise<string[]> =>
  Array.fromAsync(queryAll(backend.table, { pk: itemKinds.stale.partition({ shard: 0 }) }), ({ sk }) => sk);

/** Checks what was acknowledged in an early life before a later one overwrites it. */
async function checkLife(): Promise<void> {
  await crowd.rest();
  const now = await Promise.all(homes.map((home) => recordsOf(backend.table, home)));
  lost.push(...contradictions(crowd, now.flat()).map((each) => `life ${lives}: ${each}`));
  leftBehind = new Set(await markersNow());
  crowd.goOn();
}

const everyKind = ["learnings", "roles", "seats", "events"] as const;

/** In each life of the engine every kind of work is acknowledged, unless the rate limits prevent it by then. */
async function untilMoreIsDone(patienceMs: number, more: ReadonlyArray<"deletions"> = []): Promise<void> {
  const before = { ...crowd.acknowledged };
  const kinds = [...everyKind, ...more];
  for (const startedMs = performance.now(); performance.now() - startedMs < patienceMs; await pause(5))
    if (kinds.every((kind) => crowd.acknowledged[kind] > before[kind])) return;
}

describe(`the engine is killed ${kills} times or more under load`, () => {
  test("while the engine is away every answer is a documented one, and no request hangs", () => {
    expect(front.undocumented).toEqual([]);
    // A request gives up after 26 s; a busy machine may answer later, but it answers.
    expect(front.slowestMs).toBeLessThan(60_000);
    // Clients that never met a dead engine would prove nothing.
    expect(front.countOf(503)).toBeGreaterThan(0);
    expect(front.countOf(503) + crowd.sendsRefused + deliveriesFailed).toBeGreaterThan(lives);
    const counts = [200, 204, 429, 503].map((status) => `${front.countOf(status)} × ${status}`);
    console.log(`${lives} kills: ${counts.join(", ")}; slowest ${Math.round(front.slowestMs)} ms`);
  });

  test("every acknowledged event is applied, and walks resume with their cursors and miss nothing", async () => {
    // A walk under way may have passed Learnings or entries that were committed late: the walk from its resume cursor
    // returns them, so the last walk has to begin after the last write.
    for (const { walker } of journeys) {
      await walker.untilEnd();
      await walker.untilEnd();
    }
    const inWorkspace = homes.filter((_, index) => index % 2 === 0);
    expect(await backend.queue.listDeadLetters()).toEqual([]);
    for (const { walker, home } of journeys) {
      const seen = Object.fromEntries([...walker.seen].sort());
      expect(seen).toEqual(expectedOf(walker, home ? [home] : inWorkspace, home));
      expect(walker.ends, "a walk that went on after its end").toBeGreaterThan(1);
    }
    const sum = (walk: Walk, count: (walker: ResumingWalk) => number) =>
      journeys.reduce((all, { walker }) => all + (walker.walk === walk ? count(walker) : 0), 0);
    for (const walk of [metricsWalk, learningsWalk, auditWalk]) {
      const [pages, interruptions] = [sum(walk, ({ pages }) => pages), sum(walk, (each) => each.interrupted)];
      if (isLong) expect(interruptions).toBeGreaterThan(0);
      console.log(`${walk.target.split("?")[0]}: ${pages} pages, ${interruptions} interruptions`);
    }
    expect(journeys.some(({ walker }) => walker.interrupted > 0)).toBe(true);
    console.log(
      `${crowd.acknowledged.events} events acknowledged (${crowd.sendsRefused} sends refused, ` +
        `${deliveriesFailed} deliveries failed); ${journeys.length} walks`,
    );
  });

  test("acknowledged data is there after every restart, and at the end", () => {
    checkPeople([...items]);
    expect(lost).toEqual([]);
    expect(contradictions(crowd, items)).toEqual([]);
    const { learnings, roles, seats } = crowd.acknowledged;
    for (const count of [learnings, roles, seats]) expect(count).toBeGreaterThan(lives);
    console.log(
      `${learnings} changes of ${crowd.learnings.size} Learnings, ${roles} roles and ${seats} seats ` +
        `acknowledged, looked at after each of ${lives} revivals`,
    );
  });

  test("every acknowledged change is in the log of its organization, and in its workspace's", () => {
    const missing = homes.flatMap(({ uuid }, index) => {
      const changes = crowd.changes.filter(({ organization }) => organization === uuid);
      return [
        ...unrecorded(changes, items, `o#${uuid}`),
        ...(index % 2 === 0 ? unrecorded(changes, items, "w#acme") : []),
      ];
    });
    expect(missing).toEqual([]);
    const actions = Map.groupBy(crowd.changes, ({ action }) => action);
    const certain = [
      "learning.created",
      "learning.updated",
      "learning.deleted",
      "roles.changed",
      "seats.assigned",
    ];
    expect([...actions.keys()]).toEqual(expect.arrayContaining(certain));
    console.log([...actions].map(([action, all]) => `${all.length} × ${action}`).join(", "));
  });

  test("the minutely worker brings the index up to date with the writers' markers alone", async () => {
    const behind = problemsOf(items, { embedder: localEmbedder, markersMayRemain: true });
    const { missing, stale, orphaned, failed } = await followMarkers();
    expect(problemsOf(await everything(backend.table), { embedder: localEmbedder })).toEqual([]);
    expect(failed).toBe(0);
    expect(missing + stale + orphaned).toBe(behind.length);
    // An index that was never behind would prove nothing.
    expect(behind.length).toBeGreaterThan(0);
    const found = await reconcileAll(reconciling(0));
    expect(found).toMatchObject({ missing: 0, stale: 0, orphaned: 0, failed: 0 });
    console.log(
      `the index was behind in ${behind.length} places: ${missing} missing, ${stale} stale, ${orphaned} orphaned, ` +
        `all repaired by markers; the full pass over ${found.looked_at} found nothing more`,
    );
  });
});

/** What a walk must have seen: the last state of Learnings and pull requests, and the whole log. */
function expectedOf({ walk, seen }: ResumingWalk, of: readonly Home[], home: Home | undefined): object {
  if (walk === metricsWalk) {
    const sentVersions = of.flatMap(({ uuid }) => [...(crowd.pullRequests.get(uuid) ?? [])]);
    return Object.fromEntries(sentVersions.map(([url, version]) => [url, String(version)] as const).sort());
  }
  if (walk === auditWalk) {
    const entries = auditIn(items, home ? `o#${home.uuid}` : "w#acme");
    return Object.fromEntries(entries.map(({ id, request_id }) => [id, request_id ?? ""] as const).sort());
  }
  const uuids = new Set(of.map(({ uuid }) => uuid));
  const now = learningsIn(items).filter(({ organization }) => uuids.has(organization));
  const texts = new Map(now.map(({ id, text }) => [id, text]));
  // A walk that passed a Learning before its deletion does not get the removal.
  const gone = [...seen].filter(([id]) => !texts.has(id));
  return Object.fromEntries([...texts, ...gone].sort());
}

const reconciling = (aheadMs: number) => ({
  table: backend.table,
  embedder: localEmbedder,
  clock: { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs },
  random: systemRandom,
});

/** Runs the schedule a minute later, while the slow full pass pauses: only markers lead to the missing entries. */
async function followMarkers() {
  const deps = reconciling(indexLimits.leftBehindAfterMs);
  const rests = { embedder: localEmbedder.id, organization: null, learning: "" };
  await backend.table.write({
    put: { ...itemKinds.reconciler.key(), ...rests, ended_at_ms: deps.clock.nowMs() },
  });
  const sum = { missing: 0, stale: 0, orphaned: 0, failed: 0 };
  for (;;) {
    const report = await reconcileSome(deps);
    if (report.looked_at === 0) return sum;
    for (const name of ["missing", "stale", "orphaned", "failed"] as const) sum[name] += report[name];
  }
}
