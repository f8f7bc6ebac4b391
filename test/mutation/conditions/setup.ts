import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect } from "vitest";

/** Holds for every item and for none. */
const always = { any: [{ absent: "pk" }, { present: "pk" }] };
const dropped = process.env.CONDITION_DROPPED;
const folder = process.env.CONDITIONS_REACHED;
const reached = new Set<string>();

/** The condition, unless this run drops it. */
function conditionOf(id: string, condition: unknown): unknown {
  if (condition === undefined) return undefined;
  reached.add(id);
  return id === dropped ? always : condition;
}
Object.assign(globalThis, { conditionOf });

/** Which test file reaches which condition: only these can notice that it is dropped. */
if (folder)
  afterAll(() => {
    const report = { file: expect.getState().testPath, reached: [...reached] };
    writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify(report));
  });
