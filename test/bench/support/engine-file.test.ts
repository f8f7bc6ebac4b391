import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { engineClient, startEngine } from "../../../cli/local/engine/engine.ts";
import { finalizePullRequests } from "../../../lib/metrics/finalize.ts";
import { systemChance } from "../../../lib/runtime/chance.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { createTable } from "../../../lib/store/create-table.ts";
import { createDynamoTable } from "../../../lib/store/dynamo.ts";
import { github, World } from "../../support/world.ts";
import { fillEngineFile, readEngineFile } from "./engine-file.ts";
import { eventsOf, type History, itemsOf } from "./history.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "bench-file-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const organizations = [github("7001001"), github("7001002")];
const history: History = {
  tenant: "w#bench",
  organizations,
  pullRequests: 60,
  inMeasuredWeek: 20,
  weeksBefore: 5,
  shuffled: true,
};

/** Only what the stream wrote: the organizations themselves come by events in both. */
const streamRows = async (file: string) =>
  (await readEngineFile(file, "bench")).filter(({ pk }) => pk.startsWith("S#") || pk.startsWith("PR#"));

test("a history that is laid into the file is the one the writer leaves there, item by item and byte by byte", async () => {
  const written = join(directory, "written.db");
  const engine = await startEngine({ dataPath: written });
  const client = engineClient(engine.endpoint);
  await createTable(client, "bench", engine.kind);
  const table = createDynamoTable({ client, tableName: "bench", clock: systemClock, chance: systemChance });
  const world = new World(() => table);
  await world.workspace("bench");
  for (const { provider_organization_id } of organizations)
    await world.organization(provider_organization_id, { workspace_id: "bench" });
  const events = [...eventsOf(history)];
  const deps = { table, clock: systemClock, chance: systemChance };
  for (let start = 0; start < events.length; start += 10)
    await finalizePullRequests(deps, events.slice(start, start + 10));
  client.destroy();
  await engine.stop();

  const laid = join(directory, "laid.db");
  await fillEngineFile(laid, "bench", itemsOf(history));

  const expected = await streamRows(written);
  expect(expected).toHaveLength(60 * 7 + 1);
  expect(await streamRows(laid)).toEqual(expected);
});
