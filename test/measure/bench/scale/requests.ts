import { readdirSync, readFileSync } from "node:fs";
import type { Operation } from "../../../../lib/contract/operation.ts";
import { operations } from "../../../../lib/contract/operations.ts";
import { assumedTripMs, awsLogDollars, dynamoDollars, lambdaDollars, prices } from "../cost/prices.ts";
import { assumed } from "./assumptions.ts";
import { rowsOf } from "./measured.ts";
import { monthlyPrices } from "./monthly-prices.ts";

/** Trips and units of a request, which test/measure/bench/round-trips counts for every operation of the contract. */
type Count = {
  readonly operation: string;
  readonly request: string;
  readonly trips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
};

const line = /^(\w+), (.+): ([\d.]+) trips, [\d.]+ calls, ([\d.]+) read units, ([\d.]+) write units$/;

const countsFolder = new URL("../round-trips/counts/", import.meta.url);

export const committedCounts = (): string =>
  readdirSync(countsFolder)
    .toSorted()
    .map((name) => readFileSync(new URL(name, countsFolder), "utf8"))
    .join("");

const countsOf = (text: string): readonly Count[] =>
  text
    .trim()
    .split("\n")
    .map((each) => {
      const [, operation = "", request = "", trips, readUnits, writeUnits] = line.exec(each) ?? [];
      if (operation === "") throw new Error(`"${each}" is not a count.`);
      return {
        operation,
        request,
        trips: Number(trips),
        readUnits: Number(readUnits),
        writeUnits: Number(writeUnits),
      };
    });

/** A Learning of 400 characters. */
export const tokensOfLearning = 100;

/** Tokens that a request embeds: for every operation that uses the embedder, and each of its requests. */
const embeddedTokens: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  createLearnings: { one: tokensOfLearning, "100": 100 * tokensOfLearning, "100 duplicates": 0 },
  searchLearnings: { "a question": 10, "a change, of a member": 5_000 },
  updateLearning: { one: tokensOfLearning, "10,000 characters": 2_500 },
};

function tokensOf({ id, uses = [] }: Operation, request: string): number {
  if (!uses.includes("embedder")) return 0;
  const tokens = embeddedTokens[id]?.[request];
  if (tokens === undefined)
    throw new Error(
      `${id}, ${request}: say in test/measure/bench/scale/requests.ts how many tokens it has embedded.`,
    );
  return tokens;
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

type Timed = {
  readonly operation: string;
  readonly request: string;
  readonly ms: number;
  readonly data: number;
};

const timedRequests = (): readonly Timed[] =>
  rowsOf("cost", "Dollars per million requests").map((row) => ({
    operation: String(row.operation),
    request: String(row.request),
    ms: Number(row["ms here"]),
    data: Number(row["logs and data out"]),
  }));

/** A function's own time, its logs and data out: of this request if it was timed, otherwise of similar ones. */
function timesOf({ operation, request }: Count, timed: readonly Timed[]) {
  const same = timed.filter((each) => each.operation === operation && each.request === request);
  const alike = timed.filter((each) => each.operation === operation);
  const [sample, isMeasured] = same.length > 0 ? [same, true] : [alike.length > 0 ? alike : timed, false];
  return {
    ms: median(sample.map(({ ms }) => ms)),
    data: median(sample.map(({ data }) => data)),
    isMeasured,
  };
}

/** Small and large organizations may cost the same, and then share a name. */
const distinct = (counts: readonly Count[]): readonly Count[] => [
  ...new Map(counts.map((count) => [JSON.stringify(count), count])).values(),
];

/** The tool call of an assistant is a second call beside the one that it makes: its function waits for that answer. */
const assistantRow = () => {
  const billedMs = assumed.callMs;
  const lambda = lambdaDollars({ billedMs, streaming: true });
  const gateway = prices.restApiRequestsMillion;
  return {
    operation: "mcp",
    request: "a tool call, beside the call that it makes",
    total: (lambda + gateway + awsLogDollars).toFixed(2),
    DynamoDB: "–",
    Lambda: lambda.toFixed(2),
    Bedrock: "–",
    "API Gateway": gateway.toFixed(2),
    "logs and data out": awsLogDollars.toFixed(2),
    time: "assumed",
  };
};

/** Every operation of the contract, from its committed counts; throws if one has no count. */
export function requestTable(
  contract: readonly Operation[] = operations,
  counts: string = committedCounts(),
) {
  const counted = countsOf(counts);
  const timed = timedRequests();
  const rows = contract.flatMap((operation) => {
    const own = distinct(counted.filter((each) => each.operation === operation.id));
    if (own.length === 0)
      throw new Error(`${operation.id} has no file in test/measure/bench/round-trips/counts: count it.`);
    return own.map((count) => {
      const { ms, data: ownData, isMeasured } = timesOf(count, timed);
      const data = ownData + awsLogDollars;
      const dynamo = dynamoDollars(count);
      const billedMs = ms + count.trips * assumedTripMs;
      const lambda = lambdaDollars({ billedMs, streaming: operation.streaming });
      const tokens = tokensOf(operation, count.request);
      const bedrock = tokens * monthlyPrices.embeddingTokensMillion.dollars;
      const gateway = prices.restApiRequestsMillion;
      return {
        operation: operation.id,
        request: count.request,
        total: (dynamo + lambda + bedrock + gateway + data).toFixed(2),
        DynamoDB: dynamo.toFixed(2),
        Lambda: lambda.toFixed(2),
        Bedrock: bedrock === 0 ? "–" : bedrock.toFixed(2),
        "API Gateway": gateway.toFixed(2),
        "logs and data out": data.toFixed(2),
        time: isMeasured ? "measured" : "assumed",
      };
    });
  });
  return [...rows, assistantRow()];
}
