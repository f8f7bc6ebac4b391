import { generateClientTypes } from "../lib/client/generate.ts";
import { type OpenApiDocument, openApiDocument } from "../lib/contract/openapi.ts";
import { operations } from "../lib/contract/operations.ts";

/** The interface description itself is versioned; the package is too, and may move faster. */
const interfaceVersion = "1.0.0";

export const openApi = (): OpenApiDocument => openApiDocument(operations, interfaceVersion);

/** Files that are made from the contract and committed: path below the project's root, and content. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const document = openApi();
  return new Map([
    ["docs/openapi.json", `${JSON.stringify(document, null, 2)}\n`],
    ["lib/client/operations.generated.ts", generateClientTypes(document)],
  ]);
}
