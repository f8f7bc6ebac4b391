import { deepEqual } from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { organizationUuid } from "../../../../lib/contract/identity.ts";
import { tableShape } from "../../../../lib/contract/table.ts";
import { organizationTenant } from "../../../../lib/contract/tenants.ts";
import { embedAll, embeddedTexts } from "../../../../lib/index/embedder.ts";
import { localEmbedder } from "../../../../lib/index/local-embedder.ts";
import { vectorItems } from "../../../../lib/index/write-vectors.ts";
import { redactContent } from "../../../../lib/learnings/content.ts";
import { newLearning, writeContext } from "../../../../lib/learnings/record.ts";
import { engineClient, startEngine } from "../../../../lib/local/engine/engine.ts";
import { systemClock, toTimestamp } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import { createTable } from "../../../../lib/store/create-table.ts";
import { createDynamoTable } from "../../../../lib/store/dynamo.ts";
import type { LearningItem } from "../../../../lib/store/items/learning.ts";
import type { VectorItem } from "../../../../lib/store/items/vector.ts";
import { github } from "../../../support/world.ts";
import { toAttributes } from "../support/attributes.ts";
import { fillEngineFile, itemBytes } from "../support/engine-file.ts";
import { learningOf } from "./texts.ts";

export const tableName = "bench";
export const repositoryId = "640219000";
export const owner = { ...github("7001000"), provider: "github" as const };
const organization = organizationUuid(owner);
const startMs = Date.parse("2026-01-01T00:00:00.000Z");
const { name: indexName, vectorAttribute, hashAttribute, filterAttribute } = tableShape.vectorIndex;

export type Indexed = { readonly learning: LearningItem; readonly vector: VectorItem };

/** Learnings and their index entries, as the writer makes both. */
export async function* indexedLearnings(count: number): AsyncGenerator<Indexed> {
  for (let number = 0; number < count; number++) {
    const nowMs = startMs + number * 1_000;
    const at = writeContext({ nowMs, random: systemRandom }, organizationTenant(organization));
    const content = redactContent({ repositoryId, text: learningOf(number), file: null, sourceUrl: null });
    const learning = newLearning(at, organization, content, {
      generation: 1,
      state: "approved",
      pull_requests: [],
      approve_at: null,
      author_id: "boss",
      created_at: toTimestamp(nowMs),
    });
    const [vector] = vectorItems(
      learning,
      localEmbedder,
      await embedAll(localEmbedder, embeddedTexts(learning)),
    );
    if (vector) yield { learning, vector };
  }
}

/** Written into the engine's file, without its requests: 100,000 vectors would take it half an hour. */
export async function fillIndex(databaseFile: string, indexed: readonly Indexed[]): Promise<void> {
  await fillEngineFile(
    databaseFile,
    tableName,
    indexed.flatMap(({ learning, vector }) => [learning, vector]),
  );
  const database = new DatabaseSync(databaseFile);
  try {
    database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
    const insert = database.prepare(
      `INSERT INTO "${tableName}::vector::${indexName}" VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    for (const { vector } of indexed) insert.run(...indexRow(vector));
    database.exec("COMMIT");
  } finally {
    database.close();
  }
}

function indexRow(vector: VectorItem): [string, string, string, string, string, string, number] {
  const {
    pk,
    sk,
    [vectorAttribute]: numbers,
    [hashAttribute]: space,
    [filterAttribute]: repository,
  } = vector;
  const projected = toAttributes({ pk, sk, [hashAttribute]: space, [filterAttribute]: repository });
  const filter = JSON.stringify(toAttributes({ [filterAttribute]: repository }));
  const bytes = itemBytes(projected) + vectorAttribute.length + 4 * numbers.length;
  const json = JSON.stringify(projected);
  return [`S:${pk}`, `S:${sk}`, `S:${space}`, JSON.stringify(numbers), filter, json, bytes];
}

/** The engine itself must write the same rows: a few are written both ways. */
export async function checkFill(directory: string): Promise<void> {
  const some = await Array.fromAsync(indexedLearnings(3));
  const [filled, written] = ["filled.db", "written.db"].map((name) => join(directory, name));
  if (!filled || !written) throw new TypeError("There are two files.");
  await fillIndex(filled, some);
  const engine = await startEngine({ dataPath: written });
  const client = engineClient(engine.endpoint);
  await createTable(client, tableName, { vectorIndex: true });
  const table = createDynamoTable({ client, tableName, clock: systemClock, random: systemRandom });
  await table.writeMany(some.map(({ vector }) => ({ put: vector })));
  client.destroy();
  await engine.stop();
  deepEqual(indexRows(filled), indexRows(written));
}

function indexRows(databaseFile: string): unknown[] {
  const database = new DatabaseSync(databaseFile, { readOnly: true });
  try {
    const rows = database
      .prepare(`SELECT * FROM "${tableName}::vector::${indexName}" ORDER BY table_sk`)
      .all();
    const parsed = (value: unknown): unknown =>
      typeof value === "string" && /^[[{]/.test(value) ? JSON.parse(value) : value;
    return rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, parsed(value)])),
    );
  } finally {
    database.close();
  }
}
