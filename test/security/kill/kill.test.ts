import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LocalBackend, openBackend } from "../../../cli/local/backend.ts";
import { dataDirectory } from "../../../cli/local/data-directory.ts";
import { createPump } from "../../../cli/local/ingest.ts";
import { localEmbedder } from "../../../lib/index/local-embedder.ts";
import { reconcileAll } from "../../../lib/index/reconcile.ts";
import { systemChance } from "../../../lib/runtime/chance.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { parseLearning } from "../../../lib/store/items/learning.ts";
import { parseMember, parsePerson } from "../../../lib/store/items/people.ts";
import type { Item } from "../../../lib/store/table.ts";
import { everything } from "../../events/support.ts";
import { problemsOf } from "../../learnings/check-table.ts";
import { checkPeople } from "../../people/checks.ts";
import { seededChance } from "../../support/clock.ts";
import { seedOfRun, timeoutMs, volume } from "../../support/volume.ts";
import { github, World } from "../../support/world.ts";
import { Crowd, type Home, Walker } from "./crowd.ts";
import { Front } from "./front.ts";
import { MortalEngine } from "./mortal-engine.ts";

const kills = volume(6, 60);
const homesCount = volume(8, 24);
/** Short absences are bridged by retries, long ones are answered with 503. */
const awayMsMax = 1_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let folder = "";
let engine: MortalEngine;
let backend: LocalBackend;
let front: Front;
let crowd: Crowd;
let homes: readonly Home[] = [];
let walkers: readonly Walker[] = [];
let deliveriesFailed = 0;
let items: readonly Item[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "review-api-kill-"));
  const directory = dataDirectory(folder);
  engine = await MortalEngine.start(directory.databaseFile);
  backend = await openBackend(engine.endpoint, directory);
  front = await Front.open(engine.endpoint);
  const settled = await settle(new World(() => backend.table));
  homes = settled.homes;
  crowd = new Crowd({ front, backend, homes });
  walkers = [settled.token, ...homes.map(({ key }) => key)].map((key) => new Walker(front, key));
  await liveAndDie();
  items = await everything(backend.table);
}, timeoutMs);
afterAll(async () => {
  await front?.close();
  backend?.close();
  await engine?.kill();
  await rm(folder, { recursive: true, force: true });
});

/** Half of them in one workspace, which share its stream and its seats; the others stand alone. */
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
    const { text: key } = await world.key({
      kind: "organization",
      organization: uuid,
      owner: "owner",
      role: "cr_admin",
    });
    made.push({ name, uuid, key, users });
  }
  return { homes: made, token: (await world.token("acme")).text };
}

/** The load, the kills, and then quiet: everybody is done and the queue is empty. */
async function liveAndDie(): Promise<void> {
  const ending = new AbortController();
  const pump = createPump(
    backend,
    () => undefined,
    () => void deliveriesFailed++,
  );
  const pumping = pump.run(ending.signal);
  const walk = async (walker: Walker) => {
    for (; !crowd.isEnding; await pause(200)) await walker.step();
  };
  const teachers = ["Ann", "Bob", "Cem"].map((teacher) => crowd.teach(teacher));
  const work = [...teachers, crowd.promote(), crowd.seat(), crowd.ingest(), ...walkers.map(walk)];
  const chance = seededChance(seedOfRun());
  for (let kill = 0; kill < kills; kill++) {
    // The first life includes the first load of every function.
    await untilMoreIsDone(kill === 0 ? 20_000 : 1_500);
    await pause(chance.below(200));
    await engine.kill();
    await pause(chance.below(awayMsMax));
    await engine.revive();
  }
  await untilMoreIsDone(1_500);
  crowd.isEnding = true;
  await Promise.all(work);
  while ((await backend.queue.groups()).length > 0) await pause(50);
  ending.abort();
  await pumping;
}

/** Each life of the engine sees every kind of work acknowledged, unless the rate limits forbid it by now. */
async function untilMoreIsDone(patienceMs: number): Promise<void> {
  const { learnings, roles, seats, events } = crowd.acknowledged;
  const startedMs = performance.now();
  for (;;) {
    const now = crowd.acknowledged;
    if (now.learnings > learnings && now.roles > roles && now.seats > seats && now.events > events) return;
    if (performance.now() - startedMs > patienceMs) return;
    await pause(5);
  }
}

