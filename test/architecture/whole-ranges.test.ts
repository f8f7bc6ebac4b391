import { build } from "esbuild";
import { expect, test } from "vitest";
import { operations } from "../../lib/contract/operations.ts";

const unbounded = /^.*\b(queryAll|queryPages|scanPage)\(.*$/gm;
/** These files define the functions, and those that bound them. */
const reading = ["table", "dynamo", "bounded"].map((name) => `lib/store/${name}.ts`);

/** What the operations call of the functions that read a range or the table to its end, of all code that they keep. */
async function wholeReadsOf(sources: readonly string[], stdin?: string): Promise<string[]> {
  const { outputFiles } = await build({
    ...(stdin === undefined
      ? { entryPoints: sources.map((source) => `functions/${source}.ts`) }
      : { stdin: { contents: stdin, resolveDir: ".", sourcefile: "functions/planted.ts", loader: "ts" } }),
    ...{ bundle: true, format: "esm", platform: "node", packages: "external" },
    ...{ write: false, outdir: "bundles", logLevel: "error" },
  });
  const found = outputFiles.flatMap(({ text }) =>
    // esbuild writes a comment with the path of each file before the code that it keeps of the file.
    text.split(/^\/\/ (?=(?:lib|functions)\/)/m).flatMap((code) => {
      const [file = ""] = code.split("\n", 1);
      if (reading.includes(file)) return [];
      return Array.from(code.matchAll(unbounded), ([line, name]) => `${file}: ${name} in "${line.trim()}"`);
    }),
  );
  return [...new Set(found)];
}

const advice =
  "An operation reads a range to its end, however long it is. Read a page, or use readFew with a kind whose row in " +
  "lib/contract/items.ts has `few`, or queryUpTo with the number of items after which the call stops.";

test("no operation reads a range to its end that can be of any length", async () => {
  expect(await wholeReadsOf(operations.map(({ source }) => source)), advice).toEqual([]);
});

test("a read without a bound is found, with its file and line", async () => {
  const planted = `
    import * as kinds from "./lib/contract/items.ts";
    import { queryAll } from "./lib/store/table.ts";
    export const handler = (table, pool) => Array.fromAsync(queryAll(table, kinds.person.range({ pool })));
  `;
  expect(await wholeReadsOf([], planted)).toEqual([
    'functions/planted.ts: queryAll in "var handler = (table, pool) => Array.fromAsync(queryAll(table, person.range({ pool })));"',
  ]);
});
