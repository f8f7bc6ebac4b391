import { expect } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { streamLimits } from "../../lib/contract/limits.ts";
import { StoreUnavailable, type Table } from "../../lib/store/table.ts";
import { appendBatch } from "../../lib/stream/append.ts";
import type { StreamDeps, StreamLimits } from "../../lib/stream/stream.ts";
import { TestClock } from "../support/clock.ts";
import { memoryTable } from "./memory-table.ts";
import { change, depsOf, draft, newOrganization, newWorkspace } from "./support.ts";

export const large = (fill: number) => draft(`large ${fill}`, { payload: new Uint8Array(40_000).fill(fill) });
/** Pauses take no time. */
export const quick = (table: Table, more: Partial<StreamLimits> = {}): StreamDeps => ({
  ...depsOf(table),
  clock: new TestClock(),
  limits: { ...streamLimits, ...more },
});
/** The writer dies right after its commit. */
export const dying = (table: Table): Table => ({
  ...table,
  write: async () => Promise.reject(new StoreUnavailable("dead", false)),
});

/** An organization of a workspace on a table in memory. */
export async function memoryStream(scanItemsMax?: number) {
  const { table, ...more } = memoryTable(scanItemsMax);
  const home = await newOrganization(table, newWorkspace());
  const partsOf = () => more.all().filter(({ pk }) => pk.startsWith("PART#")).length;
  const spills = () =>
    more.all().filter(({ pk }) => pk === kinds.spill.partition({ organization: home.organization }));
  const send = (order: number, datasets: Parameters<typeof change>[3], pullRequest = "pr/1") =>
    appendBatch(quick(table), home.tenant, [change(home.organization, pullRequest, order, datasets)]);
  const die = (order: number, datasets: Parameters<typeof change>[3]) => {
    const event = change(home.organization, "pr/1", order, datasets);
    return expect(appendBatch(quick(dying(table)), home.tenant, [event])).rejects.toThrow(StoreUnavailable);
  };
  return { table, ...more, ...home, deps: quick(table), partsOf, spills, send, die };
}
