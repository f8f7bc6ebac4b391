import { indexLimits } from "../contract/limits.ts";

const { pieceBytesMax, pieceOverlapBytes } = indexLimits;

/** Overlapping, cut between characters, each as long as an embedder accepts. Most texts are one piece. */
export function piecesOf(text: string, overlapBytes: number = pieceOverlapBytes): string[] {
  const bytes = Buffer.from(text);
  if (bytes.length <= pieceBytesMax) return [text];
  const pieces: string[] = [];
  let start = 0;
  for (;;) {
    const end = characterStart(bytes, Math.min(bytes.length, start + pieceBytesMax));
    pieces.push(bytes.subarray(start, end).toString());
    if (end === bytes.length) return pieces;
    start = characterStart(bytes, end - overlapBytes);
  }
}

/** Whether a text is too long for one piece. */
export const isInPieces = (text: string): boolean => Buffer.byteLength(text) > pieceBytesMax;

/** The beginning of `text`, at most `bytesMax` bytes long. */
export function beginningOf(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  return bytes.length <= bytesMax ? text : bytes.subarray(0, characterStart(bytes, bytesMax)).toString();
}

/** Returns the place if a character starts there, else the start of the character that contains it. */
function characterStart(bytes: Buffer, place: number): number {
  let start = place;
  while (start < bytes.length && (bytes.readUInt8(start) & 0xc0) === 0x80) start--;
  return start;
}
