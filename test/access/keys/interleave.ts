import { AsyncLocalStorage } from "node:async_hooks";
import { StoreUnavailable, type Table } from "../../../lib/store/table.ts";

/** `before`: the store did not get the transaction; `after`: it did, and its answer was lost. */
export type Fault = "before" | "after";

/** One of several callers at the same time. It waits before every call of the store until it is its turn. */
class Caller {
  readonly #waiting: Array<() => void> = [];
  inFlight = 0;
  isDone = false;
  /** Of its next transaction. */
  fault: Fault | undefined;

  get isWaiting(): boolean {
    return this.inFlight === 0 && this.#waiting.length > 0;
  }

  turn(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Calls that were sent together go together. */
  go(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }
}

const callers = new AsyncLocalStorage<Caller>();

/** The next transaction of the caller that runs now fails. */
export function plantFault(fault: Fault | undefined): void {
  const caller = callers.getStore();
  if (caller) caller.fault = fault;
}

/** Runs something between two turns of the callers: nobody else's call comes in between. */
export const betweenTurns = <Result>(run: () => Promise<Result>): Promise<Result> => callers.exit(run);

/** Runs a call of the store when it is its caller's turn; outside of `interleave` at once. */
export async function inTurn<Result>(isTransaction: boolean, call: () => Promise<Result>): Promise<Result> {
  const caller = callers.getStore();
  if (!caller) return await call();
  await caller.turn();
  caller.inFlight++;
  try {
    const fault = isTransaction ? caller.fault : undefined;
    if (fault) caller.fault = undefined;
    if (fault === "before") throw new StoreUnavailable("planted", false);
    const result = await call();
    if (fault === "after") throw new StoreUnavailable("planted", false);
    return result;
  } finally {
    caller.inFlight--;
  }
}

export const tableInTurn = (table: Table): Table => ({
  get: (...call) => inTurn(false, () => table.get(...call)),
  getMany: (...call) => inTurn(false, () => table.getMany(...call)),
  transactGet: (...call) => inTurn(false, () => table.transactGet(...call)),
  queryPage: (...call) => inTurn(false, () => table.queryPage(...call)),
  scanPage: (...call) => inTurn(false, () => table.scanPage(...call)),
  write: (...call) => inTurn(false, () => table.write(...call)),
  transact: (...call) => inTurn(true, () => table.transact(...call)),
  writeMany: (...call) => inTurn(false, () => table.writeMany(...call)),
});

/** Runs the deeds at the same time. `choose` says which of the callers that are not done sends its next calls. */
export async function interleave(
  deeds: ReadonlyArray<() => Promise<void>>,
  choose: (count: number) => number,
): Promise<void> {
  const running = deeds.map((deed) => {
    const caller = new Caller();
    const run = callers.run(caller, deed).finally(() => {
      caller.isDone = true;
    });
    run.catch(() => {});
    return { caller, run };
  });
  for (;;) {
    while (running.some(({ caller }) => !caller.isDone && !caller.isWaiting))
      await new Promise((resolve) => setImmediate(resolve));
    const ready = running.filter(({ caller }) => !caller.isDone);
    if (ready.length === 0) break;
    ready[choose(ready.length)]?.caller.go();
  }
  await Promise.all(running.map(({ run }) => run));
}

/** Calls `run` with one `choose` for each order in which the callers can take turns. Returns how many there were. */
export async function everyOrder(
  run: (choose: (count: number) => number) => Promise<void>,
  ordersMax = Number.POSITIVE_INFINITY,
): Promise<number> {
  let path: Array<{ readonly chosen: number; readonly of: number }> = [];
  for (let orders = 1; ; orders++) {
    let depth = 0;
    await run((of) => {
      const chosen = path[depth]?.chosen ?? 0;
      path[depth++] = { chosen, of };
      return chosen;
    });
    path = path.slice(0, depth);
    while (path.length > 0 && (path.at(-1)?.chosen ?? 0) + 1 >= (path.at(-1)?.of ?? 0)) path.pop();
    const last = path.pop();
    if (!last || orders >= ordersMax) return orders;
    path.push({ ...last, chosen: last.chosen + 1 });
  }
}
