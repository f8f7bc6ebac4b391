import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseEngine } from "../../../../lib/local/engine/engine.ts";
import { systemClock } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import { createDynamoTable } from "../../../../lib/store/dynamo.ts";
import type { Item } from "../../../../lib/store/table.ts";
import { World } from "../../../support/world.ts";
import { type BenchApi, type BenchRequest, benchTableName, openBenchApi } from "../support/bench-api.ts";
import { fillEngineFile, hasKnownFile, putAll } from "../support/engine-file.ts";
import { type Lockstep, startLockstep } from "../support/lockstep.ts";
import { firstOf, learningRepository, type Stock } from "./stocks.ts";

export type Cost = {
  readonly trips: number;
  readonly calls: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly body: unknown;
};

/** The handlers over all stocks; every request is measured warm, in rounds. */
export type Grown = {
  /** A key of the stock's only organization, or the token of its workspace. */
  keyOf(stock: Stock): string;
  cost(request: BenchRequest): Promise<Cost>;
};

export async function withStocks<Answer>(
  stocks: readonly Stock[],
  say: (line: string) => void,
  work: (grown: Grown) => Promise<Answer>,
): Promise<Answer> {
  const directory = await mkdtemp(join(tmpdir(), "bench-growth-"));
  let api: BenchApi | undefined;
  try {
    const inFile = hasKnownFile(chooseEngine());
    const databaseFile = join(directory, "growth.db");
    say("laying the stocks");
    const items = itemsOfAll(stocks, say);
    if (inFile) await fillEngineFile(databaseFile, benchTableName, items);
    let lockstep: Lockstep | undefined;
    const between = async (engine: string) => {
      lockstep = await startLockstep(engine);
      return lockstep;
    };
    api = await openBenchApi({ ...(inFile && { databaseFile }), between });
    if (!inFile) await putAll(api.table, items);
    const keys = await openDoors(api, stocks);
    say("organizations and keys are made");
    const opened = api;
    return await work({
      keyOf: (stock) => keys.get(stock) ?? "",
      cost: (request) => costOf(opened, lockstep, request),
    });
  } finally {
    await api?.close();
    await rm(directory, { recursive: true, force: true });
  }
}

function* itemsOfAll(stocks: readonly Stock[], say: (line: string) => void): Generator<Item> {
  for (const { items, stored } of stocks) {
    yield* items();
    if (stored >= 100_000) say(`a stock of ${stored.toLocaleString("en-US")} is laid`);
  }
}

async function openDoors({ client }: BenchApi, stocks: readonly Stock[]): Promise<Map<Stock, string>> {
  // A first page reads the organizations again if they changed a moment ago: these changed an hour ago.
  const anHourAgo = { ...systemClock, nowMs: () => systemClock.nowMs() - 3_600_000 };
  // The table has the same clock: it refuses writes that were decided long ago.
  const table = createDynamoTable({
    client,
    tableName: benchTableName,
    clock: anHourAgo,
    random: systemRandom,
  });
  const world = new World(() => table, anHourAgo);
  const keys = new Map<Stock, string>();
  for (const stock of stocks) {
    const { workspace, organizations } = stock;
    if (workspace !== undefined) {
      await world.workspace(workspace);
      for (const { provider_organization_id } of organizations)
        await world.organization(provider_organization_id, { workspace_id: workspace });
      keys.set(stock, (await world.token(workspace)).text);
      continue;
    }
    const id = firstOf(organizations);
    const organization = await world.organization(id.provider_organization_id);
    await world.member(id, "boss", { role: "cr_admin" });
    await world.repository(id, learningRepository);
    keys.set(stock, (await world.key({ kind: "user", organization, owner: "boss" })).text);
  }
  return keys;
}

async function costOf(api: BenchApi, lockstep: Lockstep | undefined, request: BenchRequest): Promise<Cost> {
  const isRead = request.body === undefined;
  await api.count(isRead ? request : { key: request.key, target: "/v1/whoami" });
  lockstep?.takeRounds();
  const { meter, body } = await api.count(request);
  return {
    trips: lockstep?.takeRounds().length ?? 0,
    calls: meter.calls.length,
    readUnits: meter.readUnits,
    writeUnits: meter.writeUnits,
    body: JSON.parse(body.toString()),
  };
}
