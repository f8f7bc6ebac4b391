import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import * as z from "zod";
import { securityLimits } from "../contract/limits.ts";
import { findingSeverities, findingStates } from "../contract/records-security.ts";
import { CorruptItem } from "../store/items/parse.ts";
import { type FindingRow, placeOf } from "./finding.ts";

/** Immutable and compressed: 50,000 findings are about a hundred items, not 50,000 that cost a write unit each. */

const rowTuple = z.tuple([
  z.string(),
  z.string(),
  z.string(),
  z.enum(findingSeverities),
  z.enum(findingStates),
  z.string().nullable(),
  z.string(),
  z.int(),
  z.int(),
  z.array(z.string()),
  z.string(),
  z.tuple([z.string(), z.string(), z.string(), z.string()]).nullable(),
  z.string().nullable(),
  z.string().nullable(),
]);
const rowTuples = z.array(rowTuple);

/** A row and the text it is stored as. */
export type WrittenRow = { readonly row: FindingRow; readonly text: string };

export function writeRow(row: FindingRow): WrittenRow {
  const { finding, last, detectedAt, dismissedIn, fixedIn } = row;
  const tuple: z.input<typeof rowTuple> = [
    finding.id,
    finding.title,
    finding.description,
    finding.severity,
    finding.state,
    finding.cwe,
    finding.file_path,
    finding.start_line,
    finding.end_line,
    [...finding.evidence],
    detectedAt,
    last && [last.version, last.scanId, last.commitSha, last.completedAt],
    dismissedIn,
    fixedIn,
  ];
  return { row, text: JSON.stringify(tuple) };
}

export const chunkText = (rows: readonly WrittenRow[]): string =>
  `[${rows.map(({ text }) => text).join(",\n")}]`;

export function readRows(text: string): FindingRow[] {
  const parsed = rowTuples.safeParse(JSON.parse(text));
  if (!parsed.success) throw new CorruptItem("A chunk of security findings is damaged.");
  return parsed.data.map(toRow);
}

function toRow(tuple: z.output<typeof rowTuple>): FindingRow {
  const [
    id,
    title,
    description,
    severity,
    state,
    cwe,
    file_path,
    start_line,
    end_line,
    evidence,
    ...history
  ] = tuple;
  const [detectedAt, seen, dismissedIn, fixedIn] = history;
  const finding = {
    id,
    title,
    description,
    severity,
    state,
    cwe,
    file_path,
    start_line,
    end_line,
    evidence,
  };
  const [version = "", scanId = "", commitSha = "", completedAt = ""] = seen ?? [];
  const last = seen && { version, scanId, commitSha, completedAt };
  return { place: placeOf(id), finding, last, detectedAt, dismissedIn, fixedIn };
}

/** Divides rows that no longer fit in a chunk into pieces of about equal size. */
export function cutRows(rows: readonly WrittenRow[]): WrittenRow[][] {
  const sized = rows.map((row) => ({ row, size: Buffer.byteLength(row.text) }));
  const bytes = sized.reduce((sum, { size }) => sum + size, 0);
  if (bytes <= securityLimits.chunkBytesMax) return [[...rows]];
  const pieceBytes = bytes / Math.ceil(bytes / securityLimits.chunkBytesTarget);
  const pieces: WrittenRow[][] = [];
  let bytesBefore = 0;
  for (const { row, size } of sized) {
    if (bytesBefore >= pieces.length * pieceBytes) pieces.push([]);
    pieces.at(-1)?.push(row);
    bytesBefore += size;
  }
  return pieces;
}

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export const pack = (text: string): Promise<Uint8Array> => compress(text);

export async function unpack(bytes: Uint8Array): Promise<string> {
  try {
    return (await decompress(bytes)).toString();
  } catch (cause) {
    throw new CorruptItem("A chunk of security findings cannot be decompressed.", { cause });
  }
}
