import { expect, test } from "vitest";
import { openStore, useStore } from "../../support/engine.ts";
import { volume } from "../../support/volume.ts";
import { EngineWorld } from "./engine-world.ts";
import { checkRest, startEveryone } from "./simulate.ts";
import { isAcknowledged } from "./writers.ts";

const store = useStore();
const histories = volume(4, 24);

async function runHistory(seed: number): Promise<EngineWorld> {
  const { table, client } = await openStore(store().endpoint);
  const world = new EngineWorld(seed, table);
  await world.begin();
  startEveryone(world);
  await world.until(() => world.events.every(({ firstDelivered }) => firstDelivered < Infinity));
  world.isCalm = true;
  await world.until(() => world.events.every(isAcknowledged));
  world.isClosing = true;
  await world.quiet();
  await checkRest(world);
  client.destroy();
  return world;
}

test("random histories with real concurrency keep every promise on the embedded engine", async () => {
  const seeds = Array.from({ length: histories }, (_, index) => index + 1);

  const worlds = await Promise.all(seeds.map(runHistory));

  expect(worlds.reduce((sum, { walks }) => sum + walks, 0)).toBeGreaterThan(histories);
});
