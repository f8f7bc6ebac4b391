import { expect, test } from "vitest";
import { startCountedEngine } from "../support/counted-engine.ts";
import { openTable } from "./events.ts";
import { countUnits, writeUnitsMax } from "./units.ts";

test("the metrics of a pull request take at most the write units that the costs count with", async () => {
  const engine = await startCountedEngine();
  try {
    const units = await countUnits(await openTable(engine), 2);
    const ofMetrics = units.filter(({ part }) => part === "metrics");
    expect(ofMetrics.filter(({ writeUnits }) => writeUnits > writeUnitsMax)).toEqual([]);
    expect(Math.max(...ofMetrics.map(({ writeUnits }) => writeUnits))).toBeGreaterThan(writeUnitsMax - 1);
  } finally {
    await engine.stop();
  }
});
