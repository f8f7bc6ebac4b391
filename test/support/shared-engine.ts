import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { freePort, portOf, startProcess } from "../../cli/local/engine/child.ts";
import { chooseEngine, engineVariable, startEngine } from "../../cli/local/engine/engine.ts";
import type { EngineKind } from "../../cli/local/engine/kind.ts";

export const sharedEndpointVariable = "TEST_DYNAMODB_ENDPOINT";
const diskEngineVariable = "TEST_DISK_ENGINE";

/** Before the first test: one engine for all tests, if a test file cannot start its own in milliseconds. */
export default async function shareEngine(): Promise<(() => Promise<void>) | undefined> {
  const kind = chooseEngine();
  process.env[engineVariable] = kind.name;
  if (kind.startsAtOnce) return undefined;
  const engine = await startEngine({ kind, isForManyCalls: true });
  process.env[sharedEndpointVariable] = engine.endpoint;
  const diskEngine = await offerDiskEngine(kind);
  process.env[diskEngineVariable] = diskEngine.url;
  return async () => {
    await engine.stop();
    await diskEngine.stop();
  };
}

const diskEngineSchema = z.object({ port: z.int(), folder: z.string() });
/** An engine with its data on disk: its address and the folder of its files. */
export type DiskEngine = z.output<typeof diskEngineSchema>;

/** The engine that local services of this run share; undefined if each starts its own in milliseconds. */
export async function diskEngine(): Promise<DiskEngine | undefined> {
  const url = process.env[diskEngineVariable];
  return url === undefined ? undefined : diskEngineSchema.parse(await (await fetch(url)).json());
}

/** Starts the engine when a test first needs it: most runs of one area never do. */
async function offerDiskEngine(kind: EngineKind): Promise<{ readonly url: string; stop(): Promise<void> }> {
  let starting: ReturnType<typeof startDiskEngine> | undefined;
  const server = createServer((_, response) => {
    starting ??= startDiskEngine(kind);
    starting.then(
      ({ port, folder }) => response.end(JSON.stringify({ port, folder })),
      (error: unknown) => response.writeHead(500).end(JSON.stringify(String(error))),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await (await starting)?.stop();
    },
  };
}

async function startDiskEngine(kind: EngineKind): Promise<DiskEngine & { stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "review-api-engine-"));
  const port = await freePort();
  const running = await startProcess(kind.command(port, folder), `http://127.0.0.1:${port}`);
  const stop = async () => {
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { port, folder, stop };
}
