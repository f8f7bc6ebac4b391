import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { errorCodes, itemErrorCodes } from "../contract/errors.ts";
import { mcpLimits } from "../contract/mcp.ts";
import { referencePages } from "../contract/reference.ts";
import type { Api } from "./api.ts";

const scheme = "review-api://";
const markdown = "text/markdown";

type Resource = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** On this service, for everybody. */
  readonly path: string;
  readonly mimeType: string;
};

const resources: readonly Resource[] = [
  {
    name: "guide",
    title: "Guide",
    description: "The list of pages about keys, pagination, limits and every group of operations.",
    path: "/docs/guide.md",
    mimeType: markdown,
  },
  {
    name: "mcp",
    title: "Assistants (MCP)",
    description: "How these tools work: limits, errors, what is logged.",
    path: "/docs/mcp.md",
    mimeType: markdown,
  },
  {
    name: "errors",
    title: "Error codes",
    description: "Every error code with its meaning.",
    path: "/docs/errors.md",
    mimeType: markdown,
  },
  {
    name: "openapi",
    title: "OpenAPI document",
    description:
      "Every operation with its schemas, limits and examples. Large: read it only to write a client.",
    path: "/openapi.json",
    mimeType: "application/json",
  },
];

const uriOf = (path: string): string => `${scheme}${path.slice(1)}`;

export const listResources = () =>
  resources.map(({ path, ...resource }) => ({ ...resource, uri: uriOf(path) }));

const errorsFolder = "/docs/errors/";

export const resourceTemplates = [
  {
    name: "error",
    title: "An error code",
    description: "What an error code means and what to do about it.",
    uriTemplate: `${uriOf(errorsFolder)}{code}.md`,
    mimeType: markdown,
  },
  {
    name: "page",
    title: "A page of the guide",
    description: "A page that the guide lists, by the name in its link.",
    uriTemplate: `${uriOf("/docs/")}{page}.md`,
    mimeType: markdown,
  },
] as const;

/** Only what the lists above name is read: a uri never becomes an address. */
function pathOf(uri: string): Pick<Resource, "path" | "mimeType"> | undefined {
  const known = resources.find(({ path }) => uriOf(path) === uri);
  if (known) return known;
  const page = Object.keys(referencePages).find(
    (path) => path.startsWith("/docs/") && uri === `${uriOf(path)}.md`,
  );
  if (page !== undefined) return { path: `${page}.md`, mimeType: markdown };
  const code = Object.keys({ ...errorCodes, ...itemErrorCodes }).find(
    (each) => uri === `${uriOf(errorsFolder)}${each}.md`,
  );
  return code === undefined ? undefined : { path: `${errorsFolder}${code}.md`, mimeType: markdown };
}

export async function readResource(uri: string, api: Api) {
  const found = pathOf(uri);
  if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource not found: ${uri}`, { uri });
  const response = await api.page(found.path);
  const text = await response.text();
  if (!response.ok || Buffer.byteLength(JSON.stringify(text)) > mcpLimits.resultBytesMax)
    throw new ProtocolError(ProtocolErrorCode.InternalError, `${found.path} cannot be read right now.`);
  return { contents: [{ uri, mimeType: found.mimeType, text }] };
}
