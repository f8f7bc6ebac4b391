/**
 * What metrics cost, and how that grows:
 *
 *   node test/bench/metrics.ts [--pull-requests 1000,10000,100000,1000000] [--only writes|week|page|decade]
 *
 * Units are what the engine reports as consumed capacity, which does not depend on the machine.
 */
import { parseArgs } from "node:util";
import { engineClient, startEngine } from "../../cli/local/engine.ts";
import { streamLimits } from "../../lib/contract/limits.ts";
import { finalizePullRequests } from "../../lib/metrics/finalize.ts";
import { readReviewComments } from "../../lib/metrics/read.ts";
import { headAlongside, type MetricsCall } from "../../lib/metrics/walk.ts";
import { systemChance } from "../../lib/runtime/chance.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { createTable } from "../../lib/store/create-table.ts";
import { createDynamoTable, type MeteredTable } from "../../lib/store/dynamo.ts";
import type { OrganizationItem } from "../../lib/store/items/organization.ts";
import { type TenantKey, workspaceTenant } from "../../lib/store/layout.ts";
import { StoreMeter } from "../../lib/store/meter.ts";
import type { Item, Table } from "../../lib/store/table.ts";
import { sizeOf } from "../../lib/stream/size.ts";
import {
  type History,
  layHistory,
  measuredWeek,
  putOrganization,
  tenYears,
  twoWeeks,
  typicalEvent,
} from "./metrics-history.ts";

export type Row = { readonly [column: string]: string | number };
export type BenchTable = { readonly title: string; readonly rows: readonly Row[] };

const readUnitBytes = 4096;
const inMeasuredWeek = 200;
const weeksInTenYears = 520;

const parts = {
  writes: (table: MeteredTable) => benchWrites(table),
  week: (table: MeteredTable, pullRequests: readonly number[]) => benchWeek(table, pullRequests),
  page: (table: MeteredTable) => benchFullPage(table),
  decade: (table: MeteredTable) => benchTenYears(table),
};

export type BenchOptions = {
  /** Lengths of the histories, shortest first. */
  readonly pullRequests: readonly number[];
  /** All of them if left out. */
  readonly only?: keyof typeof parts | undefined;
};

/** Runs on an engine of its own. A history of 1,000,000 takes many minutes to lay. */
export async function benchMetrics({ pullRequests, only }: BenchOptions): Promise<BenchTable[]> {
  const engine = await startEngine();
  const client = engineClient(engine.endpoint);
  try {
    await createTable(client, "bench", { vectorIndex: true });
    const table = createDynamoTable({ client, tableName: "bench", clock: systemClock, chance: systemChance });
    const tables: BenchTable[] = [];
    for (const part of only ? [parts[only]] : Object.values(parts))
      tables.push(await part(table, pullRequests));
    return tables;
  } finally {
    client.destroy();
    await engine.stop();
  }
}

/** Ten pull requests a transaction, as they come from the queue. */
async function benchWrites(table: MeteredTable): Promise<BenchTable> {
  const rows: Row[] = [];
  for (const tenant of ["workspace", "stand-alone organization"]) {
    const index = tenant === "workspace" ? 900 : 901;
    const { uuid } = await putOrganization(table, workspaceTenant("writes"), index);
    const key: TenantKey = tenant === "workspace" ? workspaceTenant("writes") : `o#${uuid}`;
    await putOrganization(table, key, index);
    for (const change of ["new", "with one more resolution"]) {
      const meter = new StoreMeter();
      const store = { table: table.metered(meter), clock: systemClock, chance: systemChance };
      const count = 50 * streamLimits.changesPerTransactionMax;
      for (let start = 0; start < count; start += streamLimits.changesPerTransactionMax) {
        const events = Array.from({ length: streamLimits.changesPerTransactionMax }, (_, offset) =>
          changed(typicalEvent(index, start + offset, mergedAt(start + offset)), change),
        );
        await finalizePullRequests(store, events);
      }
      rows.push({
        tenant,
        "pull requests": `${count} ${change}`,
        "write units each": rounded(meter.writeUnits / count),
        "read units each": rounded(meter.readUnits / count),
        "calls each": rounded(meter.calls.length / count),
      });
    }
  }
  return { title: "Writing (8 comments and MCP each, ten a transaction; target 15 write units)", rows };
}

const mergedAt = (number: number): number => Date.parse("2026-09-01T00:00:00.000Z") + number * 3_600_000;

function changed(event: ReturnType<typeof typicalEvent>, change: string): ReturnType<typeof typicalEvent> {
  if (change === "new") return event;
  const [first, ...rest] = event.data.comments;
  const comments = first ? [{ ...first, accepted: first.accepted !== true }, ...rest] : [];
  return { ...event, version: `2026-11-10T00:00:00.000Z#${event.id}`, data: { ...event.data, comments } };
}

