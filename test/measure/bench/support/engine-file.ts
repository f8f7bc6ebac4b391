import { DatabaseSync } from "node:sqlite";
import { engineClient, startEngine } from "../../../../lib/local/engine/engine.ts";
import type { EngineKind } from "../../../../lib/local/engine/kind.ts";
import { systemClock } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import { createTable } from "../../../../lib/store/create-table.ts";
import { createDynamoTable } from "../../../../lib/store/dynamo.ts";
import type { Item, Table } from "../../../../lib/store/table.ts";
import { scanAll } from "../../../support/scan-all.ts";
import { type Attribute, type Attributes, toAttributes } from "./attributes.ts";

const itemsPerBatch = 500;

/**
 * Fills the engine's data with a table of these items. dynoxide's file is filled in the engine's own format, without
 * its requests: a million pull requests in minutes instead of hours. `engine-file.test.ts` proves row by row that both
 * ways write the same. Every other engine is filled with requests.
 */
export const fillEngineFile = async (
  dataPath: string,
  tableName: string,
  items: Iterable<Item>,
): Promise<number> =>
  (await onEngine(dataPath, tableName, async (table, kind) =>
    hasKnownFile(kind) ? undefined : await putAll(table, items),
  )) ?? putIntoFile(dataPath, tableName, items);

/** Items can be written directly into the files of such an engine: a million in seconds. */
export const hasKnownFile = ({ name }: EngineKind): boolean => name === "dynoxide";

async function onEngine<Answer>(
  dataPath: string,
  tableName: string,
  work: (table: Table, kind: EngineKind) => Promise<Answer>,
): Promise<Answer> {
  const engine = await startEngine({ dataPath });
  const client = engineClient(engine.endpoint);
  try {
    await createTable(client, tableName, engine.kind);
    const table = createDynamoTable({ client, tableName, clock: systemClock, random: systemRandom });
    return await work(table, engine.kind);
  } finally {
    client.destroy();
    await engine.stop();
  }
}

export async function putAll(table: Table, items: Iterable<Item>): Promise<number> {
  let count = 0;
  let batch: Item[] = [];
  const flush = async () => {
    await table.writeMany(batch.map((item) => ({ put: item })));
    count += batch.length;
    batch = [];
  };
  for (const item of items) {
    batch.push(item);
    if (batch.length === itemsPerBatch) await flush();
  }
  await flush();
  return count;
}

function putIntoFile(databaseFile: string, tableName: string, items: Iterable<Item>): number {
  const database = new DatabaseSync(databaseFile);
  try {
    database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; BEGIN");
    const insert = database.prepare(
      `INSERT INTO "${tableName}" (pk, sk, item_json, item_size) VALUES (?, ?, ?, ?)`,
    );
    let count = 0;
    for (const item of items) {
      const attributes = toAttributes(item);
      insert.run(`S:${item.pk}`, `S:${item.sk}`, JSON.stringify(attributes), itemBytes(attributes));
      count++;
    }
    database.exec("COMMIT");
    return count;
  } finally {
    database.close();
  }
}

export type EngineRow = {
  readonly pk: string;
  readonly sk: string;
  readonly bytes: number;
  readonly item: unknown;
};

/** The engine's contents, in the order of the keys. */
export const readEngineFile = async (dataPath: string, tableName: string): Promise<readonly EngineRow[]> =>
  (await onEngine(dataPath, tableName, async (table, kind) =>
    hasKnownFile(kind) ? undefined : await readAll(table),
  )) ?? readFileRows(dataPath, tableName);

export async function readAll(table: Table): Promise<readonly EngineRow[]> {
  return (await scanAll(table)).map((stored) => {
    const item = toAttributes(stored);
    return { pk: stored.pk, sk: stored.sk, bytes: itemBytes(item), item };
  });
}

function readFileRows(databaseFile: string, tableName: string): readonly EngineRow[] {
  const database = new DatabaseSync(databaseFile, { readOnly: true });
  try {
    const rows = database
      .prepare(`SELECT pk, sk, item_json, item_size FROM "${tableName}" ORDER BY pk, sk`)
      .all();
    const text = (key: unknown): string => String(key).replace(/^S:/, "");
    return rows.map(({ pk, sk, item_json, item_size }) => ({
      pk: text(pk),
      sk: text(sk),
      bytes: Number(item_size),
      item: JSON.parse(String(item_json)),
    }));
  } finally {
    database.close();
  }
}

/** As DynamoDB counts an item: names and text in UTF-8, a number by its significant digits, containers 3 + 1 each. */
export function itemBytes(attributes: Attributes): number {
  let bytes = 0;
  for (const name in attributes) {
    const value = attributes[name];
    if (value) bytes += Buffer.byteLength(name) + attributeBytes(value);
  }
  return bytes;
}

function attributeBytes(value: Attribute): number {
  if ("S" in value) return Buffer.byteLength(value.S);
  if ("N" in value) return numberBytes(value.N);
  if ("B" in value) return Buffer.byteLength(value.B, "base64");
  if ("L" in value) return value.L.reduce((sum, each) => sum + 1 + attributeBytes(each), 3);
  if ("M" in value) return 3 + Object.keys(value.M).length + itemBytes(value.M);
  return 1;
}

function numberBytes(text: string): number {
  const digits = text.replace(/^-/, "").replace(".", "").replace(/^0+/, "").replace(/0+$/, "");
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith("-") ? 1 : 0);
}
