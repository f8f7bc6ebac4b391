import { securityLimits } from "../contract/limits.ts";
import { chunkText, cutRows, pack, readRows, unpack, type WrittenRow, writeRow } from "./chunk.ts";
import {
  type FindingRow,
  isNewest,
  type ReportedFinding,
  rowWithFinding,
  rowWithoutFinding,
  type ScanInProgress,
} from "./finding.ts";
import { type ChunkCounts, type ChunkReference, countRows } from "./ledger.ts";

/** A finding of the scan with its place; sorted by place. */
export type PlacedFinding = { readonly place: string; readonly finding: ReportedFinding };

/** A chunk that is not stored yet. */
export type NewChunk = { readonly from: string; readonly counts: ChunkCounts; readonly bytes: Uint8Array };

/** The findings that the scan reports for one chunk. */
export type ReportedOfChunk = { readonly chunk: ChunkReference; readonly reported: readonly PlacedFinding[] };

/** An older scan changes nothing in a chunk without its findings; a newer scan ends the findings it does not have. */
export function reportedByChunk(
  chunks: readonly ChunkReference[],
  findings: readonly PlacedFinding[],
  progress: ScanInProgress,
): ReadonlyMap<string, ReportedOfChunk> {
  const byChunk = new Map<string, ReportedOfChunk>();
  let taken = 0;
  for (const [index, chunk] of chunks.entries()) {
    const end = endOfChunk(findings, taken, chunks[index + 1]);
    if (end > taken || isNewest(progress))
      byChunk.set(chunk.id, { chunk, reported: findings.slice(taken, end) });
    taken = end;
  }
  return byChunk;
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

/** One chunk after the scan: the same chunk if nothing changes, else the chunks that replace it. */
export async function mergeChunk(
  { chunk, reported }: ReportedOfChunk,
  bytes: Uint8Array,
  progress: ScanInProgress,
): Promise<Array<ChunkReference | NewChunk>> {
  const before = await unpack(bytes);
  const rows = mergeRows(readRows(before), reported, progress).map(writeRow);
  if (chunkText(rows) === before) return [chunk];
  const pieces: NewChunk[] = [];
  for (const piece of cutRows(rows)) pieces.push(...(await newChunk(piece)));
  return pieces;
}

/** The chunks of a repository that had none, one at a time: a scan of many megabytes is never in memory twice. */
export async function* firstChunks(
  findings: readonly PlacedFinding[],
  progress: ScanInProgress,
): AsyncGenerator<NewChunk> {
  let rows: WrittenRow[] = [];
  let bytes = 0;
  for (const { place, finding } of findings) {
    const row = writeRow(rowWithFinding(undefined, place, finding, progress));
    rows.push(row);
    bytes += Buffer.byteLength(row.text);
    if (bytes < securityLimits.chunkBytesTarget) continue;
    yield* await newChunk(rows);
    rows = [];
    bytes = 0;
  }
  yield* await newChunk(rows);
}

function mergeRows(
  rows: readonly FindingRow[],
  reported: readonly PlacedFinding[],
  progress: ScanInProgress,
): FindingRow[] {
  const findings = new Map(reported.map(({ place, finding }) => [place, finding]));
  const merged = rows.map((row) => {
    const finding = findings.get(row.place);
    findings.delete(row.place);
    return finding ? rowWithFinding(row, row.place, finding, progress) : rowWithoutFinding(row, progress);
  });
  for (const [place, finding] of findings) merged.push(rowWithFinding(undefined, place, finding, progress));
  return merged.sort((one, other) => (one.place < other.place ? -1 : 1));
}

async function newChunk(rows: readonly WrittenRow[]): Promise<NewChunk[]> {
  const [first] = rows;
  if (!first) return [];
  const counts = countRows(rows.map(({ row }) => row));
  return [{ from: first.row.place, counts, bytes: await pack(chunkText(rows)) }];
}
