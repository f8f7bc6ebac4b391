import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pages, read, root } from "./pages.ts";

/**
 * No public registry has the package, so anybody may register its name there and get the keys of those who follow a
 * command that fetches it. Allowed: a tarball, a scope with a registry of its own, and `npx --no-install`.
 */
const fetchingForms = [
  /\b(?:npx|bunx)(?! --no-install\b)(?: -\S+)* (?:\S+ )?review-api\b[^\n`]*/g,
  /\b(?:npm|pnpm|yarn|bun) (?:install|i|add|exec|dlx|x|global add)(?: -\S+)* review-api\b(?!@npm:@)[^\n`]*/g,
];
const fetchesIn = (text: string): string[] => fetchingForms.flatMap((form) => text.match(form) ?? []);

test("the search finds every form that fetches the package by its bare name, and no other", () => {
  const planted = [
    ...["npx review-api login", "npx --yes review-api login", "npx -p review-api review-api login"],
    ...[
      "npm install review-api",
      "npm install --global review-api",
      "pnpm dlx review-api",
      "npm exec review-api",
    ],
  ];
  expect(planted.filter((line) => fetchesIn(line).length === 0)).toEqual([]);
  const safe = [
    ...["npx --no-install review-api login", "npm install ./review-api-*.tgz", "review-api login"],
    ...[
      "npm install --global @company/review-api",
      "npm install review-api@npm:@company/review-api",
      "claude mcp add --transport http review-api URL",
    ],
  ];
  expect(safe.filter((line) => fetchesIn(line).length > 0)).toEqual([]);
});

test.each([...pages, "package/README.md", "cli/command.ts", "cli/tool.ts", "cli/announcement.ts"])(
  "no command of %s fetches the package by its bare name",
  (page) => {
    expect(fetchesIn(read(page))).toEqual([]);
  },
);

test("every command that the tool tells its user to run begins with npx --no-install", () => {
  const told =
    /(?:: |, | \(|[Rr]un |["`])review-api (?:login|keys|tokens|members|events|dev|index|preflight|verify|repair)\b[^"`]*/g;
  expect("`Write it again: review-api login`".match(told)).toHaveLength(1);
  const sources = ["cli", "lib"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => join(folder, name)),
  );
  const bare = sources.flatMap((file) =>
    read(file)
      .split("\n")
      .filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line))
      .flatMap((line) => line.match(told) ?? []),
  );
  expect(bare).toEqual([]);
});

test("a page that shows the tool says first how to install it, or links to the page that does", () => {
  const unsaid = pages
    .filter((page) => page.startsWith("docs/use/jobs/") && read(page).includes("npx --no-install review-api"))
    .filter((page) => !read(page).includes("#install"));
  expect(unsaid).toEqual([]);
});
