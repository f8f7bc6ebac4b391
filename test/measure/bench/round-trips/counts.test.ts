import { beforeAll, expect, test } from "vitest";
import { operations } from "../../../../lib/contract/operations.ts";
import { type Count, countEverything } from "./count.ts";
import { testSizes } from "./world.ts";

let counts: readonly Count[];
beforeAll(async () => {
  counts = await countEverything(testSizes);
}, 300_000);

test("every operation of the contract is counted, small and large", () => {
  for (const { id } of operations) {
    const sizes = counts.filter(({ operation }) => operation === id).map(({ size }) => size);
    expect([id, new Set(sizes)]).toEqual([id, new Set(["small", "large"])]);
  }
});

test("no request takes more round trips than it may", () => {
  const over = counts.filter(({ trips, tripsMax }) => trips > tripsMax);
  expect(over.map(({ operation, name, trips }) => `${operation}, ${name}: ${trips}`)).toEqual([]);
});

/** A change for the better is committed with `npx vitest run test/measure/bench -u`; one for the worse is a regression. */
test("every request takes exactly the trips, calls and units that are committed", async () => {
  const lines = counts.map(
    ({ operation, name, trips, calls, readUnits, writeUnits }) =>
      `${operation}, ${name}: ${trips} trips, ${calls} calls, ${readUnits} read units, ${writeUnits} write units\n`,
  );
  await expect(lines.join("")).toMatchFileSnapshot("./counts.txt");
});
