import { msPerDay } from "../../../lib/contract/days.ts";
import { datasets } from "../../../lib/stream/stream.ts";
import { weekStartMs } from "../../../lib/stream/weeks.ts";
import type { WalkScope } from "./checker.ts";
import { firstWeek, weeksCount } from "./history.ts";
import { randomKey } from "./scope.ts";
import { Walk } from "./walk.ts";
import { lookAtOrganizations, Process, tenantsFor, type World } from "./world.ts";

/** Walks one scope after another, resuming some of them, until the world closes. */
export function startReader(world: World): void {
  const process = new Process();
  const read = async () => {
    while (!world.isClosing) {
      await world.someTime(60);
      const scope = await randomScope(world);
      const walk = new Walk(world, process, scope, world.dice.chance(0.5), randomKey(world));
      for (let rounds = world.dice.below(3); rounds >= 0; rounds--) {
        if (!(await walk.toTheEnd(() => randomLimit(world)))) break;
        if (rounds === 0 && walk.appliesRemovals) world.mirrors.push(walk);
        await world.someTime(150);
      }
    }
  };
  read().catch((error: unknown) => world.fail(error));
}

const randomLimit = ({ dice }: World): number => (dice.chance(0.5) ? 1 : 1 + dice.below(5));

async function randomScope(world: World): Promise<WalkScope> {
  const { dice, events } = world;
  const used = dice.pick(events).change.organization;
  const now = (await lookAtOrganizations(world)).get(used);
  const tenant = now && dice.chance(0.9) ? now.tenant : dice.pick(tenantsFor(used));
  const organization = dice.chance(0.4) ? used : undefined;
  const first = firstWeek + (dice.chance(0.5) ? 0 : dice.below(weeksCount));
  const isAll = dice.chance(0.4);
  const startMs = isAll ? -62_135_596_800_000 : weekStartMs(first) + dice.below(3) * msPerDay;
  const endMs = isAll
    ? 253_402_300_800_000
    : weekStartMs(first + 1 + dice.below(weeksCount)) - dice.below(3) * msPerDay;
  const dataset = dice.pick(datasets);
  return {
    tenant,
    organization: tenant.startsWith("o#") && dice.chance(0.5) ? undefined : organization,
    dataset,
    ...(dataset === "reviews" && dice.chance(0.4) && { status: dice.pick(["m", "c"]) }),
    window: { startMs, endMs },
    authorId: dice.chance(0.3) ? `author-${dice.below(2)}` : undefined,
  };
}
