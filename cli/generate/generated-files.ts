import { readFileSync } from "node:fs";
import { operations } from "../../lib/contract/operations.ts";
import { generateClientTypes } from "../../lib/openapi/client-types.ts";
import { type OpenApiDocument, openApiDocument } from "../../lib/openapi/document.ts";
import { toolsFile } from "../../lib/openapi/tools.ts";
import { architecturePage } from "./architecture-page.ts";
import { dashboardContract } from "./dashboard-contract.ts";
import { errorsPage } from "./errors-page.ts";
import { eventSchemaFiles, eventsPage } from "./events-page.ts";
import { guideWithTables, startWithTables } from "./guide-tables.ts";
import { itemsPage } from "./items-page.ts";
import { mcpPage } from "./mcp-page.ts";
import { schemaPage } from "./schema-page.ts";

/** The version of the interface description; the package has its own version, which may change faster. */
const interfaceVersion = "1.0.0";

/** The interface as last released, which callers rely on. Its structure matters, its wording and examples do not. */
export const releasedFile = "docs/released/openapi.json";

export const releasedDocument = (): string =>
  `${JSON.stringify(openApiDocument(operations, interfaceVersion), withoutWords, 1)}\n`;

const withoutWords = (name: string, value: unknown) =>
  name === "description" && typeof value === "string" ? undefined : value;

export const openApi = (): OpenApiDocument => openApiDocument(operations, interfaceVersion);

const guideFile = "docs/use/guide.md";
const startFile = "docs/use/start.md";
const mcpFile = "docs/use/mcp.md";
const eventsFile = "docs/use/events.md";
const itemsFile = "docs/change/item-growth.md";
const architectureFile = "docs/change/architecture.md";
const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** Files that are generated from the code and committed: path below the project's root, and content. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const document = openApi();
  return new Map([
    [guideFile, guideWithTables(read(guideFile))],
    [startFile, startWithTables(read(startFile), read(guideFile))],
    [mcpFile, mcpPage(read(mcpFile))],
    [eventsFile, eventsPage(read(eventsFile))],
    ...eventSchemaFiles(),
    ["docs/use/errors.md", errorsPage()],
    ["docs/use/schema.md", schemaPage(read(releasedFile))],
    [itemsFile, itemsPage(read(itemsFile))],
    [architectureFile, architecturePage(read(architectureFile))],
    ["docs/openapi.json", `${JSON.stringify(document, null, 1)}\n`],
    ["lib/client/operations.generated.ts", generateClientTypes(document)],
    ["lib/mcp/tools.generated.ts", toolsFile(operations)],
    ["dashboard/worker/contract.generated.ts", dashboardContract(operations)],
  ]);
}