describe(`the engine is killed ${kills} times under load`, () => {
  test("while it is away every answer is a documented one, and none keeps waiting", () => {
    expect(front.undocumented).toEqual([]);
    expect(front.slowestMs).toBeLessThan(29_000);
    // A crowd that never met a dead engine would prove nothing.
    expect(front.countOf(503)).toBeGreaterThan(0);
    expect(front.countOf(503) + crowd.sendsRefused + deliveriesFailed).toBeGreaterThan(kills);
    const counts = [200, 204, 429, 503].map((status) => `${front.countOf(status)} × ${status}`);
    console.log(`${kills} kills: ${counts.join(", ")}; slowest ${Math.round(front.slowestMs)} ms`);
  });

  test("every acknowledged event is applied, and walks resume with their cursors and miss nothing", async () => {
    for (const walker of walkers) await walker.untilEnd();
    const told = (uuids: readonly string[]) =>
      Object.fromEntries(uuids.flatMap((uuid) => [...(crowd.pullRequests.get(uuid) ?? [])]).sort());
    const seen = (walker: Walker | undefined) => Object.fromEntries([...(walker?.seen ?? [])].sort());
    const [tenantWide, ...own] = walkers;
    const inWorkspace = homes.filter((_, index) => index % 2 === 0).map(({ uuid }) => uuid);

    expect(await backend.queue.listDeadLetters()).toEqual([]);
    expect(seen(tenantWide)).toEqual(told(inWorkspace));
    expect(own.map(seen)).toEqual(homes.map(({ uuid }) => told([uuid])));
    const sum = (count: (walker: Walker) => number) => walkers.reduce((all, each) => all + count(each), 0);
    expect(sum(({ interrupted }) => interrupted)).toBeGreaterThan(0);
    console.log(
      `${crowd.acknowledged.events} events acknowledged (${crowd.sendsRefused} sends refused, ${deliveriesFailed} deliveries failed); ` +
        `${walkers.length} walks, ${sum(({ pages }) => pages)} pages, ${sum(({ interrupted }) => interrupted)} interruptions`,
    );
  });

  test("every acknowledged change of a Learning is there, and after a repair the index follows all of them", async () => {
    const table = backend.table;
    const behind = problemsOf(items, { embedder: localEmbedder });
    const deps = { table, embedder: localEmbedder, clock: systemClock, chance: systemChance };
    const { missing, stale, orphaned, failed } = await reconcileAll(deps);
    const learnings = items.filter(({ pk }) => pk.startsWith("LEARNING#")).map(parseLearning);
    const texts = new Map(learnings.map(({ organization, id, text }) => [`${organization} ${id}`, text]));

    expect(crowd.learnings.contradictions(texts, null)).toEqual([]);
    expect(problemsOf(await everything(table), { embedder: localEmbedder })).toEqual([]);
    expect(failed).toBe(0);
    expect(crowd.acknowledged.learnings).toBeGreaterThan(kills);
    console.log(
      `${crowd.acknowledged.learnings} changes of ${crowd.learnings.size} Learnings acknowledged; ` +
        `the index was behind in ${behind.length} places, mended ${missing + stale + orphaned}`,
    );
  });

  test("every acknowledged role and seat is there, and the counts of people hold", () => {
    checkPeople([...items]);
    const roles = items
      .filter(({ pk, sk }) => pk.startsWith("ORG#") && sk.startsWith("MEMBER#"))
      .map((item) => [item.pk.slice("ORG#".length), parseMember(item)] as const)
      .map(([uuid, { user_id, role }]) => [`${uuid} ${user_id}`, role] as const);
    const seats = items
      .filter(({ sk }) => sk.startsWith("PERSON#"))
      .map(parsePerson)
      .flatMap(({ memberships, seat }) =>
        memberships.map(({ organization, user_id }) => [`${organization} ${user_id}`, seat] as const),
      );

    expect(crowd.roles.contradictions(new Map(roles), "nobody")).toEqual([]);
    expect(crowd.seats.contradictions(new Map(seats), false)).toEqual([]);
    expect(crowd.acknowledged.roles).toBeGreaterThan(kills);
    expect(crowd.acknowledged.seats).toBeGreaterThan(kills);
    console.log(`${crowd.acknowledged.roles} roles and ${crowd.acknowledged.seats} seats acknowledged`);
  });
});
