import { eventQueueSettings } from "../../../../lib/contract/platform.ts";
import { ingest } from "../../../../lib/events/ingest.ts";
import type { EventDeps, QueueMessage } from "../../../../lib/events/ports.ts";
import { type Engine, engineClient } from "../../../../lib/local/engine/engine.ts";
import type { KnownTenants } from "../../../../lib/metrics/finalize.ts";
import { systemClock, toTimestamp } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import { createTable } from "../../../../lib/store/create-table.ts";
import { createDynamoTable, type MeteredTable } from "../../../../lib/store/dynamo.ts";
import type { Table } from "../../../../lib/store/table.ts";
import type { OrganizationId, World } from "../../../support/world.ts";
import { finalizedEvent } from "../support/history.ts";

/** The largest batch of a FIFO queue. */
export const together = eventQueueSettings.batchMessagesMax;
const startMs = Date.parse("2026-06-01T00:00:00.000Z");

export async function openTable(engine: Engine): Promise<MeteredTable> {
  const client = engineClient(engine.endpoint);
  const tableName = `ingest-${systemRandom.uuid()}`;
  await createTable(client, tableName, engine.kind);
  return createDynamoTable({ client, tableName, clock: systemClock, random: systemRandom });
}

/** Of one warm worker. */
export const depsOf = (table: Table, knownTenants: KnownTenants = new Map()): EventDeps => ({
  table,
  knownTenants,
  clock: systemClock,
  random: systemRandom,
  bucket: { put: async () => undefined, get: async () => undefined },
  deadLetters: {
    send: async ([letter]) => {
      throw new Error(`An event was refused: ${letter?.reason}`);
    },
  },
  log: () => undefined,
});

/**
 * The messages of one tenant, one batch at a time; `version` 2 sends the same pull requests with one more resolution.
 */
export function* batchesOf(id: OrganizationId, count: number, version: 1 | 2): Generator<QueueMessage[]> {
  for (let batch = 0; batch < count; batch++)
    yield Array.from({ length: together }, (_, index) => messageOf(id, batch * together + index, version));
}

function messageOf(id: OrganizationId, number: number, version: 1 | 2): QueueMessage {
  const mergedAtMs = startMs + number * 1_800_000;
  const event = finalizedEvent(id, number, mergedAtMs);
  const newest = version === 1 ? event : changedEvent(event, mergedAtMs);
  return { id: newest.id, group: id.provider_organization_id, body: JSON.stringify(newest) };
}

/** A day later one finding counts as resolved. */
function changedEvent(event: ReturnType<typeof finalizedEvent>, mergedAtMs: number) {
  const { comments } = event.data;
  const [first, ...rest] = comments;
  return {
    ...event,
    id: systemRandom.uuid(),
    occurred_at: toTimestamp(mergedAtMs + 86_400_000),
    data: { ...event.data, comments: [{ ...first, accepted: first?.accepted !== true }, ...rest] },
  };
}

export async function prepare(world: World, id: OrganizationId, workspace_id: string | null): Promise<void> {
  await world.organization(id.provider_organization_id, { workspace_id });
  for (let index = 0; index < 20; index++) await world.repository(id, String(640_219_000 + index));
}

export async function ingestAll(deps: EventDeps, batch: readonly QueueMessage[]): Promise<void> {
  const returned = await ingest(deps, batch);
  if (returned.length > 0) throw new Error("Events were left for another delivery.");
}
