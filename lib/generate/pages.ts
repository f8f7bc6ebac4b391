import { readFileSync } from "node:fs";
import { errorCodes, itemErrorCodes } from "../contract/errors.ts";
import * as kinds from "../contract/items.ts";
import type { AnyKind } from "../contract/kind.ts";
import { reportTools } from "../mcp/reports.ts";
import { operationTools } from "../mcp/tools.generated.ts";
import { architecturePage } from "./architecture-page.ts";
import { eventSchemaFiles, eventsPage } from "./events-page.ts";
import { pagesWithTables } from "./guide-tables.ts";
import { releasedFile } from "./interface.ts";
import { markdownTable, withParts } from "./marked-parts.ts";
import { schemaPage } from "./schema-page.ts";

const mcpFile = "docs/use/mcp.md";
const eventsFile = "docs/use/events.md";
const architectureFile = "docs/change/architecture.md";
const itemsFile = "docs/change/item-growth.md";
const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/**
 * Pages with parts that are generated from the code, and the schemas that they link to: path below the project's root,
 * and content. They are in git because people read them on the code host.
 */
export const generatedPages = (): ReadonlyMap<string, string> =>
  new Map([
    ...pagesWithTables(read),
    [mcpFile, mcpPage(read(mcpFile))],
    [eventsFile, eventsPage(read(eventsFile))],
    ...eventSchemaFiles(),
    ["docs/use/errors.md", errorsPage()],
    ["docs/use/schema.md", schemaPage(read(releasedFile))],
    [architectureFile, architecturePage(read(architectureFile))],
    [itemsFile, itemsPage(read(itemsFile))],
  ]);

/** docs/use/mcp.md with the table of tools. */
const mcpPage = (page: string): string =>
  withParts(page, {
    tools: () =>
      markdownTable(
        ["Tool", "What it is for", "Changes data"],
        [...reportTools, ...operationTools].map(({ listing: { name, title, annotations } }) => [
          `\`${name}\``,
          title,
          annotations?.readOnlyHint ? "no" : "yes",
        ]),
      ),
  });

const link = (code: string): string => `[${code}](errors/${code}.md)`;

/** docs/use/errors.md: every error code with its explanation. */
const errorsPage = (): string =>
  [
    "# Error codes",
    "[Errors and limits](limits.md) says when to send a request again, and how programs treat codes.",
    "## Codes of responses",
    markdownTable(
      ["Code", "HTTP", "Meaning"],
      Object.entries(errorCodes)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([code, { status, meaning }]) => [link(code), String(status), meaning]),
    ),
    "## Codes of single items",
    "A response of 200 to a batch has these codes for the items that failed.",
    markdownTable(
      ["Code", "Meaning"],
      Object.entries(itemErrorCodes)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([code, meaning]) => [link(code), String(meaning)]),
    ),
    "",
  ]
    .join("\n\n")
    .replace(/\n+$/, "\n");

const kindRows: ReadonlyArray<[string, AnyKind]> = Object.entries(kinds).toSorted(([one], [other]) =>
  one < other ? -1 : 1,
);
const code = (text: string): string => `\`${text}\``;

/** docs/change/item-growth.md: every kind of item, and what grows in it. */
const itemsPage = (page: string): string =>
  withParts(page, {
    kinds: () =>
      markdownTable(
        ["Kind", "Keys", "What it is", "Owner", "When its organization moves"],
        kindRows.map(([name, { pk, sk, purpose, owner, moves = "" }]) => [
          ...[name, `${code(pk)} / ${code(sk)}`, purpose, owner, moves],
        ]),
      ),
    growth: () =>
      markdownTable(
        ["Kind", "What grows in it", "Bound", "What happens beyond it", "Test"],
        kindRows.flatMap(([name, { grows }]) =>
          grows ? [[name, grows.what, grows.bound, grows.beyond, code(grows.test)]] : [],
        ),
      ),
    few: () =>
      markdownTable(
        ["Kind", "In one range at most", "Why not more"],
        kindRows.flatMap(([name, { few }]) => (few ? [[name, String(few.most), few.because]] : [])),
      ),
    fixed: () => `${kindRows.flatMap(([name, { grows }]) => (grows ? [] : [name])).join(", ")}.`,
  });
