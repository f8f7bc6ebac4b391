import { operations } from "../../../../lib/contract/operations.ts";
import { casesOf } from "../round-trips/cases.ts";
import { buildWorld, type Sizes } from "../round-trips/world.ts";
import { type BenchApi, type BenchRequest, openBenchApi } from "../support/bench-api.ts";
import { assumedTripMs, type Dollars, dollarsPerMillion } from "./prices.ts";

export type PricedRequest = {
  readonly operation: string;
  readonly size: string;
  readonly name: string;
  readonly measuredMs: number;
  readonly trips: number;
  readonly dollars: Dollars;
};

/** Within the limits of operations that allow ten calls a minute. */
const timesAsked = 3;

/** The requests of the round trips again, now timed: each answer is compressed and each log line is written. */
export async function priceRequests(sizes: Sizes): Promise<PricedRequest[]> {
  process.env.LOG_LEVEL = "info";
  const api = await openBenchApi();
  try {
    const cases = casesOf(await buildWorld(api.table, sizes));
    const priced: PricedRequest[] = [];
    for (const { id, streaming } of operations) {
      for (const { name, size, budget, request } of cases(id)) {
        const repeats = budget.kind === "read" ? timesAsked : 1;
        if (repeats === 1) await withLog(() => api.count({ key: request.key, target: "/v1/whoami" }));
        const asked = await timed(api, { ...request, compressed: true }, repeats);
        const billedMs = asked.measuredMs + asked.trips * assumedTripMs;
        const dollars = dollarsPerMillion({ ...asked, billedMs, streaming });
        priced.push({ operation: id, size, name, measuredMs: asked.measuredMs, trips: asked.trips, dollars });
      }
    }
    return priced;
  } finally {
    await api.close();
  }
}

async function timed(api: BenchApi, request: BenchRequest, repeats: number) {
  const asked = [];
  for (let time = 0; time < repeats; time++) {
    const { answer, written } = await withLog(() => api.count(request));
    asked.push({ answer, written });
  }
  const times = asked.map(({ answer }) => answer.ms).toSorted((one, other) => one - other);
  const last = asked.at(-1);
  if (!last) throw new RangeError("A request is asked at least once.");
  return {
    measuredMs: times[Math.floor(times.length / 2)] ?? 0,
    trips: last.answer.meter.sequentialRoundTrips,
    readUnits: last.answer.meter.readUnits,
    writeUnits: last.answer.meter.writeUnits,
    answerBytes: last.answer.body.length,
    logBytes: last.written,
  };
}

/** CloudWatch charges for the function's standard output. */
async function withLog<Answer>(work: () => Promise<Answer>): Promise<{ answer: Answer; written: number }> {
  const { write } = process.stdout;
  let written = 0;
  process.stdout.write = (chunk: string | Uint8Array) => {
    written += Buffer.byteLength(chunk);
    return true;
  };
  try {
    return { answer: await work(), written };
  } finally {
    process.stdout.write = write;
  }
}
