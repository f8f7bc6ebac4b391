import type { Embedder } from "../../../lib/index/embedder.ts";
import { StoreUnavailable, type Table } from "../../../lib/store/table.ts";

/** How the n-th call fails. After a crash every later call fails too. */
export const faultKinds = ["not done", "done, unheard", "crash before", "crash after"] as const;
export type FaultKind = (typeof faultKinds)[number];

export class Crash extends Error {
  override readonly name = "Crash";
}

export type Faulty = {
  readonly table: Table;
  readonly embedder: Embedder;
  /** Whether the n-th call happened, so that the fault was applied. */
  readonly struck: () => boolean;
};

/** Table and embedder whose n-th call (of both together) fails. */
export function faulty(table: Table, embedder: Embedder, nth: number, kind: FaultKind): Faulty {
  let calls = 0;
  const unavailable = () => new StoreUnavailable(new Error("planted"), kind === "not done");
  const guard = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    calls++;
    if (calls > nth && kind.startsWith("crash")) throw new Crash();
    if (calls !== nth) return await call();
    if (kind === "not done") throw unavailable();
    if (kind === "crash before") throw new Crash();
    await call();
    throw kind === "crash after" ? new Crash() : unavailable();
  };
  return {
    struck: () => calls >= nth,
    embedder: { id: embedder.id, embed: (text, signal) => guard(() => embedder.embed(text, signal)) },
    table: {
      get: (...input) => guard(() => table.get(...input)),
      getMany: (...input) => guard(() => table.getMany(...input)),
      transactGet: (...input) => guard(() => table.transactGet(...input)),
      queryPage: (...input) => guard(() => table.queryPage(...input)),
      scanPage: (...input) => guard(() => table.scanPage(...input)),
      write: (...input) => guard(() => table.write(...input)),
      transact: (...input) => guard(() => table.transact(...input)),
      writeMany: (...input) => guard(() => table.writeMany(...input)),
    },
  };
}
