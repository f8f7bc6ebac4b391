import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "vite";
import { oneLine } from "../parts.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A condition of a write, or one of several that must all hold. */
export type Found = {
  /** `file:line:column` of its code. */
  readonly id: string;
  readonly file: string;
  readonly code: string;
  readonly start: number;
  readonly end: number;
  readonly isShorthand: boolean;
};

/** Every value of a property `when`, and every element of a list `{ all: […] }`. */
export function conditionsIn(file: string, source: string): readonly Found[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new SyntaxError(`${file} cannot be parsed: ${errors[0]?.message}`);
  const found = new Map<number, Found>();
  const add = ({ start, end }: { start: number; end: number }, isShorthand = false) => {
    const before = source.slice(0, start).split("\n");
    const id = `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
    found.set(start, { id, file, code: oneLine(source.slice(start, end)), start, end, isShorthand });
  };
  new Visitor({
    ObjectExpression({ properties }) {
      for (const property of properties) {
        if (property.type !== "Property" || property.key.type !== "Identifier") continue;
        if (property.key.name === "when") add(property.value, property.shorthand);
        if (property.key.name !== "all" || properties.length > 1) continue;
        if (property.value.type !== "ArrayExpression" || property.value.elements.length === 1) continue;
        for (const part of property.value.elements) if (part && part.type !== "SpreadElement") add(part);
      }
    },
  }).visit(program);
  return [...found.values()];
}

/** The conditions of the files that a pattern matches. */
export const findConditions = (pattern: string): readonly Found[] =>
  globSync(pattern, { cwd: root })
    .sort()
    .flatMap((file) => conditionsIn(file, readFileSync(root + file, "utf8")));

/** The file with every condition passed through `conditionOf`, which `setup.ts` defines. Lines stay where they are. */
export function instrument(file: string, source: string): string | undefined {
  const conditions = conditionsIn(file, source);
  if (conditions.length === 0) return undefined;
  const insertions = conditions.flatMap(({ id, start, end, isShorthand }) => [
    { at: start, text: `${isShorthand ? "when: " : ""}globalThis.conditionOf(${JSON.stringify(id)}, (` },
    { at: end, text: "))" },
  ]);
  insertions.sort((one, other) => other.at - one.at);
  let instrumented = source;
  for (const { at, text } of insertions)
    instrumented = instrumented.slice(0, at) + text + instrumented.slice(at);
  return instrumented;
}
