import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import * as z from "zod";
import { useDev } from "../../cli/support.ts";
import { timeoutMs, volume } from "../../support/volume.ts";

const dev = useDev();
const program = fileURLToPath(new URL("./memory-run.ts", import.meta.url));
const measured = z.object({
  rows: z.number(),
  bytes: z.number(),
  seconds: z.array(z.number()),
  rssMb: z.number(),
});

/** A million takes two gigabytes of disk and minutes: `LONG=1`. */
const rows = volume(16_000, 1_000_000);
const rowBytes = volume(3_000, 1_000);
const heapMb = volume(40, 64);
/** The process itself, its heap, and the table of changed things: 96 bytes each while it grows, and a margin. */
const rssMbMax = volume(160, 350);

test("a mirror whose records all change in one run needs memory for their digests, not for the records", {
  timeout: timeoutMs,
}, async () => {
  const options = [
    "--disable-warning=ExperimentalWarning",
    `--max-old-space-size=${heapMb}`,
    "--max-semi-space-size=4",
  ];
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...options,
    program,
    await dev.folder(),
    String(rows),
    String(rowBytes),
  ]);
  const { rssMb, bytes } = measured.parse(JSON.parse(stdout));
  console.info(`Mirror of ${rows} records: ${stdout}`);
  expect(bytes).toBeGreaterThan(rows * rowBytes);
  expect(rssMb).toBeLessThan(rssMbMax);
});
