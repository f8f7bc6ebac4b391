import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { read } from "./pages.ts";

/** One block of the recipe: a new file, an edit, or commands. */
export type Step =
  | { readonly kind: "file"; readonly file: string; readonly text: string }
  | { readonly kind: "edit"; readonly file: string; readonly hunks: readonly Hunk[] }
  | { readonly kind: "command"; readonly line: string };

type Hunk = { readonly before: string; readonly after: string };

/** The blocks under "A new read operation", in order. */
export function recipeSteps(): Step[] {
  const [, section = ""] = /^## A new read operation\n(.*?)^## /ms.exec(read("CONTRIBUTING.md")) ?? [];
  return stepsIn(section);
}

export function stepsIn(markdown: string): Step[] {
  return [...markdown.matchAll(/^```(\w+) ?(\S*)\n(.*?)^```$/gms)].flatMap(
    ([, language, file = "", text = ""]): Step[] => {
      if (language === "sh")
        return text
          .trim()
          .split("\n")
          .map((line) => ({ kind: "command", line }));
      return language === "diff"
        ? [{ kind: "edit", file, hunks: text.split(/^@@\n/m).map(hunkOf) }]
        : [{ kind: "file", file, text }];
    },
  );
}

/** Lines begin with a space or with `+`; an empty line is an empty line of the file. */
function hunkOf(text: string): Hunk {
  const lines = text.split(/(?<=\n)/);
  const content = (line: string) => (line === "\n" ? line : line.slice(1));
  return {
    before: lines
      .filter((line) => !line.startsWith("+"))
      .map(content)
      .join(""),
    after: lines.map(content).join(""),
  };
}

/** Whether a step was already followed in this folder. */
export function isDone(root: string, step: Exclude<Step, { kind: "command" }>): boolean {
  const path = join(root, step.file);
  if (!existsSync(path)) return false;
  const text = readFileSync(path, "utf8");
  return step.kind === "file" ? text === step.text : step.hunks.every(({ after }) => text.includes(after));
}

/** Why a step is impossible in this folder; undefined if it is possible. */
export function problemOf(root: string, step: Step): string | undefined {
  if (step.kind === "command") return undefined;
  const path = join(root, step.file);
  if (step.kind === "file") return existsSync(path) ? `${step.file} exists already` : undefined;
  if (!existsSync(path)) return `${step.file} does not exist`;
  const text = readFileSync(path, "utf8");
  const misplaced = step.hunks.find(({ before }) => text.split(before).length !== 2);
  return misplaced && `${step.file} does not hold these lines exactly once:\n${misplaced.before}`;
}

export function doStep(root: string, step: Exclude<Step, { kind: "command" }>): void {
  const path = join(root, step.file);
  mkdirSync(dirname(path), { recursive: true });
  const text =
    step.kind === "file"
      ? step.text
      : step.hunks.reduce(
          (done, { before, after }) => done.replace(before, () => after),
          readFileSync(path, "utf8"),
        );
  writeFileSync(path, text);
}
