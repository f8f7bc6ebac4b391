import * as z from "zod";
import type { QueueMessage } from "../../../../lib/events/ports.ts";
import { type FinalizedEvent, finalizePullRequests } from "../../../../lib/metrics/finalize.ts";
import { pullRequestFinalized } from "../../../../lib/metrics/finalized.ts";
import type { MeteredTable } from "../../../../lib/store/dynamo.ts";
import { StoreMeter } from "../../../../lib/store/meter.ts";
import { github, World } from "../../../support/world.ts";
import { batchesOf, depsOf, ingestAll, prepare, together } from "./events.ts";

export type Units = {
  readonly tenant: string;
  readonly change: string;
  readonly part: "metrics" | "event";
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly calls: number;
};

/** What the metrics of one pull request may take. */
export const writeUnitsMax = 15;

/** Per pull request: its metrics alone, and all work of the worker for its event. */
export async function countUnits(table: MeteredTable, batches: number): Promise<Units[]> {
  const world = new World(() => table);
  await world.workspace("ingest");
  const kinds = [
    { tenant: "stand-alone organization", id: 7_200_000, workspace_id: null },
    { tenant: "workspace", id: 7_200_010, workspace_id: "ingest" },
  ];
  const units: Units[] = [];
  for (const { tenant, id: first, workspace_id } of kinds) {
    for (const [index, part] of (["metrics", "event"] as const).entries()) {
      const id = github(String(first + index));
      await prepare(world, id, workspace_id);
      for (const version of [1, 2] as const) {
        const meter = new StoreMeter();
        const deps = depsOf(table.metered(meter));
        for (const batch of batchesOf(id, batches, version))
          await (part === "event" ? ingestAll(deps, batch) : finalizePullRequests(deps, batch.map(checked)));
        const count = batches * together;
        units.push({
          tenant,
          part,
          change: version === 1 ? "new" : "with one more resolution",
          writeUnits: meter.writeUnits / count,
          readUnits: meter.readUnits / count,
          calls: meter.calls.length / count,
        });
      }
    }
  }
  return units;
}

/** In the form that the worker passes on. */
function checked({ body }: QueueMessage): FinalizedEvent {
  const { id, occurred_at, data } = eventSchema.parse(JSON.parse(body));
  return { id, version: `${occurred_at}#${id}`, data };
}

const eventSchema = z.object({ id: z.string(), occurred_at: z.string(), data: pullRequestFinalized });
