import { namePullRequest } from "../../lib/contract/sentences.ts";
import { type Disk, temporaryFile } from "../../lib/mirror/disk.ts";
import { exportPages } from "../../lib/mirror/pages.ts";
import type { ExportWalk } from "../../lib/mirror/sources.ts";
import { createTargetFile } from "../../lib/mirror/target-file.ts";
import type { Terminal } from "../terminal.ts";

/** A new walk to standard output, one page at a time and at the reader's pace. Returns the number of records. */
export async function writeToTerminal(walk: ExportWalk, terminal: Terminal): Promise<number> {
  const { layout } = walk;
  let records = 0;
  const write = async (text: string) => {
    if (text !== "") await terminal.write(Buffer.from(text));
  };
  let isFirst = true;
  await write(layout.beginning);
  for await (const { changes } of exportPages(walk, undefined)) {
    const rows: string[] = [];
    for (const change of changes) {
      if (change.kind === "too-large")
        terminal.say(
          `${namePullRequest(change.fields)} is too large for any response of the service; it is left out.`,
        );
      if (change.kind !== "written") continue;
      rows.push(...layout.rowsOf(change.json));
      records++;
    }
    const text = rows.map((row) => `${layout.before}${row}${layout.after}`).join(layout.between);
    await write(isFirst || text === "" ? text : `${layout.between}${text}`);
    isFirst &&= text === "";
  }
  await write(layout.ending);
  return records;
}

/** A new walk that replaces the file when it is complete. */
export async function downloadFile(
  disk: Disk,
  walk: ExportWalk,
  output: string,
  onProgress: (recordsSoFar: number) => void,
): Promise<{ readonly records: number; readonly bytes: number }> {
  const target = await createTargetFile(disk, output, walk.layout);
  let records = 0;
  let bytes = 0;
  try {
    for await (const { changes } of exportPages(walk, undefined)) {
      for (const change of changes) {
        if (change.kind !== "written") continue;
        for (const row of walk.layout.rowsOf(change.json)) await target.row(row);
        records++;
      }
      onProgress(records);
    }
    ({ bytes } = await target.finish());
  } finally {
    await target.close();
  }
  await disk.replace(temporaryFile(output), output);
  return { records, bytes };
}
