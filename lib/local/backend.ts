import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { EventBucket } from "../events/ports.ts";
import { createCursorKeys } from "../http/cursor-keys.ts";
import { systemClock } from "../runtime/clock.ts";
import { systemCode } from "../runtime/operator-error.ts";
import { systemRandom } from "../runtime/random.ts";
import { writeWhole } from "../runtime/write-whole.ts";
import { createTable } from "../store/create-table.ts";
import { createDynamoTable } from "../store/dynamo.ts";
import type { Table } from "../store/table.ts";
import { createVectorSearch, type VectorSearch } from "../store/vectors.ts";
import type { DataDirectory } from "./data-directory.ts";
import { type Engine, engineClient } from "./engine/engine.ts";
import { createLocalQueue, type LocalQueue } from "./queue.ts";

export const localTableName = "review-api";
const queueTableName = "review-api-queue";

/** Table, queues and bucket as on AWS, on an engine of this machine. */
export type LocalBackend = {
  readonly table: Table;
  readonly vectors: VectorSearch;
  readonly queue: LocalQueue;
  readonly bucket: EventBucket;
  close(): void;
};

export async function openBackend(
  { endpoint, kind }: Pick<Engine, "endpoint" | "kind">,
  directory: DataDirectory,
): Promise<LocalBackend> {
  const client = engineClient(endpoint);
  await createTable(client, localTableName, { vectorIndex: kind.vectorIndex });
  await createTable(client, queueTableName, { vectorIndex: false });
  const common = { client, clock: systemClock, random: systemRandom };
  const queueTable = createDynamoTable({ ...common, tableName: queueTableName });
  const options = { ...common, tableName: localTableName };
  const table = createDynamoTable(options);
  await createCursorKeys({ table, clock: systemClock, random: systemRandom });
  return {
    table,
    vectors: createVectorSearch(options),
    queue: createLocalQueue({ table: queueTable, clock: systemClock, random: systemRandom }),
    bucket: createFolderBucket(directory.bucketFolder),
    close: () => client.destroy(),
  };
}

/** A folder that replaces the events bucket; each name is one file, whatever characters it contains. */
function createFolderBucket(folder: string): EventBucket {
  const fileOf = (name: string) => join(folder, encodeURIComponent(name));
  return {
    async put(name, content) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeWhole(fileOf(name), content);
    },
    async get(name) {
      try {
        return await readFile(fileOf(name));
      } catch (error) {
        if (systemCode(error) === "ENOENT") return undefined;
        throw error;
      }
    },
  };
}
