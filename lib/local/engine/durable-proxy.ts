import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Agent, createServer, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { localIdentity } from "../../runtime/aws-identity.ts";
import { systemRandom } from "../../runtime/random.ts";
import { writeWhole } from "../../runtime/write-whole.ts";
import { createLocalStoreClient, type StoreClient } from "../../store/client.ts";
import { EngineError, portOf } from "./child.ts";
import { answerSearchVectors } from "./search-vectors.ts";

export type EngineProxy = { readonly endpoint: string; close(): Promise<void> };

type Headers = Readonly<Record<string, string | string[] | undefined>>;
type Answer = { readonly status: number; readonly headers: Headers; readonly body: Buffer };
type Send = (headers: Headers, body: Buffer) => Promise<Answer>;

const target = (operation: string): string => `DynamoDB_20120810.${operation}`;
const jsonHeaders = { "content-type": "application/x-amz-json-1.0" };

/**
 * A proxy between clients and a DynamoDB Local that keeps data on disk. It fixes three problems:
 * - DynamoDB Local answers TransactWriteItems before it commits, so a kill loses acknowledged writes. DynamoDB
 *   Local processes one queue: when it answers a read that was sent later, it has committed. The proxy sends such a
 *   read and answers afterwards.
 * - DynamoDB Local listens on every network interface. It keeps one database per access key id, so the proxy,
 *   which listens only on 127.0.0.1, uses an access key id that nobody else knows.
 * - DynamoDB Local has no vector index.
 */
export async function startDurableProxy(enginePort: number, dataPath: string): Promise<EngineProxy> {
  const accessKeyId = await keptAccessKeyId(dataPath);
  const engine = `http://127.0.0.1:${enginePort}`;
  const agent = new Agent({ keepAlive: true });
  const credentials = async () => ({ accessKeyId, secretAccessKey: "local" });
  const client = createLocalStoreClient(engine, { region, credentials });
  const send = senderTo(engine, agent, accessKeyId);
  // DynamoDB Local opens the database at the first request, and only then detects a file that is not a database.
  if ((await read(send)) !== 200) throw new EngineError(`The files in ${dataPath} are not a database.`);
  const server = createServer((incoming, response) => {
    // If the engine is gone, a client sees a broken connection, as it would without the proxy.
    answer(client, send, incoming)
      .then(({ status, headers, body }) => response.writeHead(status, headers).end(body))
      .catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${portOf(server)}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      agent.destroy();
      client.destroy();
    },
  };
}

async function answer(client: StoreClient, send: Send, incoming: IncomingMessage): Promise<Answer> {
  const body = Buffer.concat(await Array.fromAsync(incoming));
  const operation = incoming.headers["x-amz-target"];
  if (operation === target("SearchVectors")) {
    const found = await answerSearchVectors(client, JSON.parse(body.toString()));
    return { status: 200, headers: jsonHeaders, body: Buffer.from(JSON.stringify(found)) };
  }
  const answered = await send(incoming.headers, body);
  if (operation === target("TransactWriteItems")) {
    const status = await read(send);
    if (status !== 200) throw new Error(`The engine answered ListTables with ${status}.`);
  }
  return answered;
}

/** The status of a cheap read that accesses the database. */
const read = async (send: Send): Promise<number> =>
  (await send({ ...jsonHeaders, "x-amz-target": target("ListTables") }, Buffer.from('{"Limit":1}'))).status;

function senderTo(engine: string, agent: Agent, accessKeyId: string): Send {
  // DynamoDB Local reads the access key id and the region, and does not verify signatures.
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20260101/${region}/dynamodb/aws4_request, SignedHeaders=host, Signature=0`;
  return (headers, body) =>
    new Promise((resolve, reject) => {
      const outgoing = request(engine, { agent, method: "POST", headers: { ...headers, authorization } });
      outgoing.on("error", reject);
      outgoing.on("response", (incoming) => {
        Array.fromAsync<Buffer>(incoming).then(
          (chunks) =>
            resolve({
              status: incoming.statusCode ?? 502,
              headers: incoming.headers,
              body: Buffer.concat(chunks),
            }),
          reject,
        );
      });
      outgoing.end(body);
    });
}

const { region } = localIdentity;

/** The same for every start with this data. */
async function keptAccessKeyId(dataPath: string): Promise<string> {
  const file = join(dataPath, "access-key-id");
  const kept = await readFile(file, "utf8").catch(() => "");
  if (kept) return kept.trim();
  const made = systemRandom.uuid().replaceAll("-", "");
  await writeWhole(file, `${made}\n`);
  return made;
}
