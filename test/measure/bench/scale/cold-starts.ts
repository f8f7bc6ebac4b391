import { operations } from "../../../../lib/contract/operations.ts";
import { functionSettings } from "../../../../lib/contract/platform.ts";
import { awsLogBytes, bytesPerGigabyte, prices } from "../cost/prices.ts";
import { assumed } from "./assumptions.ts";
import { measured, rowsOf } from "./measured.ts";
import { monthlyPrices } from "./monthly-prices.ts";
import { seeded } from "./simulate.ts";

const imports = new Map(
  rowsOf("cold-start", "Every function against the bare client").map((row) => [
    String(row.bundle),
    Number(row["ms, median"]),
  ]),
);
const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
const usualImportMs = median(operations.flatMap(({ source }) => imports.get(source) ?? []));
/** What the first request of a process takes beside the import. */
const firstRequestMs =
  measured("cold-start", "Import and first request", ["ours"], "ms, median") - usualImportMs;

/** The milliseconds that a cold call takes longer. */
export const coldMs = Math.round(assumed.runtimeStartMs + usualImportMs + firstRequestMs);

type Started = {
  /** The operation's share of all calls. */
  readonly share: number;
  readonly initMs: number;
  readonly gigabytes: number;
};

/** As many calls of each operation as its rate limit allows, in proportion. */
const started: readonly Started[] = (() => {
  // A new operation counts from the next benchmark on: until then it changes no row.
  const known = operations.filter(({ source }) => imports.has(source));
  const rates = known.map(({ rateLimit }) => rateLimit.requestsMax / rateLimit.windowSeconds);
  const all = rates.reduce((sum, rate) => sum + rate, 0);
  return known.map(({ source, streaming }, index) => ({
    share: (rates[index] ?? 0) / all,
    initMs: assumed.runtimeStartMs + (imports.get(source) ?? usualImportMs),
    gigabytes: functionSettings[streaming ? "streaming" : "operation"].memoryMegabytes / 1024,
  }));
})();

const simulatedCalls = 30_000;
type Environment = { readonly bornMs: number; freeAtMs: number };

/**
 * The share of cold calls of one function, simulated: calls come at random moments, each takes the environment that was
 * free last, and Lambda ends environments that are idle or old.
 */
export function coldShare(callsPerSecond: number): number {
  const random = seeded(20_261_118);
  const idleMs = assumed.idleMinutesOfEnvironment * 60_000;
  const lifeMs = assumed.hoursOfEnvironment * 3_600_000;
  let environments: Environment[] = [];
  let cold = 0;
  let nowMs = 0;
  for (let call = 0; call < simulatedCalls; call++) {
    nowMs += (-Math.log(1 - random()) * 1_000) / callsPerSecond;
    environments = environments.filter(
      ({ bornMs, freeAtMs }) => nowMs - freeAtMs < idleMs && nowMs - bornMs < lifeMs,
    );
    const warm = environments
      .filter(({ freeAtMs }) => freeAtMs <= nowMs)
      .toSorted((one, other) => other.freeAtMs - one.freeAtMs)[0];
    const environment = warm ?? { bornMs: nowMs, freeAtMs: 0 };
    environment.freeAtMs = nowMs + assumed.callMs + (warm ? 0 : coldMs);
    if (warm) continue;
    cold += 1;
    environments.push(environment);
  }
  return cold / simulatedCalls;
}

const gigabyteSecondDollars = ({ initMs, gigabytes }: Started): number =>
  (initMs / 1_000) * gigabytes * prices.lambdaGigabyteSecond;

/** Cold calls at three sizes, and what Lambda charges for their init time. */
export function coldTable() {
  return [1e3, 1e5, 1e7].map((callsPerDay) => {
    const cold = started.map((each) => {
      const share = each.share * coldShare((each.share * callsPerDay) / 86_400);
      return { share, dollars: share * callsPerDay * assumed.daysOfMonth * gigabyteSecondDollars(each) };
    });
    const sum = (of: (each: (typeof cold)[number]) => number) =>
      cold.reduce((total, each) => total + of(each), 0);
    const share = sum((each) => each.share);
    return {
      "calls a day": callsPerDay.toLocaleString("en-US"),
      "cold, %": (100 * share).toFixed(share < 0.01 ? 2 : 0),
      "cold calls a day": Math.round(share * callsPerDay).toLocaleString("en-US"),
      "init time, $ a month": sum((each) => each.dollars).toFixed(2),
    };
  });
}

/** Functions of a customer's nightly export: three datasets of metrics, Learnings, findings and the audit log. */
const exportFunctions = 6;
const pingsPerMonth = (assumed.daysOfMonth * 24 * 60) / 5;
const pingMs = 2;

/** What it would cost a month to have fewer cold calls, and what it would bring. */
export function warmTable() {
  const streaming = functionSettings.streaming.memoryMegabytes / 1024;
  const pings =
    exportFunctions *
    pingsPerMonth *
    (prices.lambdaRequestsMillion / 1e6 +
      (pingMs / 1_000) * streaming * prices.lambdaGigabyteSecond +
      (awsLogBytes.lambda / bytesPerGigabyte) * prices.logsGigabyte);
  const provisioned = started.reduce(
    (sum, { gigabytes }) =>
      sum + gigabytes * assumed.daysOfMonth * 86_400 * monthlyPrices.provisionedGigabyteSecond.dollars,
    0,
  );
  const saved = ((exportFunctions * coldMs) / 1_000).toFixed(1);
  return [
    {
      way: `invoke the ${exportFunctions} functions of an export every five minutes`,
      "$ a month": pings.toFixed(2),
      "what it brings": `a nightly export is ${saved} s shorter; callers at the same moment are still cold`,
    },
    {
      way: "provisioned concurrency of one for every operation",
      "$ a month": provisioned.toFixed(2),
      "what it brings": "no cold call up to one call at a time of each operation",
    },
    {
      way: "more memory",
      "$ a month": "in proportion",
      "what it brings": "nothing: during init Lambda gives a function a whole processor at any size",
    },
    { way: "nothing", "$ a month": "0.00", "what it brings": `a cold call takes ${coldMs} ms longer` },
  ];
}
