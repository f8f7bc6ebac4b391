import { hasEpochs, publishedEpochs } from "../../../lib/organizations/visibility.ts";
import { datasets, type StreamDeps } from "../../../lib/stream/stream.ts";
import { sweepParts } from "../../../lib/stream/sweep.ts";
import { weekStartMs } from "../../../lib/stream/weeks.ts";
import { mirrorFaults } from "../../support/mirror-oracle.ts";
import { checkAtRest, thingsAtRest, Violation, violationOf, type WalkScope } from "./checker.ts";
import { firstWeek } from "./history.ts";
import { startReader } from "./readers.ts";
import { coversSeveral } from "./scope.ts";
import { SimulatedWorld } from "./simulated-world.ts";
import { Walk } from "./walk.ts";
import {
  lookAtOrganizations,
  organizations,
  Process,
  smallLimits,
  tenantsFor,
  type Weakness,
  type World,
} from "./world.ts";
import {
  finishMove,
  isAcknowledged,
  startFlipper,
  startMover,
  startSweeper,
  startWriter,
} from "./writers.ts";

export type SeedResult = {
  readonly failure: Error | undefined;
  readonly walks: number;
  readonly pages: number;
  readonly steps: number;
};

/** Runs one seed: a phase with faults, then rest. The same seed gives the same simulation, step by step. */
export async function simulate(seed: number, weakness?: Weakness): Promise<SeedResult> {
  const world = new SimulatedWorld(seed, weakness);
  let failure: Error | undefined;
  try {
    startEveryone(world);
    await world.run(() => world.events.every(({ firstDelivered }) => firstDelivered < Infinity));
    world.calm({ slowness: true });
    await world.run(() => world.events.every(isAcknowledged));
    world.isClosing = true;
    await world.run();
    world.calm({ slowness: false });
    await world.finish(checkRest(world));
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  return { failure, walks: world.walks, pages: world.pages, steps: world.now() };
}

export function startEveryone(world: World): void {
  const { dice } = world;
  for (let count = 1 + dice.below(3); count > 0; count--) startWriter(world);
  for (let count = 1 + dice.below(3); count > 0; count--) startReader(world);
  startMover(world, dice.pick([0, 0, 2, 5]) + (world.notesMoves ? 6 : 0));
  startSweeper(world, dice.pick([0, 1, 25]));
  startFlipper(world, dice.pick([0, 4, 25]));
}

/** Everything was delivered and nothing is running: finishes work that is half done, then checks everything. */
export async function checkRest(world: World): Promise<void> {
  const process = new Process();
  for (const organization of organizations) {
    await finishMove(world, process, organization);
    await sweepParts(muchLater(world.deps(process, "sweeper")), organization);
  }
  // If the event that changed the scope is delivered again, it publishes the epoch that it could not publish before.
  for (const tenant of new Set(organizations.flatMap(tenantsFor)))
    if (hasEpochs(tenant)) await publishedEpochs(world.connect(process), tenant);
  await checkAtRest(world);
  for (const scope of await scopesAtRest(world)) await checkFreshWalk(world, process, scope);
  for (const mirror of world.mirrors) {
    mirror.takeUp(process);
    await checkResumed(world, mirror);
  }
}

/** A mirror that is resumed holds what a new walk returns. */
async function checkResumed(world: World, mirror: Walk): Promise<void> {
  if (!(await mirror.toTheEnd(() => 1 + world.dice.below(4)))) return;
  const members = await membersOf(world, mirror.scope);
  const isRead = (name: string) => !coversSeveral(mirror.scope) || mirror.mayRead(name);
  const fresh = thingsAtRest(world.events, mirror.scope, new Set([...members].filter(isRead)));
  const [fault] = mirrorFaults(mirror.shown, fresh);
  if (fault) throw violationOf(fault, "a mirror at rest");
}

async function membersOf(world: World, scope: WalkScope): Promise<Set<string>> {
  const states = await lookAtOrganizations(world);
  const members = organizations.filter(
    (each) =>
      states.get(each)?.tenant === scope.tenant &&
      (scope.organization ?? each) === each &&
      (!coversSeveral(scope) || states.get(each)?.isVisible),
  );
  return new Set(members);
}

/** Late parts are dropped when no request can be running any more. */
const muchLater = (deps: StreamDeps): StreamDeps => {
  const { clock } = deps;
  return {
    ...deps,
    clock: { ...clock, nowMs: () => clock.nowMs() + 2 * smallLimits.lateRequestHours * 3_600_000 },
  };
};

async function scopesAtRest(world: World): Promise<WalkScope[]> {
  const states = await lookAtOrganizations(world);
  const always = { startMs: -62_135_596_800_000, endMs: 253_402_300_800_000 };
  const tenants = new Set([...states.values()].map(({ tenant }) => tenant));
  const whole = [...tenants].flatMap((tenant) =>
    datasets.map((dataset) => ({
      tenant,
      organization: undefined,
      dataset,
      window: always,
      authorId: undefined,
    })),
  );
  const window = { startMs: weekStartMs(firstWeek), endMs: weekStartMs(firstWeek + 2) };
  const single = [...states].map(([organization, { tenant }]) => {
    return { tenant, organization, dataset: world.dice.pick(datasets), window, authorId: undefined };
  });
  return [...whole, ...single];
}

/** A walk over a table at rest returns exactly the current rows, on exactly as many pages as they need. */
async function checkFreshWalk(world: World, process: Process, scope: WalkScope): Promise<void> {
  const members = await membersOf(world, scope);
  // No organization is visible: a request is refused.
  if (members.size === 0) return;
  const fresh = thingsAtRest(world.events, scope, members);
  const walk = new Walk(world, process, scope);
  const limit = 1 + world.dice.below(4);
  await walk.toTheEnd(() => limit);
  const pages = Math.max(1, Math.ceil(fresh.size / limit));
  if (walk.pages !== pages) throw new Violation("paging", `${walk.pages} pages for what takes ${pages}`);
  const [fault] = mirrorFaults(walk.shown, fresh);
  if (fault?.kind === "stale") throw new Violation("foreign", "a fresh walk shows something that is gone");
  if (fault) throw violationOf(fault, "a fresh walk");
}
