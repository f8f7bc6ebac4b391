/** A text in pieces; the secret pieces are what a redaction must take away. */
export type Segment = { readonly text: string; readonly isSecret: boolean };

export const plain = (text: string): Segment => ({ text, isSecret: false });
export const secret = (text: string): Segment => ({ text, isSecret: true });

export const textOf = (segments: readonly Segment[]): string => segments.map(({ text }) => text).join("");

/** The secret pieces, one a line. Neighbours without a break between them are one piece. */
export function secretOf(segments: readonly Segment[]): string {
  const pieces: string[] = [];
  let isOpen = false;
  for (const { text, isSecret } of segments) {
    if (isSecret) {
      const [first = "", ...rest] = text.split("\n");
      if (isOpen) pieces.push((pieces.pop() ?? "") + first, ...rest);
      else pieces.push(first, ...rest);
    }
    isOpen = isSecret;
  }
  return pieces
    .map((piece) => piece.replace(/\r$/, ""))
    .filter((piece) => piece !== "")
    .join("\n");
}

/** The lines of a segmented text, without the line breaks. */
export function linesOf(segments: readonly Segment[]): Segment[][] {
  const lines: Segment[][] = [[]];
  for (const { text, isSecret } of segments) {
    const [first = "", ...rest] = text.split("\n");
    if (first !== "") lines.at(-1)?.push({ text: first, isSecret });
    for (const part of rest) lines.push(part === "" ? [] : [{ text: part, isSecret }]);
  }
  return lines;
}

export const joinLines = (lines: readonly (readonly Segment[])[], separator = "\n"): Segment[] =>
  lines.flatMap((line, index) => (index === 0 ? line : [plain(separator), ...line]));

export const runLength = 8;

/** The runs of a secret that may not stay: 8 consecutive characters of a piece, or the whole piece if shorter. */
export function* runsOf(secretText: string): Generator<string> {
  for (const piece of secretText.split("\n")) {
    if (piece.length <= runLength) {
      if (piece !== "") yield piece;
      continue;
    }
    for (let at = 0; at + runLength <= piece.length; at++) yield piece.slice(at, at + runLength);
  }
}

/** A set of the output's own runs keeps the check linear: a key has thousands of runs. */
export function leaks(secretText: string, output: string): boolean {
  const runs = new Set<string>();
  for (let at = 0; at + runLength <= output.length; at++) runs.add(output.slice(at, at + runLength));
  for (const run of runsOf(secretText)) {
    if (run.length < runLength ? output.includes(run) : runs.has(run)) return true;
  }
  return false;
}
