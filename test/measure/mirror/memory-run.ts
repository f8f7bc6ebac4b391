/**
 * A process of its own, so that only its own memory is measured: two runs of a mirror over a simulated service, first a
 * walk over the given number of records of the given size, then one that changes every record. Prints the result.
 */
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemDisk } from "../../../lib/mirror/disk.ts";
import { identityFields } from "../../../lib/mirror/identity.ts";
import type { MirrorChange } from "../../../lib/mirror/journal.ts";
import { csvTableOf, layoutOf, type RecordFields } from "../../../lib/mirror/layout.ts";
import type { ExportWalk } from "../../../lib/mirror/sources.ts";
import { earlierRun } from "../../../lib/mirror/state.ts";
import { updateMirror } from "../../../lib/mirror/update.ts";
import { peakMemoryBytes } from "../../support/peak-memory.ts";

const [folder = "../../proofs/mirror", rowsText = "1000", rowBytesText = "1000"] = process.argv.slice(2);
const rows = Number(rowsText);
const identity = { thing: "pr_url", organization: ["provider", "organization_id"] };
const filler = "x".repeat(Number(rowBytesText));

const table = csvTableOf<RecordFields, RecordFields>(
  [...identityFields(identity), "filler"].map((name) => ({ name, cell: (fields) => String(fields[name]) })),
  (record) => [record],
);

/** The cursor counts the records, over all walks. */
const walk: ExportWalk = {
  identity,
  layout: layoutOf("ndjson", table, identityFields(identity)),
  pageSizeMax: 1_000,
  onlyGrows: false,
  isAmbiguous: async () => false,
  async page({ cursor = "0", limit }) {
    const start = Number(cursor);
    const changes = Array.from({ length: limit }, (_, index): MirrorChange => {
      const number = (start + index) % rows;
      const fields = {
        provider: "github",
        organization_id: `${number % 200}`,
        pr_url: `https://github.com/acme/service/pull/${number}`,
      };
      return { kind: "written", fields, json: JSON.stringify({ ...fields, filler: `${start}${filler}` }) };
    });
    const next = start + limit;
    const isLast = next % rows === 0;
    return { changes, nextCursor: isLast ? null : `${next}`, resumeCursor: isLast ? `${next}` : null };
  },
};

const output = join(folder, "mirror.ndjson");
const key_scope = { id: "workspace:memory", label: "workspace memory" };
const request = { what: "memory", format: "ndjson", query: {}, key_scope } as const;
const seconds: number[] = [];
for (let run = 0; run < 2; run++) {
  const startedMs = performance.now();
  const earlier = await earlierRun(output, { resume: true, overwrite: false });
  const { file } = await updateMirror(systemDisk, walk, {
    output,
    request,
    earlier,
    onProgress: () => undefined,
    notify: (sentence) => process.stderr.write(`${sentence}\n`),
  });
  if (file.records !== rows) throw new Error(`${file.records} records instead of ${rows}.`);
  seconds.push(Math.round((performance.now() - startedMs) / 100) / 10);
}
const { size } = await stat(output);
await rm(output);
process.stdout.write(
  JSON.stringify({ rows, bytes: size, seconds, rssMb: Math.round(peakMemoryBytes() / 2 ** 20) }),
);
