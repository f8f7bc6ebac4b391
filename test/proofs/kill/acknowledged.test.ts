import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dataDirectory, enginePath } from "../../../lib/local/data-directory.ts";
import { chooseEngine, engineClient } from "../../../lib/local/engine/engine.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { createTable } from "../../../lib/store/create-table.ts";
import { createDynamoTable } from "../../../lib/store/dynamo.ts";
import type { Table } from "../../../lib/store/table.ts";
import { timeoutMs, volume } from "../../support/volume.ts";
import { KillableEngine } from "./killable-engine.ts";

const kills = volume(2, 30);
const writersCount = 4;
const acknowledgedPerLife = 5;
const parts = ["a", "b", "c", "d", "e"];
/** Large enough that a commit takes some time. */
const content = "x".repeat(500);

/** The store's three ways to write, in turn. */
async function writeIn(turn: number, table: Table, pk: string): Promise<void> {
  const puts = parts.map((sk) => ({ put: { pk, sk, content } }));
  if (turn % 3 === 0) await table.transact(puts);
  else if (turn % 3 === 1) await table.writeMany(puts);
  else for (const put of puts) await table.write(put);
}

let folder = "";
let engine: KillableEngine;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "review-api-acknowledged-"));
  engine = await KillableEngine.start((kind) => enginePath(dataDirectory(folder), kind));
}, timeoutMs);
afterAll(async () => {
  await engine?.close();
  await rm(folder, { recursive: true, force: true });
});

test(
  "an engine that is killed at the moment of an acknowledgement keeps everything that it acknowledged",
  async () => {
    const client = engineClient(engine.endpoint);
    const tableName = "acknowledged";
    await createTable(client, tableName, engine.kind);
    const table = createDynamoTable({ client, tableName, clock: systemClock, random: systemRandom });
    const lost: string[] = [];
    let written = 0;
    let acknowledgedInAll = 0;
    for (let life = 1; life <= kills; life++) {
      const acknowledged: string[] = [];
      let dying: Promise<void> | undefined;
      const write = async () => {
        while (!dying) {
          const turn = written++;
          const pk = `item ${turn}`;
          const outcome = await writeIn(turn, table, pk).catch(() => "lost" as const);
          if (outcome !== "lost") acknowledged.push(pk);
          if (acknowledged.length >= acknowledgedPerLife) dying ??= engine.kill();
        }
      };
      await Promise.all(Array.from({ length: writersCount }, write));
      await dying;
      await engine.revive();
      for (const pk of acknowledged)
        for (const sk of parts) if (!(await table.get({ pk, sk }))) lost.push(`life ${life}: ${pk} ${sk}`);
      acknowledgedInAll += acknowledged.length;
    }
    client.destroy();
    expect(lost).toEqual([]);
    console.log(`${kills} kills: none of ${acknowledgedInAll} acknowledged writes lost`);
  },
  timeoutMs,
);

/** The engine's answer to a client with the access key that every local tool uses. */
async function tablesAt(endpoint: string): Promise<unknown> {
  const answer = await fetch(endpoint, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": "DynamoDB_20120810.ListTables",
      authorization:
        "AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
    },
    body: "{}",
  });
  return await answer.json();
}

test.skipIf(chooseEngine().startProxy === undefined)(
  "a client on the port of an engine that listens to the network sees no data under another access key",
  async () => {
    expect(await tablesAt(engine.endpoint)).toMatchObject({ TableNames: ["acknowledged"] });
    expect(await tablesAt(engine.address)).toMatchObject({ TableNames: [] });
  },
);
