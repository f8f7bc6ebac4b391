import { expect, test } from "vitest";
import { slowStreamMin, slowStreamOf } from "../scale/figures.ts";
import { trips } from "../scale/simulate.ts";
import { measureWork, type WorkMs } from "./work.ts";

const batches = 4;
/** While other programs use the machine, a few rounds do not reach the worker's own time: then there are more. */
const triesMax = 4;

/** Another machine may be slower than the one of the report: this detects growth by half. */
const tolerance = 1.5;

const streamOf = ({ added, changed }: WorkMs): number =>
  Math.min(
    slowStreamOf(added / tolerance, trips.newBatch),
    slowStreamOf(changed / tolerance, trips.changedBatch),
  );

test("the worker's own time, measured now, leaves one tenant its least rate of events on a slow day", async () => {
  let best: WorkMs = { added: Infinity, changed: Infinity };
  for (let tries = 1; tries <= triesMax && streamOf(best) < slowStreamMin; tries++) {
    const { added, changed } = await measureWork(batches);
    best = { added: Math.min(best.added, added), changed: Math.min(best.changed, changed) };
    console.log(
      `worker: ${added.toFixed(2)} ms for a new pull request, ${changed.toFixed(2)} ms for a changed one`,
    );
  }
  expect(streamOf(best)).toBeGreaterThanOrEqual(slowStreamMin);
}, 600_000);
