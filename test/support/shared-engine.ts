import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { portForLater, startProcess } from "../../lib/local/engine/child.ts";
import { chooseEngine, startEngine } from "../../lib/local/engine/engine.ts";
import { enginesVariable } from "./offer-engines.ts";

const diskEngineSchema = z.object({ port: z.int(), folder: z.string() });
/** An engine with its data on disk: its address and the folder of its files. */
export type DiskEngine = z.output<typeof diskEngineSchema>;

async function ask(path: keyof typeof engines): Promise<unknown> {
  const answer = await fetch(`${process.env[enginesVariable]}/${path}`);
  if (!answer.ok) throw new Error(`The run's engine ${path} did not start: ${await answer.text()}`);
  return await answer.json();
}

/** The name of the engine that `npm start` would use. */
export const askEngineName = async (): Promise<string> => z.string().parse(await ask("name"));

/** The endpoint of the engine in memory that all test files share; null if each starts its own in milliseconds. */
export const askMemoryEngine = async (): Promise<string | null> =>
  z
    .string()
    .nullable()
    .parse(await ask("memory"));

/** The engine that local services of this run share; null if each starts its own in milliseconds. */
export const askDiskEngine = async (): Promise<DiskEngine | null> =>
  diskEngineSchema.nullable().parse(await ask("disk"));

const kind = once(() => chooseEngine());
const starting: Array<Promise<unknown>> = [];
const stops: Array<() => Promise<void>> = [];
/** The answers, in the process that offers the engines; each engine starts once, when it is first asked for. */
const engines = {
  name: async () => kind().name,
  memory: once(async () => {
    if (kind().startsAtOnce) return null;
    const engine = await startEngine({ kind: kind(), isForManyCalls: true });
    stops.push(engine.stop);
    return engine.endpoint;
  }),
  disk: once(async (): Promise<DiskEngine | null> => {
    if (kind().startsAtOnce) return null;
    const folder = await mkdtemp(join(tmpdir(), "review-api-engine-"));
    const port = await portForLater();
    const running = await startProcess(kind().command(port, folder), `http://127.0.0.1:${port}`);
    stops.push(async () => {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    });
    return { port, folder };
  }),
};

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export async function answerEngine(path = ""): Promise<unknown> {
  const name = path.slice(1);
  if (name !== "name" && name !== "memory" && name !== "disk") throw new RangeError(`No engine ${path}.`);
  const answer = engines[name]();
  starting.push(answer);
  return await answer;
}

/** Also engines that are still starting. */
export async function stopEngines(): Promise<void> {
  await Promise.allSettled(starting);
  for (const stop of stops) await stop();
}
