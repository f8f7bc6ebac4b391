import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { engineClient, startEngine } from "../../../../lib/local/engine/engine.ts";
import { finalizePullRequests } from "../../../../lib/metrics/finalize.ts";
import { systemClock } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import { createTable } from "../../../../lib/store/create-table.ts";
import { createDynamoTable } from "../../../../lib/store/dynamo.ts";
import type { Table } from "../../../../lib/store/table.ts";
import { engineKind, openStore, useStore } from "../../../support/engine.ts";
import { github, World } from "../../../support/world.ts";
import {
  type EngineRow,
  fillEngineFile,
  hasKnownFile,
  putAll,
  readAll,
  readEngineFile,
} from "./engine-file.ts";
import { eventsOf, type History, itemsOf } from "./history.ts";

const store = useStore();
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

async function writeHistory(table: Table): Promise<void> {
  const world = new World(() => table);
  await world.workspace("bench");
  for (const { provider_organization_id } of organizations)
    await world.organization(provider_organization_id, { workspace_id: "bench" });
  const events = [...eventsOf(history)];
  const deps = { table, clock: systemClock, random: systemRandom };
  for (let start = 0; start < events.length; start += 10)
    await finalizePullRequests(deps, events.slice(start, start + 10));
}

type Rows = { readonly written: readonly EngineRow[]; readonly laid: readonly EngineRow[] };

async function rowsOfFiles(): Promise<Rows> {
  const [written, laid] = [join(directory, "written.db"), join(directory, "laid.db")];
  const engine = await startEngine({ dataPath: written });
  const client = engineClient(engine.endpoint);
  await createTable(client, "bench", engine.kind);
  await writeHistory(
    createDynamoTable({ client, tableName: "bench", clock: systemClock, random: systemRandom }),
  );
  client.destroy();
  await engine.stop();
  await fillEngineFile(laid, "bench", itemsOf(history));
  return { written: await readEngineFile(written, "bench"), laid: await readEngineFile(laid, "bench") };
}

/** An engine with an unknown file format is filled and read with requests: a running one serves as well. */
async function rowsOfTables(): Promise<Rows> {
  const { table: written } = store();
  const { table: laid } = await openStore(store().endpoint);
  await writeHistory(written);
  await putAll(laid, itemsOf(history));
  return { written: await readAll(written), laid: await readAll(laid) };
}

test("a history that is written into the file equals the writer's, item by item and byte by byte", async () => {
  const { written, laid } = hasKnownFile(engineKind) ? await rowsOfFiles() : await rowsOfTables();
  // Only the items of the stream: the organizations come from events in both.
  const isOfStream = ({ pk }: EngineRow) => pk.startsWith("S#") || pk.startsWith("PR#");
  const expected = written.filter(isOfStream);
  expect(expected).toHaveLength(60 * 7 + 1);
  expect(laid.filter(isOfStream)).toEqual(expected);
});
