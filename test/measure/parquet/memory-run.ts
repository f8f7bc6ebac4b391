/**
 * A process of its own, so that only its own memory is measured: writes the given number of reviews as NDJSON, then as
 * Parquet. Prints the result.
 */
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { writeParquet } from "../../../lib/mirror/datasets/parquet.ts";
import { systemDisk } from "../../../lib/mirror/disk.ts";
import { recordsOf } from "../../mirror/datasets/support.ts";
import { peakMemoryBytes } from "../../support/peak-memory.ts";

const [folder = ".", rowsText = "1000"] = process.argv.slice(2);
const rows = Number(rowsText);
const { dataset, records } = recordsOf("reviews");
const [record] = records;

function* lines() {
  for (let number = 0; number < rows; number++)
    yield `${JSON.stringify({ ...record, pr_url: `https://github.com/acme/service/pull/${number}` })}\n`;
}

const [ndjson, output] = [join(folder, "reviews.ndjson"), join(folder, "reviews.parquet")];
await pipeline(Readable.from(lines()), createWriteStream(ndjson));
const startedMs = performance.now();
const { bytes } = await writeParquet(systemDisk, ndjson, output, dataset.columns);
const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
await rm(ndjson);
process.stdout.write(
  JSON.stringify({ rows, bytes, seconds, rssMb: Math.round(peakMemoryBytes() / 2 ** 20) }),
);
