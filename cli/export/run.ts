import { open } from "node:fs/promises";
import { ReviewApiError } from "../../lib/client/error.ts";
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

/**
 * Page after page. One that is too large is asked for again in halves, since a cursor does not bind the size; a
 * single record that is too large on its own nobody can have.
 */
async function* pagesOf(
  walk: Walk,
  start: { readonly cursor: string | undefined; readonly records: number },
): AsyncGenerator<ExportPage> {
  let { cursor } = start;
  let isFirst = start.records === 0;
  let limit = walk.pageSizeMax;
  for (;;) {
    const page = await walk.page({ cursor, limit }, isFirst).catch((error: unknown) => {
      if (!isTooLarge(error) || limit === 1) throw error;
      return undefined;
    });
    if (!page) {
      limit = Math.floor(limit / 2);
      continue;
    }
    yield page;
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
    isFirst &&= page.count === 0;
    limit = Math.min(walk.pageSizeMax, limit * 2);
  }
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof ReviewApiError && error.code === "RESPONSE_TOO_LARGE";
