import * as z from "zod";
import { type OperationId, operations } from "../../../../lib/contract/operations.ts";
// A warm function has loaded what it loads with its first request.
import "../../../../lib/learnings/create.ts";
import "../../../../lib/learnings/update.ts";
import { forgetRequests } from "../../../support/forget-requests.ts";
import { type Snapshot, snapshotOf } from "../../../support/snapshot.ts";
import { type BenchApi, type BenchRequest, openBenchApi } from "../support/bench-api.ts";
import { type Lockstep, roundsInWords, startLockstep } from "../support/lockstep.ts";
import { goToMidMonth } from "../support/mid-month.ts";
import { type Case, casesOf, tripsMaxOf } from "./cases.ts";
import { buildWorld, type Sizes } from "./world.ts";

export type Count = {
  readonly operation: OperationId;
  readonly size: Case["size"];
  readonly name: string;
  readonly tripsMax: number;
  readonly trips: number;
  readonly calls: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** The requests to DynamoDB, round by round. */
  readonly rounds: string;
  readonly bytes: number;
};

/** Counts each case of an operation through its real handler, on a warm function. */
export type Counter = {
  countsOf(operation: OperationId): Promise<Count[]>;
  close(): Promise<void>;
};

export async function openCounter(sizes: Sizes): Promise<Counter> {
  let lockstep: Lockstep | undefined;
  let snapshot: Snapshot | undefined;
  const between = async (engine: string) => {
    lockstep = await startLockstep(engine, (call) => snapshot?.note(call));
    return lockstep;
  };
  await loadEverything();
  const leaveMidMonth = goToMidMonth();
  const api = await openBenchApi({ between });
  const cases = casesOf(await buildWorld(api.table, sizes));
  snapshot = await snapshotOf(api.table);
  return {
    async countsOf(operation) {
      if (!lockstep) throw new Error("The handlers must ask through the rounds.");
      // In the same world, in a function that remembers nothing: no operation changes the counts of another.
      await snapshot?.restore();
      forgetRequests();
      const counts: Count[] = [];
      for (const each of cases(operation))
        counts.push({ operation, ...(await countCase(api, lockstep, each)) });
      return counts;
    },
    async close() {
      leaveMidMonth();
      await api.close();
    },
  };
}

export async function countEverything(sizes: Sizes): Promise<Count[]> {
  const counter = await openCounter(sizes);
  try {
    const counts: Count[] = [];
    for (const { id } of operations) counts.push(...(await counter.countsOf(id)));
    return counts;
  } finally {
    await counter.close();
  }
}

/** What functions load when they first need it: a request that waits for a file would count as one more round. */
async function loadEverything(): Promise<void> {
  await import("../../../../lib/learnings/create.ts");
  await import("../../../../lib/learnings/update.ts");
  await import("../../../../lib/learnings/delete.ts");
  await import("../../../../lib/security/sarif.ts");
}

async function countCase(
  api: BenchApi,
  lockstep: Lockstep,
  { name, size, budget, resumed, cold, request: first }: Case,
): Promise<Omit<Count, "operation">> {
  const request = resumed ? await resumedAfter(api, first) : first;
  if (!cold) await warm(api, request, budget.kind === "read");
  lockstep.takeRounds();
  const { meter, body } = await api.count(request);
  const rounds = lockstep.takeRounds();
  return {
    size,
    name,
    tripsMax: tripsMaxOf(budget),
    trips: rounds.length,
    calls: meter.calls.length,
    readUnits: meter.readUnits,
    writeUnits: meter.writeUnits,
    rounds: roundsInWords(rounds),
    bytes: body.length,
  };
}

/** Walks to the end; returns the request that continues from there. */
async function resumedAfter(api: BenchApi, first: BenchRequest): Promise<BenchRequest> {
  const sign = first.target.includes("?") ? "&" : "?";
  const after = (cursor: string): BenchRequest => ({
    ...first,
    target: `${first.target}${sign}cursor=${encodeURIComponent(cursor)}`,
  });
  for (let request = first; ; ) {
    const { headers, body } = await api.count(request);
    const resume = headers.get("x-resume-cursor");
    if (resume !== undefined) return after(resume);
    const { next_cursor } = pageShape.parse(JSON.parse(body.toString()));
    request = after(next_cursor);
  }
}

const pageShape = z.object({ next_cursor: z.string() });

/** Once a minute a request records the use of the key and looks for new cursor keys: this one does not. */
async function warm(api: BenchApi, request: BenchRequest, isRead: boolean): Promise<void> {
  await api.count(isRead ? request : { key: request.key, target: "/v1/whoami" });
}
