import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { synthesize } from "../../infra/synthesize.ts";
import { fullOptions, idleDollars, pages, pageWithTables } from "./pages.ts";
import { fixedPrices, resourceCosts } from "./resources.ts";
import { capacityOf, simulateStream } from "./simulate.ts";

const templates = { plain: synthesize(), full: synthesize(fullOptions) };

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

  test("every option that costs by the month shows in the sum", () => {
    const { encryptionKey, firewall, firewallRule } = fixedPrices;
    expect(idleDollars(templates.full) - idleDollars(templates.plain)).toBeCloseTo(
      encryptionKey + firewall + 3 * firewallRule,
      5,
    );
  });
});

describe("the simulated stream", () => {
  const load = { batchMax: 10, tripsPerBatch: 6, workMsEach: 2, handoverMs: 20 };

  test("keeps up below its capacity and falls behind above it", () => {
    const most = capacityOf(load);
    expect(simulateStream({ ...load, eventsPerSecond: most * 0.8 }).keepsUp).toBe(true);
    expect(simulateStream({ ...load, eventsPerSecond: most * 1.2 }).keepsUp).toBe(false);
  });

  test("an event alone waits for its own batch and nothing else", () => {
    const { waitMsP50 } = simulateStream({ ...load, eventsPerSecond: 0.1 });
    expect(waitMsP50).toBeCloseTo(20 + 6 * 5 + 2, 5);
  });

  test("takes several times as many events in batches of ten", () => {
    expect(capacityOf(load) / capacityOf({ ...load, batchMax: 1 })).toBeGreaterThan(3);
  });
});
