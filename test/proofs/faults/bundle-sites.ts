import { readdirSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, join } from "node:path";

/** Calls whose items depend on the caller: what one function asks there says nothing about another function. */
export const askedByCaller: Readonly<Record<string, string>> = {
  "lib/access/key-registry.ts storeValue transact": "only the operator's new keys check their owner",
  "lib/access/key-rows.ts keysOfRows queryPages":
    "only the operator lists the keys of an organization or a workspace",
  "lib/learnings/export/pending.ts firstRows queryPage": "only the operator lists all organizations at once",
  "lib/people/batch.ts inParts transact": "the transaction changes either seats or roles",
  "lib/store/read-ahead.ts read getMany": "the batch has the first reads of the operation or event",
  "lib/store/read-ahead.ts readOne get": "only authentication reads keys and tenants first",
  "lib/store/read-ahead.ts getUnlessAhead getMany": "the items are an operation's or an event's",
  "lib/store/walk.ts pagesOf queryPage": "every list has its own partitions",
  "lib/store/walk.ts pagesOf queryPage 2": "every list has its own partitions",
};

/** Calls that are in the bundle of a function, but that the function never makes. */
export const neverMade: Readonly<Record<string, string>> = {
  "changeRoles: lib/audit/owed.ts writeOwed transactIf": "only a change of seats has copies left over",
  "giveRole: lib/audit/owed.ts writeOwed transactIf": "only a change of seats has copies left over",
};

const ownFile = /(?:lib|functions)\/[\w/.-]+\.ts$/;

/** Every call in a bundle and in the files that it loads later, as `file:line:column` of our source. */
export function callsInBundle(bundle: string): ReadonlySet<string> {
  const calls = new Set<string>();
  const directory = dirname(bundle);
  for (const file of readdirSync(directory).filter((name) => name.endsWith(".mjs"))) {
    const map = new SourceMap(JSON.parse(readFileSync(join(directory, `${file}.map`), "utf8")));
    const lines = readFileSync(join(directory, file), "utf8").split("\n");
    for (const [row, line] of lines.entries())
      for (const { index } of line.matchAll(/[\w$]+\(/g)) {
        const entry = map.findEntry(row, index);
        if (!("originalSource" in entry)) continue;
        const source = ownFile.exec(entry.originalSource)?.[0];
        if (source) calls.add(`${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`);
      }
  }
  return calls;
}
