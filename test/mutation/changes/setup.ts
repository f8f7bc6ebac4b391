import { afterAll, expect } from "vitest";
import { readChosen, writeReached } from "./workplace.ts";

/** Holds for every item and for none. */
const always = { any: [{ absent: "pk" }, { present: "pk" }] };
const chosen = readChosen();
const reached = new Set<string>();

function isMade(id: string): boolean {
  reached.add(id);
  return id === chosen;
}
const conditionOf = (id: string, condition: unknown): unknown =>
  condition !== undefined && isMade(id) ? always : condition;
Object.assign(globalThis, { isMade, conditionOf });

/** Only a test file that reaches the place of a change can notice it. */
if (chosen === null) afterAll(() => writeReached(expect.getState().testPath ?? "", reached));
