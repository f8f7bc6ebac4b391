import { startEngine } from "../../../../lib/local/engine/engine.ts";
import { chunksOf } from "../../../../lib/runtime/chunks.ts";
import { github, World } from "../../../support/world.ts";
import { batchesOf, depsOf, ingestAll, openTable, prepare, together } from "./events.ts";

export type WorkMs = {
  /** For an event of a new pull request. */
  readonly added: number;
  /** For an event that changes an older entry. */
  readonly changed: number;
};

const warmUps = 3;
const rounds = 5;

/**
 * Milliseconds of processor time for one event of one tenant, in full batches, garbage collection included. Only this
 * process counts: the engine is a process of its own, without a counter before it. The first batches warm the code up.
 * The result is the best of several rounds: other work on the machine only adds to it.
 */
export async function measureWork(batches: number): Promise<WorkMs> {
  const engine = await startEngine();
  try {
    const table = await openTable(engine);
    const world = new World(() => table);
    const id = github("7400000");
    await world.workspace("worker");
    await prepare(world, id, "worker");
    const deps = depsOf(table);
    const msOf = async (version: 1 | 2) => {
      const all = [...batchesOf(id, (warmUps + rounds) * batches, version)];
      for (const batch of all.splice(0, warmUps * batches)) await ingestAll(deps, batch);
      const times = [];
      for (const round of chunksOf(all, batches)) {
        const before = process.cpuUsage();
        for (const batch of round) await ingestAll(deps, batch);
        const { user, system } = process.cpuUsage(before);
        times.push((user + system) / 1000 / (round.length * together));
      }
      return Math.min(...times);
    };
    return { added: await msOf(1), changed: await msOf(2) };
  } finally {
    await engine.stop();
  }
}
