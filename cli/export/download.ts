import { namePullRequest } from "../../lib/contract/sentences.ts";
import { systemDisk, temporaryFile } from "../../lib/mirror/disk.ts";
import { exportPages } from "../../lib/mirror/pages.ts";
import type { ExportWalk } from "../../lib/mirror/sources.ts";
import { createTargetFile, type TargetFile, targetOf } from "../../lib/mirror/target-file.ts";
import type { Terminal } from "../terminal.ts";

/** A new walk to standard output, one page at a time and at the reader's pace. Returns the number of records. */
export async function writeToTerminal(walk: ExportWalk, terminal: Terminal): Promise<number> {
  const nothing = async () => undefined;
  const target = targetOf({ write: terminal.write, sync: nothing, close: nothing }, walk.layout);
  await target.flush();
  return (await writeRecords(walk, target, terminal, target.flush)).records;
}

/** A new walk that replaces the file when it is complete. */
export async function downloadFile(
  walk: ExportWalk,
  output: string,
  terminal: Terminal,
  onProgress: (recordsSoFar: number) => void,
): Promise<{ readonly records: number; readonly bytes: number }> {
  const target = await createTargetFile(systemDisk, output, walk.layout);
  const written = await writeRecords(walk, target, terminal, onProgress).finally(target.close);
  await systemDisk.replace(temporaryFile(output), output);
  return written;
}

async function writeRecords(
  walk: ExportWalk,
  target: TargetFile,
  { say }: Terminal,
  onPage: (recordsSoFar: number) => Promise<void> | void,
) {
  let records = 0;
  for await (const { changes } of exportPages(walk, undefined)) {
    for (const change of changes) {
      if (change.kind === "too-large")
        say(
          `${namePullRequest(change.fields)} is too large for any response of the service; it is left out.`,
        );
      if (change.kind !== "written") continue;
      for (const row of walk.layout.rowsOf(change.json)) await target.row(row);
      records++;
    }
    await onPage(records);
  }
  return { records, ...(await target.finish()) };
}
