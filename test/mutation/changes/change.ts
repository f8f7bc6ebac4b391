import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";
import { oneLine } from "../parts.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** One small change of the code, which a test must notice. */
export type Change = {
  /** `file:line:column` of its code, and what becomes of it. */
  readonly id: string;
  readonly file: string;
  readonly code: string;
  readonly becomes: string;
  readonly start: number;
  readonly end: number;
  /** A condition of a write is dropped only if the code makes one. A statement is left out. */
  readonly kind: "condition" | "expression" | "statement";
  readonly isShorthand: boolean;
};

type Program = ReturnType<typeof parseSync>["program"];
type Place = { readonly start: number; readonly end: number };
export type Add = (
  place: Place,
  becomes: string,
  more?: Partial<Pick<Change, "kind" | "isShorthand">>,
) => void;

export function changesOf(
  file: string,
  source: string,
  find: (program: Program, add: Add) => void,
): readonly Change[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new SyntaxError(`${file} cannot be parsed: ${errors[0]?.message}`);
  const found = new Map<string, Change>();
  find(program, ({ start, end }, becomes, { kind = "expression", isShorthand = false } = {}) => {
    const before = source.slice(0, start).split("\n");
    const id = `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1} => ${oneLine(becomes)}`;
    const code = oneLine(source.slice(start, end));
    // The outer one comes first.
    if (!found.has(id)) found.set(id, { id, file, code, becomes, start, end, kind, isShorthand });
  });
  return [...found.values()];
}

export const inFiles = (
  pattern: string,
  changesIn: (file: string, source: string) => readonly Change[],
): readonly Change[] =>
  globSync(pattern, { cwd: root })
    .sort()
    .flatMap((file) => changesIn(file, readFileSync(root + file, "utf8")));

type Edit = { readonly at: number; readonly isEnd: boolean; readonly other: number; readonly text: string };

function editsOf({ id, kind, start, end, becomes, isShorthand }: Change): readonly Edit[] {
  const name = JSON.stringify(id);
  const [before, after] = {
    condition: [`${isShorthand ? "when: " : ""}globalThis.conditionOf(${name}, (`, "))"] as const,
    expression: [`(globalThis.isMade(${name}) ? (${becomes}) : (`, "))"] as const,
    statement: [`{ if (!globalThis.isMade(${name})) { `, " } }"] as const,
  }[kind];
  return [
    { at: start, isEnd: false, other: end, text: before },
    { at: end, isEnd: true, other: start, text: after },
  ];
}

/** The code with all the changes in it, each of which `setup.ts` makes or not. */
export function instrument(source: string, changes: readonly Change[]): string {
  const edits = changes.flatMap(editsOf);
  // At one place the inner one ends first, and the outer one begins first.
  edits.sort(
    (one, next) => one.at - next.at || Number(next.isEnd) - Number(one.isEnd) || next.other - one.other,
  );
  let from = 0;
  let instrumented = "";
  for (const { at, text } of edits) {
    instrumented += source.slice(from, at) + text;
    from = at;
  }
  return instrumented + source.slice(from);
}
