import { chunkText, cutRows, pack, readRows, unpack, type WrittenRow, writeRow } from "./chunk.ts";
import { found, isNewest, missing, type Row, type Telling, type ToldFinding } from "./finding.ts";
import { type ChunkReference, type Counts, countRows } from "./ledger.ts";

/** A finding of the scan with its place; they come in the order of places. */
export type PlacedFinding = { readonly place: string; readonly finding: ToldFinding };

/** A chunk that is not in the table yet. */
export type NewChunk = { readonly from: string; readonly counts: Counts; readonly bytes: Uint8Array };

/**
 * The repository's chunks after the scan. Those that it leaves as they are stand; `bytesOf` opens the others,
 * one at a time, so that a scan of many megabytes never stands in memory twice.
 */
export async function mergeChunks(
  chunks: readonly ChunkReference[],
  bytesOf: (chunkId: string) => Uint8Array,
  findings: readonly PlacedFinding[],
  telling: Telling,
): Promise<Array<ChunkReference | NewChunk>> {
  if (chunks.length === 0) return await newChunks(mergeRows([], findings, telling).map(writeRow));
  const merged: Array<ChunkReference | NewChunk> = [];
  let taken = 0;
  for (const [index, chunk] of chunks.entries()) {
    const end = endOfChunk(findings, taken, chunks[index + 1]);
    const told = findings.slice(taken, end);
    taken = end;
    // An older scan changes nothing where it has no finding; a newer one ends what it does not have.
    if (told.length === 0 && !isNewest(telling)) merged.push(chunk);
    else merged.push(...(await mergeChunk(chunk, bytesOf(chunk.id), told, telling)));
  }
  return merged;
}

function endOfChunk(
  findings: readonly PlacedFinding[],
  start: number,
  next: ChunkReference | undefined,
): number {
  if (!next) return findings.length;
  let end = start;
  for (let finding = findings[end]; finding && finding.place < next.from; finding = findings[end]) end++;
  return end;
}

async function mergeChunk(
  chunk: ChunkReference,
  bytes: Uint8Array,
  told: readonly PlacedFinding[],
  telling: Telling,
): Promise<Array<ChunkReference | NewChunk>> {
  const before = await unpack(bytes);
  const rows = mergeRows(readRows(before), told, telling).map(writeRow);
  return chunkText(rows) === before ? [chunk] : await newChunks(rows);
}

function mergeRows(rows: readonly Row[], told: readonly PlacedFinding[], telling: Telling): Row[] {
  const findings = new Map(told.map(({ place, finding }) => [place, finding]));
  const merged = rows.map((row) => {
    const finding = findings.get(row.place);
    findings.delete(row.place);
    return finding ? found(row, row.place, finding, telling) : missing(row, telling);
  });
  for (const [place, finding] of findings) merged.push(found(undefined, place, finding, telling));
  return merged.sort((one, other) => (one.place < other.place ? -1 : 1));
}

async function newChunks(rows: readonly WrittenRow[]): Promise<NewChunk[]> {
  const chunks: NewChunk[] = [];
  for (const piece of cutRows(rows)) {
    const [first] = piece;
    if (!first) continue;
    const counts = countRows(piece.map(({ row }) => row));
    chunks.push({ from: first.row.place, counts, bytes: await pack(chunkText(piece)) });
  }
  return chunks;
}
