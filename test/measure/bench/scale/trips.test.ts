import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { QueueMessage } from "../../../../lib/events/ports.ts";
import { localEmbedder } from "../../../../lib/index/local-embedder.ts";
import { reconcileSome } from "../../../../lib/index/reconcile.ts";
import { systemClock } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import { createDynamoTable } from "../../../../lib/store/dynamo.ts";
import { StoreMeter } from "../../../../lib/store/meter.ts";
import { useStore } from "../../../support/engine.ts";
import { github, World } from "../../../support/world.ts";
import { batchesOf, depsOf, ingestAll, prepare } from "../ingest/events.ts";
import { trips } from "./simulate.ts";

const store = useStore();
const another = useStore();

test("a full batch of events takes the number of trips that the simulation assumes", async () => {
  const { client, tableName } = store();
  const table = createDynamoTable({ client, tableName, clock: systemClock, random: systemRandom });
  const world = new World(() => table);
  const id = github("7300000");
  await world.workspace("trips");
  await prepare(world, id, "trips");
  const knownTenants = new Map();
  const metered = async (batch: readonly QueueMessage[]) => {
    const meter = new StoreMeter();
    await ingestAll(depsOf(table.metered(meter), knownTenants), batch);
    return meter;
  };
  const tripsOf = async (batch: readonly QueueMessage[]) => (await metered(batch)).sequentialRoundTrips;
  const [firstOfWorker = [], next = []] = batchesOf(id, 2, 1);
  const [changed = []] = batchesOf(id, 1, 2);
  expect(await tripsOf(firstOfWorker)).toBe(trips.newBatch + 1);
  expect(await tripsOf(next)).toBe(trips.newBatch);
  const { sequentialRoundTrips, calls } = await metered(changed);
  expect(sequentialRoundTrips).toBe(trips.changedBatch);
  // None for a single pull request: that it is merged was marked before.
  expect(calls.length).toBeLessThan(changed.length);
});

test("the page about scale and the change log say the trips of a batch", async () => {
  const read = (file: string) => readFile(new URL(`../../../../${file}`, import.meta.url), "utf8");
  const { newBatch, changedBatch } = trips;
  expect(await read("docs/operate/scale.md")).toMatch(
    new RegExp(
      `, ${newBatch} trips to DynamoDB .* if every event changes an older entry \\(${changedBatch} trips,`,
    ),
  );
  expect(await read("docs/change/stream.md")).toMatch(
    new RegExp(`, ${newBatch} round trips a batch[^]*, ${changedBatch} round trips \\|`),
  );
  expect(await read("CHANGELOG.md")).toContain(
    `takes ${newBatch} trips to DynamoDB if its pull requests are new, ${changedBatch} if it changes older entries`,
  );
});

test("a piece of the index's full check takes the number of trips that the page computes with", async () => {
  const { client, tableName } = another();
  const table = createDynamoTable({ client, tableName, clock: systemClock, random: systemRandom });
  await new World(() => table).organization("7300001");
  const meter = new StoreMeter();
  const shared = { clock: systemClock, random: systemRandom, embedder: localEmbedder };
  await reconcileSome({ ...shared, table: table.metered(meter) });
  // The organization has one page of records and one of vectors, both empty.
  expect(meter.sequentialRoundTrips).toBe(trips.piece + 2);
});
