import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { products } from "../../lib/generate/products.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = [
  ...readdirSync(root),
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((name) => join("docs", name)),
].filter((name) => name.endsWith(".md"));

/** The anchors that GitHub makes from headings, and those that a page defines itself. */
const anchorsOf = (page: string): string[] => {
  const text = readFileSync(page, "utf8");
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
  return [...headings, ...[...text.matchAll(/^<a id="([^"]+)"><\/a>$/gm)].map(([, id = ""]) => id)];
};

test.each(pages)("every link of %s leads somewhere", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  for (const [, target = "", anchor] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)) {
    const file = target === "" ? join(root, page) : join(root, dirname(page), target);
    // The code host has no products.
    expect([target, existsSync(file) && !products.includes(relative(root, file))]).toEqual([target, true]);
    if (anchor !== undefined) expect(anchorsOf(file)).toContain(anchor);
  }
});

/** The change log also names what is gone. */
const isHistory = (page: string): boolean => page === "CHANGELOG.md";
const inCode = /`((?:lib|functions|cli|infra|dashboard|test|docs|\.ci)\/[\w./-]*\w)\/?`/g;

test.each(pages.filter((page) => !isHistory(page)))("every file and folder that %s names exists", (page) => {
  const named = [...readFileSync(join(root, page), "utf8").matchAll(inCode)].map(([, path = ""]) => path);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

/** Words of an older style, and their replacements. The benchmarks page is excluded: a program writes it. */
const plainWords = new Map([
  [/\banew\b/i, "again"],
  [/\bwhoever\b/i, "a noun: the caller, the operator, a person who"],
  [/\bmend(s|ed|ing)?\b/i, "repair, correct"],
  [/\btold\b/i, "reported, sent, documented"],
]);

test.each(pages.filter((page) => page !== "docs/reports/benchmarks.md"))("%s is in plain words", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  expect(
    [...plainWords].filter(([word]) => word.test(text)).map(([word, better]) => `${word}: ${better}`),
  ).toEqual([]);
});
