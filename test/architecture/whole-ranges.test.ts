import { build } from "esbuild";
import { expect, test } from "vitest";
import { operations } from "../../lib/contract/operations.ts";

const unbounded = /^.*\b(queryAll|queryPages|scanPage|queryPage)\(.*$/gm;
/** These files define the functions, and those that bound them. */
const reading = ["table", "dynamo", "bounded"].map((name) => `lib/store/${name}.ts`);
/** These go from page to page by hand, and stop when the answer is full or the budget of the request is spent. */
const walking = ["store/walk", "audit/list", "learnings/export/pending", "stream/merge"];

/** What the operations call of the functions that read a range or the table to its end, of all code that they keep. */
async function wholeReadsOf(sources: readonly string[], stdin?: string): Promise<string[]> {
  const { outputFiles } = await build({
    ...(stdin === undefined
      ? { entryPoints: sources.map((source) => `functions/${source}.ts`) }
      : { stdin: { contents: stdin, resolveDir: ".", sourcefile: "functions/planted.ts", loader: "ts" } }),
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    write: false,
    outdir: "bundles",
    logLevel: "error",
  });
  const found = outputFiles.flatMap(({ text }) =>
    // esbuild writes a comment with the path of each file before the code that it keeps of the file.
    text.split(/^\/\/ (?=(?:lib|functions)\/)/m).flatMap((code) => {
      const [file = ""] = code.split("\n", 1);
      if (reading.includes(file)) return [];
      const isWalk = walking.some((name) => file === `lib/${name}.ts`);
      return [...code.matchAll(unbounded)]
        .filter(([, name]) => !isWalk || name !== "queryPage")
        .map(([line, name]) => `${file}: ${name} in "${line.trim()}"`);
    }),
  );
  return [...new Set(found)];
}

const advice =
  "An operation reads a range to its end, however long it is. Read a page, or use readFew with a kind whose row in " +
  "lib/contract/items.ts has `few`, or queryUpTo with the number of items after which the call stops. A page comes from " +
  "walkRange or walkPartitions; a loop over queryPage that stops by itself stands in `walking` of this test.";

test("no operation reads a range to its end that can be of any length", async () => {
  expect(await wholeReadsOf(operations.map(({ source }) => source)), advice).toEqual([]);
});

test("a read without a bound is found, with its file and line", async () => {
  const planted = `
    import * as kinds from "./lib/contract/items.ts";
    import { queryAll } from "./lib/store/table.ts";
    export async function handler(table, pool) {
      await Array.fromAsync(queryAll(table, kinds.person.range({ pool })));
      let page;
      do page = await table.queryPage({ pk: pool }, page?.resume);
      while (page.resume);
    }
  `;
  expect(await wholeReadsOf([], planted)).toEqual([
    'functions/planted.ts: queryAll in "await Array.fromAsync(queryAll(table, person.range({ pool })));"',
    'functions/planted.ts: queryPage in "page = await table.queryPage({ pk: pool }, page?.resume);"',
  ]);
});
