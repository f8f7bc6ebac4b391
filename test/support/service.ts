import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { seedDemo } from "../../cli/commands/dev.ts";
import type { OutgoingEvent } from "../../lib/events/send.ts";
import { sendAll } from "../../lib/events/send-all.ts";
import { dataDirectory } from "../../lib/local/data-directory.ts";
import type { DemoKeys } from "../../lib/local/demo/keys.ts";
import { type Engine, startEngine } from "../../lib/local/engine/engine.ts";
import { startService } from "../../lib/local/service.ts";
import { defaultDataPath } from "../../lib/operator/connection.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { askDiskEngine } from "./shared-engine.ts";
import { demoData } from "./tool.ts";

export type TestService = {
  readonly url: string;
  /** A folder for the files of tests. Commands that run there find the service without `--data`. */
  readonly home: string;
  /** Its data directory, for commands with `--data`. */
  readonly folder: string;
  /** Keys of the demo, one of each kind. */
  readonly keys: DemoKeys;
};

export type TestServiceOptions = {
  /** Includes the whole demo. */
  readonly demo?: boolean;
  /** Applied before the service listens. */
  readonly events?: readonly OutgoingEvent[];
};

/**
 * The local service in this process, for one test file: equivalent for everything that does not depend on a separate
 * process, and much cheaper. `test/system/cli/dev.test.ts` starts the real one.
 */
export function useService({ demo = false, events = [] }: TestServiceOptions = {}): () => TestService {
  let running: (TestService & { stop(): Promise<void> }) | undefined;
  beforeAll(async () => {
    const home = await mkdtemp(join(tmpdir(), "review-api-"));
    const folder = join(home, defaultDataPath);
    await mkdir(folder);
    if (demo) await cp(await demoData(), folder, { recursive: true });
    const directory = dataDirectory(folder);
    // The functions' logs are for operators.
    process.env.LOG_LEVEL ??= "silent";
    let keys: DemoKeys = {};
    const service = await startService({
      directory,
      port: 0,
      fresh: false,
      startEngine: startOnSharedEngine,
      log: () => undefined,
      seed: async (backend, queuePoller) => {
        if (demo)
          keys = await seedDemo(backend, queuePoller, directory, { say: () => undefined, watched: false });
        await sendAll({ queue: backend.queue.events, bucket: backend.bucket }, events);
        await queuePoller.drain();
      },
    });
    const stop = async () => {
      await service.stop();
      await rm(home, { recursive: true, force: true });
    };
    running = { url: service.url, home, folder, keys, stop };
  });
  afterAll(() => running?.stop());
  return () => {
    if (!running) throw new Error("The service is there only inside tests and hooks.");
    return running;
  };
}

/** A separate database on the engine that all services of the run share. */
async function startOnSharedEngine(wanted: Parameters<typeof startEngine>[0] = {}): Promise<Engine> {
  const shared = await askDiskEngine();
  const { kind, dataPath } = wanted;
  if (!shared || !kind?.startProxy || dataPath === undefined) return await startEngine(wanted);
  await moveDatabase(dataPath, shared.folder);
  const { endpoint, close } = await kind.startProxy(shared.port, dataPath);
  return { kind, endpoint, ended: new Promise(() => undefined), stop: close };
}

/**
 * DynamoDB Local keeps a database per access key id, in a file that is named after it. The data gets a new id, so that
 * services with the same demo do not share data.
 */
async function moveDatabase(dataPath: string, folder: string): Promise<void> {
  await mkdir(dataPath, { recursive: true });
  const accessKeyId = systemRandom.uuid().replaceAll("-", "");
  for (const name of await readdir(dataPath)) {
    const file = join(dataPath, name);
    if (name.endsWith(".db")) await rename(file, join(folder, name.replace(/^[^_]+/, accessKeyId)));
  }
  await writeFile(join(dataPath, "access-key-id"), `${accessKeyId}\n`);
}

/** The tool in this process calls the service, with the workspace's key unless a test says otherwise. */
export function useEnvironmentOf(service: () => TestService): void {
  beforeEach(() => {
    // Neither the folder of the run nor the home of whoever runs it may name a key.
    vi.stubEnv("REVIEW_API_ENV_FILE", "");
    vi.stubEnv("XDG_CONFIG_HOME", service().home);
    vi.stubEnv("REVIEW_API_URL", service().url);
    vi.stubEnv("REVIEW_API_KEY", service().keys.workspace);
  });
  afterEach(() => vi.unstubAllEnvs());
}
