import { open } from "node:fs/promises";
import { pagesInHalves } from "../../lib/client/pages-in-halves.ts";
import type { Terminal } from "../terminal.ts";
import type { ExportPage, Walk } from "./sources.ts";
import { type Request, removeState, type State, writeState } from "./state.ts";

export type Exported = {
  /** By this run. */
  readonly records: number;
  /** Of the output as it stands. */
  readonly bytes: number;
};

export type Progress = (recordsSoFar: number) => void;

/** Everything to standard output, a page at a time and at its reader's pace. */
export async function exportToTerminal(
  walk: Walk,
  terminal: Terminal,
  onProgress: Progress,
): Promise<Exported> {
  let records = 0;
  let bytes = 0;
  const write = async (piece: Buffer) => {
    bytes += piece.length;
    await terminal.write(piece);
  };
  await write(walk.beginning);
  for await (const page of pagesOf(walk, { cursor: undefined, records: 0 })) {
    await write(page.bytes);
    records += page.count;
    onProgress(records);
  }
  await write(walk.ending);
  return { records, bytes };
}

/**
 * Into a file. After every page the state file says up to which byte the output is sound and which cursor comes
 * next, so that whatever ends the process, the same command goes on from there.
 */
export async function exportToFile(
  walk: Walk,
  { output, request, earlier }: { output: string; request: Request; earlier: State | undefined },
  onProgress: Progress,
): Promise<Exported> {
  if (!earlier) await removeState(output);
  const file = await open(output, earlier ? "r+" : "w");
  try {
    const before = earlier?.records ?? 0;
    let bytes = earlier?.bytes ?? 0;
    let records = before;
    // Half a page of the run that was interrupted, or the ending of a complete one.
    await file.truncate(bytes);
    const write = async (piece: Buffer) => {
      await file.write(piece, 0, piece.length, bytes);
      bytes += piece.length;
    };
    if (!earlier) await write(walk.beginning);
    for await (const page of pagesOf(walk, { cursor: earlier?.cursor, records })) {
      await write(page.bytes);
      records += page.count;
      const complete = page.nextCursor === null;
      if (complete) await file.write(walk.ending, 0, walk.ending.length, bytes);
      await file.datasync();
      const cursor = page.nextCursor ?? page.resumeCursor;
      if (cursor !== null) await writeState(output, { ...request, cursor, complete, bytes, records });
      onProgress(records - before);
    }
    return { records: records - before, bytes: bytes + walk.ending.length };
  } finally {
    await file.close();
  }
}

async function* pagesOf(
  walk: Walk,
  { cursor, records }: { readonly cursor: string | undefined; readonly records: number },
): AsyncGenerator<ExportPage> {
  let isFirst = records === 0;
  const pages = pagesInHalves(
    (place) => walk.page(place, isFirst),
    ({ nextCursor }) => nextCursor,
    { cursor, pageSizeMax: walk.pageSizeMax },
  );
  for await (const page of pages) {
    yield page;
    isFirst &&= page.count === 0;
  }
}
