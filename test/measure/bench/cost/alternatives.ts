import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as kinds from "../../../../lib/contract/items.ts";
import { isOf } from "../../../../lib/contract/kind.ts";
import { engineClient } from "../../../../lib/local/engine/engine.ts";
import { toMcpRecord } from "../../../../lib/metrics/mcp.ts";
import { writeReviewComments } from "../../../../lib/metrics/review-comments.ts";
import { writeReview } from "../../../../lib/metrics/review-formats.ts";
import { ByteWriter } from "../../../../lib/runtime/byte-writer.ts";
import { systemClock } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import { createTable } from "../../../../lib/store/create-table.ts";
import { createDynamoTable, type MeteredTable } from "../../../../lib/store/dynamo.ts";
import { parseEntryPlace, streamPartition } from "../../../../lib/store/layout.ts";
import { StoreMeter } from "../../../../lib/store/meter.ts";
import { type Item, queryAll } from "../../../../lib/store/table.ts";
import { parseEntry } from "../../../../lib/stream/entry.ts";
import { github } from "../../../support/world.ts";
import { toAttributes } from "../support/attributes.ts";
import { startCountedEngine } from "../support/counted-engine.ts";
import { fillEngineFile, itemBytes } from "../support/engine-file.ts";
import { type History, itemsOf, weeksInTenYears } from "../support/history.ts";
import { storageBytesPerItem } from "./prices.ts";

/** The counted cost of one form of the table. */
export type Form = {
  readonly name: string;
  /** For all items of a pull request: the transaction that puts them. */
  readonly writeUnitsEach: number;
  readonly pageReadUnits: number;
  readonly weekReadUnits: number;
  readonly storedBytesEach: number;
};

const pageItems = 1_000;
const inMeasuredWeek = 200;
const organization = github("7400001");
const uuid = "00000000-0000-5000-8000-000000000000";
const tenant = `o#${uuid}` as const;

const history = (pullRequests: number): History => ({
  tenant,
  organizations: [organization],
  pullRequests,
  inMeasuredWeek: Math.min(inMeasuredWeek, pullRequests),
  weeksBefore: weeksInTenYears,
  shuffled: false,
});

/**
 * Our form, the same with plain JSON in its entries, and ours without weeks in its keys, over this many pull requests.
 */
export async function countForms(stored: number): Promise<Form[]> {
  const week = (items: readonly Item[]) => items.filter(isComments).slice(-inMeasuredWeek);
  const sample = [...itemsOf({ ...history(pageItems), inMeasuredWeek: pageItems })].filter(
    (item) => !isHead(item),
  );
  const plain = sample.map(asPlainJson);
  return await onEngine(async (table) => {
    const ours = await countForm(table, "ours", sample);
    const json = await countForm(table, "plain JSON entries", plain);
    const lastWeek = await readUnits(table, "ours week", week(sample));
    const lastJsonWeek = await readUnits(table, "json week", week(plain));
    return [
      { ...ours, weekReadUnits: lastWeek },
      { ...json, weekReadUnits: lastJsonWeek },
      { ...ours, name: "no weeks in the keys", weekReadUnits: await wholeHistoryUnits(stored) },
    ];
  });
}

const letterOf = (item: Item) => parseEntryPlace(item)?.dataset;
const isComments = (item: Item): boolean => letterOf(item) === "c";
/** The head is rewritten, not added, so no form counts it. */
const isHead = (item: Item): boolean => isOf(kinds.streamHead, item);

/** The record as the API returns it, in place of the compact payload. */
function asPlainJson(item: Item): Item {
  const letter = letterOf(item);
  if (!letter) return item;
  const { entry } = parseEntry(item, uuid);
  const provider = "github" as const;
  const id = organization.provider_organization_id;
  if (letter === "c") {
    const out = new ByteWriter();
    writeReviewComments(out, { entry, organization });
    return { ...item, p: out.written().toString() };
  }
  if (letter === "m")
    return { ...item, p: JSON.stringify(toMcpRecord(entry, { organizationId: id, provider })) };
  const names = {
    organizationId: id,
    organizationName: "Organization 7400001",
    provider,
    repositoryName: "billing-service",
    repositoryFullName: "acme-corp/billing-service",
  };
  const out = new ByteWriter();
  writeReview(out, { entry, names });
  return { ...item, p: out.written().toString() };
}

async function countForm(
  table: MeteredTable,
  name: string,
  items: readonly Item[],
): Promise<Omit<Form, "weekReadUnits">> {
  const meter = new StoreMeter();
  const metered = table.metered(meter);
  // A pull request's items, in the order of creation: three entries and the pointer.
  const perTransaction = (items.length / pageItems) * 10;
  for (let start = 0; start < items.length; start += perTransaction)
    await metered.transact(items.slice(start, start + perTransaction).map((put) => ({ put })));
  return {
    name,
    writeUnitsEach: meter.writeUnits / pageItems,
    pageReadUnits: await readUnits(table, name, items.filter(isComments)),
    storedBytesEach: storedBytes(items) / pageItems,
  };
}

const storedBytes = (items: readonly Item[]): number =>
  items.reduce((sum, item) => sum + itemBytes(toAttributes(item)) + storageBytesPerItem, 0);

/** The items of a pull request: a workspace (`w`) has a copy for itself and one for the organization (`o`). */
export function storedBytesEach(kind: "w" | "o"): number {
  const items = [...itemsOf({ ...history(pageItems), tenant: `${kind}#${uuid}` })].filter(
    (item) => !isHead(item),
  );
  return storedBytes(items) / pageItems;
}

/** Every item contains its partition's key, so another name must have the same length. */
const partitionNamed = (name: string): string =>
  name.padEnd(streamPartition({ tenant, organization: undefined, dataset: "c", week: 1_000 }).length, ".");

/** For a query that reads exactly these items. */
async function readUnits(table: MeteredTable, name: string, items: readonly Item[]): Promise<number> {
  const pk = partitionNamed(name);
  await table.writeMany(items.map((item) => ({ put: { ...item, pk } })));
  return await unitsOfWhole(table, pk);
}

async function unitsOfWhole(table: MeteredTable, pk: string): Promise<number> {
  const meter = new StoreMeter();
  await Array.fromAsync(queryAll(table.metered(meter), { pk }));
  return meter.readUnits;
}

/** Without weeks, a window is a filter over the whole stream, in the order of writing. */
async function wholeHistoryUnits(stored: number): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), "bench-cost-"));
  try {
    const databaseFile = join(directory, "whole.db");
    await fillEngineFile(databaseFile, tableName, wholeStream(stored));
    return await onEngine((table) => unitsOfWhole(table, partitionNamed("whole")), databaseFile);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function* wholeStream(stored: number): Generator<Item> {
  for (const item of itemsOf(history(stored)))
    if (isComments(item)) yield { ...item, pk: partitionNamed("whole") };
}

const tableName = "forms";

async function onEngine<Answer>(work: (table: MeteredTable) => Promise<Answer>, databaseFile?: string) {
  const engine = await startCountedEngine(databaseFile === undefined ? {} : { dataPath: databaseFile });
  const client = engineClient(engine.endpoint);
  try {
    await createTable(client, tableName, engine.kind);
    return await work(createDynamoTable({ client, tableName, clock: systemClock, random: systemRandom }));
  } finally {
    client.destroy();
    await engine.stop();
  }
}
