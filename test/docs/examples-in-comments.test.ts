import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { read, root } from "./pages.ts";

const filesIn = (...folders: readonly string[]) =>
  globSync(
    folders.map((folder) => `${folder}/**/*.ts`),
    { cwd: root },
  );
const withoutBlanks = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** `@example` and its lines, up to the next tag or the end of the comment. */
const examplesIn = (file: string): string[] =>
  [...read(file).matchAll(/^ *\* @example\n((?: *\* [^@].*\n)+)/gm)].map(([, lines = ""]) =>
    withoutBlanks(lines.replaceAll(/^ *\* /gm, "")),
  );

test("an example in a comment is a part of a file that compiles, or of a test", () => {
  const code = filesIn("functions", "lib", "test").map((file) =>
    withoutBlanks(read(file).replaceAll(/^ *\*.*$/gm, "")),
  );
  const examples = filesIn("lib").flatMap((file) => examplesIn(file).map((example) => ({ file, example })));
  expect(examples.length).toBeGreaterThan(3);
  expect(examples.filter(({ example }) => !code.some((each) => each.includes(example)))).toEqual([]);
});
