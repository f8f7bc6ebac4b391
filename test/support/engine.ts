import { randomUUID } from "node:crypto";
import { afterAll, beforeAll } from "vitest";
import { type Engine, engineClient, engineNamed, startEngine } from "../../lib/local/engine/engine.ts";
import { NoAnswer } from "../../lib/runtime/aws-error.ts";
import { type Clock, systemClock } from "../../lib/runtime/clock.ts";
import { type Random, systemRandom } from "../../lib/runtime/random.ts";
import type { StoreClient } from "../../lib/store/client.ts";
import { createTable } from "../../lib/store/create-table.ts";
import { createDynamoTable, type MeteredTable } from "../../lib/store/dynamo.ts";
import { askEngineName, askMemoryEngine } from "./shared-engine.ts";

/** The engine that `npm start` would use. */
export const engineKind = engineNamed(await askEngineName());
/** A test's own clock may show any time: the times of its writes are compared with no other clock. */
const epochClock: Clock = { nowMs: () => 0, sleep: systemClock.sleep };

export type TestStore = {
  readonly endpoint: string;
  readonly client: StoreClient;
  readonly tableName: string;
  readonly table: MeteredTable;
  /** True where vector indexes exist (not on DynamoDB Local). */
  readonly vectorIndex: boolean;
};

/** Starts the engine for this test file, or takes the one of the run, and gives it a fresh table of its own. */
export function useStore(options: { clock?: Clock; random?: Random } = {}): () => TestStore {
  let engine: Engine | undefined;
  let store: TestStore | undefined;
  beforeAll(async () => {
    const shared = await askMemoryEngine();
    if (shared === null) engine = await startEngine({ kind: engineKind });
    store = await openStore(engine?.endpoint ?? shared ?? "", options);
  });
  afterAll(async () => {
    store?.client.destroy();
    await engine?.stop();
  });
  return () => {
    if (!store) throw new Error("The store is there only inside tests and hooks.");
    return store;
  };
}

/** A fresh table on a running engine. */
export async function openStore(
  endpoint: string,
  options: { clock?: Clock; random?: Random } = {},
): Promise<TestStore> {
  const client = engineClient(endpoint);
  const { vectorIndex } = engineKind;
  const tableName = await newTable(client);
  const { clock = epochClock, random = systemRandom } = options;
  return {
    endpoint,
    client,
    tableName,
    vectorIndex,
    table: createDynamoTable({ client, tableName, clock, random }),
  };
}

/** On a machine that is busy with other tests the engine may sometimes be too slow. */
async function newTable(client: StoreClient, triesLeft = 2): Promise<string> {
  const tableName = `test-${randomUUID()}`;
  try {
    await createTable(client, tableName, { vectorIndex: engineKind.vectorIndex });
    return tableName;
  } catch (error) {
    if (triesLeft === 0 || !(error instanceof NoAnswer)) throw error;
    return await newTable(client, triesLeft - 1);
  }
}
