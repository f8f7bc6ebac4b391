import { operations } from "../contract/operations.ts";
import { type OpenApiDocument, openApiDocument } from "../openapi/document.ts";

/** The version of the interface description; the package has its own version, which may change faster. */
const interfaceVersion = "1.0.0";

export const openApi = (): OpenApiDocument => openApiDocument(operations, interfaceVersion);

/** The interface as last released, which callers rely on. Its structure matters, its wording and examples do not. */
export const releasedFile = "docs/released/openapi.json";

export const releasedDocument = (): string => `${JSON.stringify(openApi(), withoutWords, 1)}\n`;

const withoutWords = (name: string, value: unknown) =>
  name === "description" && typeof value === "string" ? undefined : value;
