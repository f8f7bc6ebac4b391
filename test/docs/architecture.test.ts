import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { read, root } from "./pages.ts";

/** A link whose text is code names a function, type or class of the linked file. */
const named = [...read("docs/change/architecture.md").matchAll(/\[`(\w+)`\]\((?:\.\.\/)+([^)]+)\)/g)].map(
  ([, name = "", file = ""]) => [name, file] as const,
);

describe("docs/change/architecture.md", () => {
  test("docs/change/architecture.md describes more than twenty functions", () => {
    expect(named.length).toBeGreaterThan(20);
  });

  test.each(named)("docs/change/architecture.md names %s, which %s declares", (name, file) => {
    expect(read(file)).toMatch(
      new RegExp(`^export (async )?(function\\*?|const|class|type) ${name}\\b`, "m"),
    );
  });
});

/** The folders of a table's first column, in code marks. */
const foldersIn = (page: string): string[] =>
  [...read(page).matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, folder = ""]) => folder),
  );

describe("the folder table", () => {
  const listed = foldersIn("docs/change/architecture.md").filter((name) => !/[ .]/.test(name));
  const foldersOf = (parent: string, prefix = ""): string[] =>
    readdirSync(join(root, parent), { withFileTypes: true })
      .filter(
        (entry) => entry.isDirectory() && !/^(\.|node_modules$|dist$|cdk\.out$|coverage$)/.test(entry.name),
      )
      .map(({ name }) => `${prefix}${name}`);

  test("docs/change/architecture.md lists every folder of the project and of lib, and no other", () => {
    const inTree = [...foldersOf("").filter((name) => name !== "lib"), ...foldersOf("lib", "lib/")];
    expect(listed.toSorted()).toEqual(inTree.toSorted());
    for (const folder of listed) expect([folder, existsSync(join(root, folder))]).toEqual([folder, true]);
  });
});

describe("decisions", () => {
  const folder = "docs/change/decisions";
  const files = readdirSync(join(root, folder)).filter((name) => name.endsWith(".md"));
  const numberOf = (file: string): number => Number(file.slice(0, 4));

  test("a number without a file is a decision that a later one supersedes", () => {
    const superseded = files.flatMap((file) =>
      [...read(`${folder}/${file}`).matchAll(/^Supersedes decision (\d+):/gm)].map(([, number]) =>
        Number(number),
      ),
    );
    const numbers = [...files.map(numberOf), ...superseded].toSorted((one, other) => one - other);
    expect(superseded.length).toBeGreaterThan(0);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });

  test("the index lists every decision, and what became of those without a file", () => {
    const rows = [...read("docs/change/decisions.md").matchAll(/^\| (\d+) \| (.+) \|$/gm)];
    expect(rows.map(([, number]) => Number(number))).toEqual(rows.map((_, index) => index + 1));
    for (const [, number, cell = ""] of rows) {
      const file = files.find((each) => numberOf(each) === Number(number));
      if (file === undefined) expect(cell).toMatch(/superseded by \[\d+\]\(decisions\/\d{4}-/);
      else
        expect(cell).toBe(`[${/^# \d+\. (.+)$/m.exec(read(`${folder}/${file}`))?.[1]}](decisions/${file})`);
    }
    expect(rows.length).toBeGreaterThanOrEqual(files.length);
  });

  test.each(files)("%s is named as its title", (file) => {
    const text = read(`${folder}/${file}`);
    const [, title = ""] = /^# \d+\. (.+)$/m.exec(text) ?? [];
    expect(file.slice(5, -3)).toBe(
      title
        .toLowerCase()
        .replaceAll("'s", "s")
        .replaceAll(/[^a-z0-9]+/g, "-"),
    );
  });

  test.each(files)(
    "%s has its number, a date, a status, the context, the options and the outcome",
    (file) => {
      const text = read(`${folder}/${file}`);
      expect(text).toMatch(
        new RegExp(`^# ${numberOf(file)}\\. .+\n\nDate: 20\\d\\d-\\d\\d-\\d\\d\\. Status: accepted\\.`),
      );
      for (const part of ["**Context.**", "**Options.**", "**Outcome.**"]) expect(text).toContain(part);
    },
  );
});
