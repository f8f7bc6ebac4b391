import type { Engine } from "../../../../lib/local/engine/engine.ts";
import type { Item } from "../../../../lib/store/table.ts";
import { github, type OrganizationId, World } from "../../../support/world.ts";
import { atMost, rounded, type Section, type SectionModule, tableOf } from "../section.ts";
import { startCountedEngine } from "../support/counted-engine.ts";
import { itemsOf } from "../support/history.ts";
import { batchesOf, depsOf, ingestAll, openTable, prepare, together } from "./events.ts";
import { countUnits, writeUnitsMax } from "./units.ts";
import { measureWork } from "./work.ts";

export const section: SectionModule = {
  title: "Ingest",
  async run({ quick, say }): Promise<Section> {
    const engine = await startCountedEngine();
    try {
      const batches = quick ? 4 : 40;
      say("units per pull request");
      const units = await countUnits(await openTable(engine), batches);
      say("the worker's own time");
      const work = await measureWork(batches);
      say("events a second, tenants side by side");
      const speeds = await timeTenants(engine, batches);
      const ofMetrics = units.filter(({ part }) => part === "metrics").map(({ writeUnits }) => writeUnits);
      return {
        prose: [
          "The worker's own code processes `pull_request.finalized` events with eight findings and MCP use, " +
            `${together} in a batch: envelope, schema, dependencies, streams, seats and Learnings. The batches of one ` +
            "tenant are processed one after another, like its message group; tenants are processed in parallel. The " +
            "comparison is transactions that only put the same items, on the same engine in the same run.",
          "Besides its metrics a pull request writes one marker, for a Learning that was captured in it and " +
            "arrives later. The marker costs one write unit.",
        ],
        targets: [
          atMost("write units of a pull request's metrics, at most", Math.max(...ofMetrics), writeUnitsMax),
        ],
        tables: [
          tableOf(
            "Units per pull request",
            units.map(({ tenant, change, part, writeUnits, readUnits, calls }) => ({
              tenant,
              "pull request": change,
              part: part === "metrics" ? "its metrics" : "the whole event",
              "write units": rounded(writeUnits),
              "read units": rounded(readUnits),
              calls: rounded(calls),
            })),
          ),
          tableOf("The worker's own time", [
            { of: "a new pull request", "ms of one CPU": rounded(work.added) },
            { of: "one that changes an older entry", "ms of one CPU": rounded(work.changed) },
          ]),
          tableOf("Tenants at once", speeds),
        ],
        pictures: [],
        figures: Object.fromEntries(
          units.flatMap(({ tenant, change, part, writeUnits, readUnits }) => [
            [`${tenant}/${change}/${part}/writeUnits`, writeUnits],
            [`${tenant}/${change}/${part}/readUnits`, readUnits],
          ]),
        ),
      };
    } finally {
      await engine.stop();
    }
  },
};

async function timeTenants(engine: Engine, batches: number) {
  const rows: Array<Record<string, number>> = [];
  let alone = 0;
  for (const tenants of [1, 4, 16]) {
    const table = await openTable(engine);
    const world = new World(() => table);
    const ids = Array.from({ length: tenants }, (_, index) => github(String(7_300_000 + index)));
    for (const id of ids) await prepare(world, id, null);
    const each = Math.max(2, Math.ceil((batches * 2) / tenants));
    const work = ids.map((id) => [...batchesOf(id, each, 1)]);
    const events = tenants * each * together;
    const seconds = await timed(() =>
      Promise.all(
        work.map(async (own) => {
          for (const batch of own) await ingestAll(depsOf(table), batch);
        }),
      ),
    );
    const bareTable = await openTable(engine);
    const bare = ids.map((id) => bareTransactions(id, each));
    const bareSeconds = await timed(() =>
      Promise.all(
        bare.map(async (own) => {
          for (const writes of own) await bareTable.transact(writes);
        }),
      ),
    );
    alone ||= events / seconds;
    rows.push({
      tenants,
      "against bare transactions": rounded(bareSeconds / seconds),
      "against one tenant": rounded(events / seconds / alone),
      "events a second": Math.round(events / seconds),
    });
  }
  return rows;
}

/** Only the items, ten pull requests per transaction. */
function bareTransactions(id: OrganizationId, batches: number): Array<Array<{ put: Item }>> {
  const count = batches * together;
  const items = [
    ...itemsOf({
      tenant: `o#${id.provider_organization_id}`,
      organizations: [id],
      pullRequests: count,
      inMeasuredWeek: count,
      weeksBefore: 0,
      shuffled: false,
    }),
  ];
  const size = Math.ceil(items.length / batches);
  const transactions = Array.from({ length: batches }, (_, index) =>
    items.slice(index * size, (index + 1) * size).map((put) => ({ put })),
  );
  return transactions.filter((writes) => writes.length > 0);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}
