import { indexLimits } from "../contract/limits.ts";

const { pieceBytesMax, pieceOverlapBytes } = indexLimits;

/** A text in overlapping pieces, cut between characters, each as long as an embedder takes. Most texts are one piece. */
export function piecesOf(text: string): string[] {
  const bytes = Buffer.from(text);
  if (bytes.length <= pieceBytesMax) return [text];
  const pieces: string[] = [];
  let start = 0;
  for (;;) {
    const end = characterStart(bytes, Math.min(bytes.length, start + pieceBytesMax));
    pieces.push(bytes.subarray(start, end).toString());
    if (end === bytes.length) return pieces;
    start = characterStart(bytes, end - pieceOverlapBytes);
  }
}

/** The beginning of `text` that has so many bytes at most. */
export function beginningOf(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  return bytes.length <= bytesMax ? text : bytes.subarray(0, characterStart(bytes, bytesMax)).toString();
}

/** The place, or where the character begins that the place lies in. */
function characterStart(bytes: Buffer, place: number): number {
  let start = place;
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}