/** The same week of ever longer histories of one organization, and once of a workspace of 200. */
async function benchWeek(table: MeteredTable, pullRequests: readonly number[]): Promise<BenchTable> {
  const rows: Row[] = [];
  for (const [index, count] of pullRequests.entries()) {
    for (const organizations of index === 0 ? [1, 200] : [1]) {
      const history = {
        tenant: workspaceTenant(`week-${count}-${organizations}`),
        organizations,
        pullRequests: count,
        inMeasuredWeek,
        weeksBefore: weeksInTenYears,
        shuffled: false,
      };
      const members = await prepare(table, history);
      const read = await measure(table, history.tenant, members, measuredWeek, 1000);
      rows.push({ "stored pull requests": count, organizations, ...read });
    }
  }
  return { title: `One week of ${inMeasuredWeek} pull requests, by the length of the history`, rows };
}

/** A week lies in one partition, a window across two weeks in two. */
async function benchFullPage(table: MeteredTable): Promise<BenchTable> {
  const rows: Row[] = [];
  const pullRequests = 5_000;
  const windows = [
    { name: "one week", window: measuredWeek, inMeasuredWeek: pullRequests, shuffled: false },
    { name: "two weeks, in date order", window: twoWeeks, inMeasuredWeek: pullRequests / 2, shuffled: false },
    { name: "two weeks, in no order", window: twoWeeks, inMeasuredWeek: pullRequests / 2, shuffled: true },
  ];
  for (const { name, window, ...history } of windows) {
    const tenant = workspaceTenant(name);
    const members = await prepare(table, {
      tenant,
      organizations: 1,
      pullRequests,
      weeksBefore: 1,
      ...history,
    });
    for (const limit of name === "one week" ? [1, 10, 100, 1000] : [1000])
      rows.push({ window: name, limit, ...(await measure(table, tenant, members, window, limit)) });
  }
  return {
    title: "A first page of 5,000 (target: at most 1.3 units for every 4 KB, one DynamoDB page)",
    rows,
  };
}

async function benchTenYears(table: MeteredTable): Promise<BenchTable> {
  const rows: Row[] = [];
  for (const shuffled of [false, true]) {
    const tenant = workspaceTenant(`ten-years-${shuffled}`);
    const members = await prepare(table, {
      tenant,
      organizations: 1,
      pullRequests: 10_000,
      inMeasuredWeek: 20,
      weeksBefore: weeksInTenYears,
      shuffled,
    });
    for (const limit of [100, 1000]) {
      const read = await measure(table, tenant, members, tenYears, limit);
      rows.push({ "told in": shuffled ? "no order" : "date order", limit, ...read });
    }
  }
  return { title: "The first page of a ten-year window over 10,000 pull requests", rows };
}

async function prepare(table: Table, history: History): Promise<OrganizationItem[]> {
  const members: OrganizationItem[] = [];
  for (let index = 0; index < history.organizations; index++)
    members.push(await putOrganization(table, history.tenant, index));
  await layHistory(table, history);
  return members;
}

/** One request after authentication: the head, which comes along with that, and then the page. */
async function measure(
  table: MeteredTable,
  tenant: TenantKey,
  organizations: readonly OrganizationItem[],
  window: { readonly start_date: string; readonly end_date: string },
  limit: number,
): Promise<Row> {
  const meter = new StoreMeter();
  const metered = table.metered(meter);
  const pages = { count: 0, bytes: 0 };
  const watched: Table = {
    ...metered,
    queryPage: async (...range) => {
      const page = await metered.queryPage(...range);
      pages.count++;
      pages.bytes += page.items.reduce((sum, item) => sum + storedBytes(item), 0);
      return page;
    },
  };
  const alongside = await metered.getMany(headAlongside(tenant));
  const call: MetricsCall = {
    principal: { tenant },
    scope: { organizations },
    input: { query: window },
    paging: { position: null, pageSize: limit, next: String, resume: String },
    table: watched,
    clock: systemClock,
    alongside,
    signal: new AbortController().signal,
  };
  const { records } = await readReviewComments(call);
  const queryUnits = meter.calls.reduce(
    (sum, { operation, readUnits }) => sum + (operation === "Query" ? readUnits : 0),
    0,
  );
  return {
    "on the page": records.length,
    "read units": meter.readUnits,
    "of them head": meter.readUnits - queryUnits,
    "stored KB": rounded(pages.bytes / 1024),
    "units per 4 KB": rounded(queryUnits / Math.max(1, pages.bytes / readUnitBytes)),
    queries: pages.count,
    "round trips": meter.sequentialRoundTrips,
    "answer KB": rounded(records.reduce((sum, record) => sum + record.length, 0) / 1024),
  };
}

const storedBytes = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + name.length + sizeOf(value), 0);

const rounded = (value: number): number => Math.round(value * 100) / 100;

const isPart = (name: string): name is keyof typeof parts => Object.hasOwn(parts, name);

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      "pull-requests": { type: "string", default: "1000,10000" },
      only: { type: "string", default: "" },
    },
  });
  const pullRequests = values["pull-requests"].split(",").map(Number);
  const only = isPart(values.only) ? values.only : undefined;
  for (const { title, rows } of await benchMetrics({ pullRequests, only })) {
    console.log(`\n${title}`);
    console.table(rows);
  }
}
