import { expect, test } from "vitest";
import { systemClock } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import { createDynamoTable } from "../../../../lib/store/dynamo.ts";
import { StoreMeter } from "../../../../lib/store/meter.ts";
import { useStore } from "../../../support/engine.ts";
import { github, World } from "../../../support/world.ts";
import { batchesOf, depsOf, ingestAll, prepare } from "../ingest/events.ts";
import { tripsPerBatch } from "./simulate.ts";

const store = useStore();

test("a full batch of events takes the number of trips that the simulation assumes", async () => {
  const { client, tableName } = store();
  const table = createDynamoTable({ client, tableName, clock: systemClock, random: systemRandom });
  const world = new World(() => table);
  const id = github("7300000");
  await world.workspace("trips");
  await prepare(world, id, "trips");
  const meter = new StoreMeter();
  for (const batch of batchesOf(id, 1, 1)) await ingestAll(depsOf(table.metered(meter)), batch);
  expect(meter.sequentialRoundTrips).toBe(tripsPerBatch);
});
