import { readFileSync } from "node:fs";
import { architecturePage } from "./architecture-page.ts";
import { errorsPage } from "./errors-page.ts";
import { eventSchemaFiles, eventsPage } from "./events-page.ts";
import { pagesWithTables } from "./guide-tables.ts";
import { releasedFile } from "./interface.ts";
import { itemsPage } from "./items-page.ts";
import { mcpPage } from "./mcp-page.ts";
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
