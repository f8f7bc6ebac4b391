import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventLimits } from "../../../lib/contract/limits.ts";
import { eventQueueSettings } from "../../../lib/contract/platform.ts";
import { ingest } from "../../../lib/contract/workers.ts";
import { useStore } from "../../support/engine.ts";
import { isLong } from "../../support/volume.ts";
import { github, World } from "../../support/world.ts";
import { findingsFile, type Shape } from "./scans.ts";

const store = useStore();
const world = new World(() => store().table);
const run = promisify(execFile);
const files: string[] = [];
afterAll(() => {
  for (const file of files) rmSync(dirname(file), { recursive: true });
});

/** Lambda's runtime gives the heap nine tenths of the function's memory. */
const heapMegabytes = Math.floor(ingest.memoryMegabytes * 0.9);

async function worker(findings: string, scans: number, round: number) {
  const { stdout } = await run(
    process.execPath,
    [
      `--max-old-space-size=${heapMegabytes}`,
      join(import.meta.dirname, "worker.ts"),
      ...[store().endpoint, store().tableName, findings, String(scans), String(round)],
    ],
    { maxBuffer: 1e8 },
  );
  const answer: unknown = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  process.stdout.write(`${stdout.trim().split("\n").at(-1)}\n`);
  return answer;
}

const megabyte = 1_000_000;
const cases: ReadonlyArray<[Shape, number, number]> = isLong
  ? [
      ["typical", 58 * megabyte, eventQueueSettings.batchMessagesMax],
      ["tiny", eventLimits.eventBytesMax - megabyte, 2],
      ["wide", eventLimits.eventBytesMax - megabyte, 2],
    ]
  : [["typical", 20 * megabyte, 1]];

describe("a batch of large scans, each of another group", () => {
  beforeAll(async () => {
    for (let index = 0; index < eventQueueSettings.batchMessagesMax; index++) {
      await world.organization(String(index));
      await world.repository(github(String(index)), "r1");
    }
  });

  test.each(cases)(
    "large scans, first sent and changed, fit the worker's memory: %s findings, %d bytes, %d at once",
    async (shape, bytes, scans) => {
      const findings = findingsFile(bytes, shape);
      files.push(findings);
      const first = await worker(findings, scans, 1);
      const again = await worker(findings, scans, 2);
      for (const outcome of [first, again])
        expect(outcome).toMatchObject({
          left: 0,
          letters: [],
          megabytes: expect.toSatisfy((used: number) => used < ingest.memoryMegabytes),
        });
    },
    600_000,
  );
});
