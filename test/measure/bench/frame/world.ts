import * as kinds from "../../../../lib/contract/items.ts";
import { scopeLimits } from "../../../../lib/contract/limits.ts";
import { workspaceTenant } from "../../../../lib/contract/tenants.ts";
import { createCursorKeys } from "../../../../lib/http/cursor-keys.ts";
import { type Engine, engineClient, startEngine } from "../../../../lib/local/engine/engine.ts";
import { systemClock } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import { createTable } from "../../../../lib/store/create-table.ts";
import { createDynamoTable } from "../../../../lib/store/dynamo.ts";
import type { Table } from "../../../../lib/store/table.ts";
import { github, World } from "../../../support/world.ts";
import { itemsOf } from "../support/history.ts";

const workspace = "bench";
export const tenant = workspaceTenant(workspace);
export const tableName = "bench";
const organizations = Array.from({ length: 5 }, (_, index) => github(String(7_001_000 + index)));
const neverMs = Date.parse("2100-01-01T00:00:00.000Z");

const settledMs = 10 * scopeLimits.settledAfterMs;

export type BenchWorld = {
  readonly engine: Engine;
  readonly table: Table;
  readonly key: { readonly id: string; readonly text: string };
  stop(): Promise<void>;
};

/** A workspace of five organizations with a week of pull requests, and a token for it, on its own engine. */
export async function openWorld({ pullRequests }: { readonly pullRequests: number }): Promise<BenchWorld> {
  const engine = await startEngine();
  const client = engineClient(engine.endpoint);
  await createTable(client, tableName, engine.kind);
  // Requests make more calls while a scope is younger than two minutes.
  const clock = { ...systemClock, nowMs: () => systemClock.nowMs() - settledMs };
  const table = createDynamoTable({ client, tableName, clock, random: systemRandom });
  const world = new World(() => table, clock);
  await world.workspace(workspace);
  for (const { provider_organization_id: id } of organizations)
    await world.organization(id, { workspace_id: workspace });
  const { key, text } = await world.token(workspace);
  // Normally written once a minute; here never, so that every request makes the same calls.
  await table.write({ update: kinds.keyUse.key({ keyId: key.id }), change: { set: [["at_ms", neverMs]] } });
  await createCursorKeys(world.deps);
  const history = { tenant, organizations, pullRequests, inMeasuredWeek: pullRequests };
  const items = itemsOf({ ...history, weeksBefore: 1, shuffled: false });
  await table.writeMany([...items].map((put) => ({ put })));
  const stop = async () => {
    client.destroy();
    await engine.stop();
  };
  return { engine, table, key: { id: key.id, text }, stop };
}
