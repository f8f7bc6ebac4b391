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

describe("the folder table of the README", () => {
  const listed = foldersIn("README.md").filter((name) => !/[ .]/.test(name));
  const foldersOf = (parent: string, prefix = ""): string[] =>
    readdirSync(join(root, parent), { withFileTypes: true })
      .filter(
        (entry) => entry.isDirectory() && !/^(\.|node_modules$|dist$|cdk\.out$|coverage$)/.test(entry.name),
      )
      .map(({ name }) => `${prefix}${name}`);

  test("the folder table of the README has every folder of the project and of lib, and no other", () => {
    const inTree = [...foldersOf("").filter((name) => name !== "lib"), ...foldersOf("lib", "lib/")];
    expect(listed.toSorted()).toEqual(inTree.toSorted());
    for (const folder of listed) expect([folder, existsSync(join(root, folder))]).toEqual([folder, true]);
  });
});

describe("docs/change/glossary.md", () => {
  const words = [...read("docs/change/glossary.md").matchAll(/^\| \*\*([^*]+)\*\* \| (.+) \|$/gm)];

  test("docs/change/glossary.md has at most 25 words, in alphabetical order, each with one sentence or more", () => {
    const names = words.map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(15);
    expect(names.length).toBeLessThanOrEqual(25);
    expect(names).toEqual(names.toSorted((one, other) => one.localeCompare(other, "en")));
    for (const [, name, meaning = ""] of words)
      expect([name, meaning]).toEqual([name, expect.stringMatching(/\.$/)]);
  });

  test.each(["README.md", "CONTRIBUTING.md", "docs/change/architecture.md"])(
    "%s links to the glossary",
    (page) => {
      expect(read(page)).toMatch(/\]\((docs\/change\/)?glossary\.md\)/);
    },
  );
});

describe("decisions", () => {
  const folder = "docs/change/decisions";
  const files = readdirSync(join(root, folder)).filter((name) => name.endsWith(".md"));
  const numberOf = (file: string): number => Number(file.slice(0, 4));

  test("decisions are numbered without a gap", () => {
    expect(files.map(numberOf)).toEqual(files.map((_, index) => index + 1));
  });

  test.each(files)(
    "%s has its number, a date, a status, the context, the options and the outcome",
    (file) => {
      const text = read(`${folder}/${file}`);
      expect(text).toMatch(
        new RegExp(
          `^# ${numberOf(file)}\\. .+\n\nDate: 20\\d\\d-\\d\\d-\\d\\d\\. Status: (accepted|superseded by )`,
        ),
      );
      for (const part of ["**Context.**", "**Options.**", "**Outcome.**"]) expect(text).toContain(part);
    },
  );

  const statusOf = (file: string): string => /Status: (.+)$/m.exec(read(`${folder}/${file}`))?.[1] ?? "";

  test("a superseded decision and its successor name each other", () => {
    const link = /\[decision \d+\]\((\d{4}-[\w-]+\.md)\)/;
    const superseded = files.filter((file) => statusOf(file).startsWith("superseded"));
    expect(superseded.length).toBeGreaterThan(0);
    for (const file of superseded) {
      const [, successor = ""] = link.exec(statusOf(file)) ?? [];
      expect(read(`${folder}/${successor}`)).toMatch(
        new RegExp(`^Supersedes \\[decision \\d+\\]\\(${file}\\)`, "m"),
      );
    }
    const successors = files.filter((file) => /^Supersedes /m.test(read(`${folder}/${file}`)));
    expect(successors.length).toBe(superseded.length);
  });
});
