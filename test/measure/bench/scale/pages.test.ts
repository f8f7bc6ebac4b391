import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { operations } from "../../../../lib/contract/operations.ts";
import { plainTemplate } from "../../../system/infra/built-templates.ts";
import { synthesize } from "../../../system/infra/synthesize.ts";
import { awsLogBytes } from "../cost/prices.ts";
import { indexedLearnings } from "../search/stock.ts";
import { toAttributes } from "../support/attributes.ts";
import { itemBytes } from "../support/engine-file.ts";
import { coldShare, coldTable, warmTable } from "./cold-starts.ts";
import { allWorkers, simulatedShare, slowChangedStream, slowStream, slowStreamMin } from "./figures.ts";
import { monthlyPrices } from "./monthly-prices.ts";
import { fullOptions, idleDollars, moreMetricsDollars, pages, pageWithTables } from "./pages.ts";
import { committedCounts, requestTable } from "./requests.ts";
import { idleMetrics, resourceCosts, usedMetrics } from "./resources.ts";
import { capacityOf, keepsUpTogether, simulateStream } from "./simulate.ts";

const templates = { plain: plainTemplate(), full: synthesize(fullOptions) };

describe("the pages on cost and scale", () => {
  test.each(pages)("%s has the figures that npm run scale writes", (page) => {
    const text = readFileSync(page, "utf8");
    expect(pageWithTables(text, templates)).toBe(text);
  });

  test("a resource without a price is refused by its name", () => {
    const unknown = { Type: "AWS::RDS::DBCluster", Properties: {} };
    const template = { ...templates.plain, Resources: { ...templates.plain.Resources, Cluster: unknown } };
    expect(() => resourceCosts(template)).toThrow("AWS::RDS::DBCluster has no price");
  });

  test("every option with a monthly cost is in the sum", () => {
    const { encryptionKey, firewall, firewallRule } = monthlyPrices;
    expect(idleDollars(templates.full) - idleDollars(templates.plain)).toBeCloseTo(
      encryptionKey.dollars + firewall.dollars + 4 * firewallRule.dollars,
      5,
    );
  });

  test("every operation of the contract is priced, and one without a count is refused by its name", () => {
    expect(new Set(requestTable().map(({ operation }) => operation))).toEqual(
      new Set([...operations.map(({ id }) => id), "mcp"]),
    );
    const counts = committedCounts().replaceAll(/^rotateKey.*\n/gm, "");
    expect(() => requestTable(operations, counts)).toThrow(
      "rotateKey has no file in test/measure/bench/round-trips",
    );
  });

  test("an operation's price includes its embeddings; an operation without an estimate is refused by name", () => {
    const priced = requestTable().filter(({ Bedrock }) => Bedrock !== "–");
    expect(new Set(priced.map(({ operation }) => operation))).toEqual(
      new Set(["createLearnings", "searchLearnings", "updateLearning"]),
    );
    const counts = committedCounts().replace("createLearnings, one:", "createLearnings, two:");
    expect(() => requestTable(operations, counts)).toThrow("createLearnings, two: say in");
  });

  test("a search reads no item of more than one unit: Learnings and vectors are smaller than 4 KB", async () => {
    for await (const { learning, vector } of indexedLearnings(3))
      for (const item of [learning, vector]) expect(itemBytes(toAttributes(item))).toBeLessThan(4_096);
  });

  test("the metrics in the cost are those that log lines can contain", () => {
    expect(idleMetrics).toBe(7);
    // The limiter's, the searches', the refused searches', and three that filters count.
    const filters = Object.values(templates.plain.Resources).filter(
      ({ Type }) => Type === "AWS::Logs::MetricFilter",
    );
    const counted = new Set(filters.map((each) => /"MetricName":"(\w+)"/.exec(JSON.stringify(each))?.[1]));
    expect(usedMetrics).toBe(7 + 3 + counted.size);
  });

  test("the smallest month of a stack costs at most fifteen dollars", () => {
    expect(idleDollars(templates.plain) + moreMetricsDollars).toBeLessThanOrEqual(15);
  });

  // The first paragraph answers in a sentence: test/docs compares its numbers with the tables.
  test.each(pages)("the prose of %s contains no numbers: figures are in generated tables", (page) => {
    const prose = readFileSync(page, "utf8")
      .replace(/^# .*\n\n[^\n]+(?:\n[^\n]+)*\n/, "")
      .replaceAll(/<!-- (\w+): npm run scale -->.*?<!-- end of \1 -->/gs, "")
      .replaceAll(/`[^`]*`|\]\([^)]*\)|us-east-1|\d{4}-\d{2}-\d{2}/g, "");
    expect(prose.match(/[\d,.]*\d+/g) ?? []).toEqual([]);
  });
});

test("the cost of logs counts the lines that AWS writes, as long as they are", () => {
  const sample: Readonly<Record<string, string>> = {
    requestId: "6f1d3b5e-0c1f-4d3a-9a55-0123456789ab",
    extendedRequestId: "JjKx1H2tDoEFa3A=",
    "integration.requestId": "6f1d3b5e-0c1f-4d3a-9a55-0123456789ab",
    awsEndpointRequestId: "6f1d3b5e-0c1f-4d3a-9a55-0123456789ab",
    requestTimeEpoch: "1790000000000",
    "identity.sourceIp": "203.0.113.77",
    httpMethod: "GET",
    resourcePath: "/v1/metrics/review-comments",
    status: "200",
    responseLength: "12345",
    responseLatency: "123",
    integrationLatency: "119",
    "integration.status": "200",
    integrationStatus: "200",
  };
  const stage = Object.values(templates.plain.Resources).find(
    ({ Type }) => Type === "AWS::ApiGateway::Stage",
  );
  const [, format = ""] = /"Format":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(stage?.Properties)) ?? [];
  const line = String(JSON.parse(format)).replaceAll(
    /\$context\.([\w.]+)/g,
    (_, name: string) => sample[name] ?? "-",
  );
  expect(Math.abs(line.length - awsLogBytes.accessLog) / awsLogBytes.accessLog).toBeLessThan(0.1);
  const id = sample.requestId;
  const lambdas = [
    `START RequestId: ${id} Version: $LATEST\n`,
    `END RequestId: ${id}\n`,
    `REPORT RequestId: ${id}\tDuration: 23.45 ms\tBilled Duration: 24 ms\tMemory Size: 1024 MB\tMax Memory Used: 98 MB\t\n`,
  ];
  expect(Math.abs(lambdas.join("").length - awsLogBytes.lambda) / awsLogBytes.lambda).toBeLessThan(0.1);
});

describe("cold starts", () => {
  test("a function that is called once a day is always cold, one that is called every second almost never", () => {
    expect(coldShare(1 / 86_400)).toBeGreaterThan(0.99);
    expect(coldShare(1)).toBeLessThan(0.001);
    expect(coldShare(1 / 600)).toBeGreaterThan(0.3);
  });

  test("with more calls the share of cold ones falls, and init time stays cheaper than warmth", () => {
    const shares = coldTable().map((row) => Number(row["cold, %"]));
    expect(shares).toEqual(shares.toSorted((one, other) => other - one));
    const [, provisioned] = warmTable();
    for (const row of coldTable())
      expect(Number(row["init time, $ a month"])).toBeLessThan(Number(provisioned?.["$ a month"]));
  });
});

test("one tenant's stream takes a hundred events a second on a slow day, also if all change older entries", () => {
  expect(slowStream).toBeGreaterThanOrEqual(slowChangedStream);
  expect(slowChangedStream).toBeGreaterThanOrEqual(slowStreamMin);
});

test("all workers together keep up at the rate that the page says, and not above what they can do", () => {
  const most = slowStream * allWorkers.workers;
  expect(keepsUpTogether({ ...allWorkers, eventsPerSecond: simulatedShare * most })).toBe(true);
  expect(keepsUpTogether({ ...allWorkers, eventsPerSecond: 1.3 * most })).toBe(false);
});

describe("the simulated stream", () => {
  const load = { batchMax: 10, tripsPerBatch: 6, tripMs: 5, workMsEach: 2, handoverMs: 20 };

  test("the simulated stream keeps up below its capacity and falls behind above it", () => {
    const most = capacityOf(load);
    expect(simulateStream({ ...load, eventsPerSecond: most * 0.8 }).keepsUp).toBe(true);
    expect(simulateStream({ ...load, eventsPerSecond: most * 1.2 }).keepsUp).toBe(false);
  });

  test("a single event waits only for its own batch", () => {
    const { waitMsP50 } = simulateStream({ ...load, eventsPerSecond: 0.1 });
    expect(waitMsP50).toBeCloseTo(20 + 6 * 5 + 2, 5);
  });

  test("the simulated stream handles several times as many events in batches of ten", () => {
    expect(capacityOf(load) / capacityOf({ ...load, batchMax: 1 })).toBeGreaterThan(3);
  });
});
