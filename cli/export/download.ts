import { type Disk, statOf } from "../../lib/mirror/disk.ts";
import { nameOfTooLarge } from "../../lib/mirror/journal.ts";
import type { Layout } from "../../lib/mirror/layout.ts";
import { exportPages } from "../../lib/mirror/pages.ts";
import type { ExportWalk } from "../../lib/mirror/sources.ts";
import { temporaryFile } from "../../lib/mirror/state.ts";
import { createTargetFile, ownerOnly } from "../../lib/mirror/target-file.ts";
import type { Terminal } from "../terminal.ts";

export type Downloaded = { readonly records: number; readonly bytes: number };
type Progress = (recordsSoFar: number) => void;

/** A new walk to standard output, one page at a time and at the reader's pace. */
export async function writeToTerminal(
  walk: ExportWalk,
  terminal: Terminal,
  onProgress: Progress,
): Promise<Downloaded> {
  const { layout } = walk;
  let records = 0;
  let bytes = 0;
  const write = async (text: string) => {
    const piece = Buffer.from(text);
    bytes += piece.length;
    if (piece.length > 0) await terminal.write(piece);
  };
  let isFirst = true;
  await write(layout.beginning);
  for await (const { changes } of exportPages(walk, undefined)) {
    const rows: string[] = [];
    for (const change of changes) {
      if (change.kind === "too-large")
        terminal.say(
          `${nameOfTooLarge(change.fields)} is too large for any response of the service; it is left out.`,
        );
      if (change.kind !== "written") continue;
      rows.push(...layout.rowsOf(change.json));
      records++;
    }
    const text = rows.map((row) => framed(layout, row)).join(layout.between);
    await write(isFirst || text === "" ? text : `${layout.between}${text}`);
    isFirst &&= text === "";
    onProgress(records);
  }
  await write(layout.ending);
  return { records, bytes };
}

const framed = ({ before, after }: Layout, row: string): string => `${before}${row}${after}`;

/** A new walk that replaces the file when it is complete. */
export async function replaceFile(
  disk: Disk,
  walk: ExportWalk,
  output: string,
  onProgress: Progress,
): Promise<Downloaded> {
  const target = await createTargetFile(
    disk,
    temporaryFile(output),
    walk.layout,
    (await statOf(output))?.mode,
  );
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

/** Writes an answer unchanged. */
export async function replaceFileByAnswer(
  disk: Disk,
  answer: AsyncIterable<Uint8Array>,
  output: string,
): Promise<{ readonly bytes: number }> {
  const file = await disk.openAt(temporaryFile(output), 0, (await statOf(output))?.mode ?? ownerOnly);
  let bytes = 0;
  try {
    for await (const piece of answer) {
      await file.write(piece);
      bytes += piece.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await disk.replace(temporaryFile(output), output);
  return { bytes };
}
