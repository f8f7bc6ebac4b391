import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The shapes of a scan's findings: every shape gives the same number of megabytes. */
export type Shape = "typical" | "tiny" | "wide";

const word = (index: number, length: number): string =>
  Array.from({ length }, (_, place) => ((index * 7919 + place * 104_729) % 36).toString(36)).join("");

/** Findings differ as real findings do, so that chunks do not compress to almost nothing. */
function findingOf(index: number, shape: Shape): object {
  const isTiny = shape === "tiny";
  const text = (length: number) =>
    shape === "wide" ? `${word(index, length / 2)}漢${word(index + 1, length / 2)}` : word(index, length);
  return {
    id: `f-${index}`,
    title: isTiny ? "t" : text(60),
    description: isTiny ? "" : text(500),
    severity: "high",
    cwe: "CWE-89",
    file_path: isTiny ? "a" : `src/${word(index, 40)}.ts`,
    start_line: 1,
    end_line: 2,
    evidence: isTiny ? [] : [text(300), text(100)],
    state: "open",
  };
}

/** Writes a list of findings of about this many bytes to a separate file. */
export function findingsFile(bytes: number, shape: Shape): string {
  const parts: string[] = [];
  let length = 0;
  for (let index = 0; length < bytes; index++) {
    const text = JSON.stringify(findingOf(index, shape));
    parts.push(text);
    length += Buffer.byteLength(text) + 1;
  }
  const file = join(mkdtempSync(join(tmpdir(), "scan-")), "findings.json");
  writeFileSync(file, `[${parts.join(",")}]`);
  return file;
}
