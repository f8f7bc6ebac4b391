/** A process of its own, so that only its own memory is measured: writes records of reviews as Parquet. */
import { createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { datasetNamed } from "../../../cli/datasets/datasets.ts";
import { writeParquet } from "../../../cli/datasets/parquet.ts";
import { systemDisk } from "../../../cli/export/disk.ts";
import { recordsOf } from "../../datasets/support.ts";
import { peakMemoryBytes } from "../../support/peak-memory.ts";

const [folder = ".", rowsText = "1000"] = process.argv.slice(2);
const rows = Number(rowsText);
const [record] = recordsOf("reviews").records;
function* lines() {
  for (let index = 0; index < rows; index++)
    yield `${JSON.stringify({ ...record, pr_url: `https://git.acme.example/acme/billing/pull/${index}` })}\n`;
}
const [ndjson, output] = [join(folder, "rows.ndjson"), join(folder, "rows.parquet")];
await pipeline(Readable.from(lines()), createWriteStream(ndjson));
const startedMs = performance.now();
const { bytes } = await writeParquet(systemDisk, ndjson, output, datasetNamed("reviews").columns);
const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
const { size } = await stat(ndjson);
await rm(ndjson);
process.stdout.write(
  JSON.stringify({ rows, ndjson: size, bytes, seconds, rssMb: Math.round(peakMemoryBytes() / 2 ** 20) }),
);
