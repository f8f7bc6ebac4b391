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
};

const resources: readonly Resource[] = [
  {
    name: "guide",
    title: "Guide",
    description: "The list of pages about keys, pagination, limits and every group of operations.",
    path: "/docs/guide.md",
  },
  {
    name: "mcp",
    title: "Assistants (MCP)",
    description: "How these tools work: limits, errors, what is logged.",
    path: "/docs/mcp.md",
  },
  {
    name: "errors",
    title: "Error codes",
    description: "Every error code with its meaning.",
    path: "/docs/errors.md",
  },
  {
    name: "openapi",
    title: "OpenAPI document",
    description:
      "Every operation with its schemas, limits and examples. Large: read it only to write a client.",
    path: "/openapi.json",
  },
];

const typeOf = (path: string): string => (path.endsWith(".md") ? markdown : "application/json");
const uriOf = (path: string): string => `${scheme}${path.slice(1)}`;

export const listResources = () =>
  resources.map(({ path, ...resource }) => ({ ...resource, uri: uriOf(path), mimeType: typeOf(path) }));

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
const pathOf = (uri: string): string | undefined =>
  [
    ...resources.map(({ path }) => path),
    ...Object.keys(referencePages).flatMap((path) => (path.startsWith("/docs/") ? `${path}.md` : [])),
    ...Object.keys({ ...errorCodes, ...itemErrorCodes }).map((code) => `${errorsFolder}${code}.md`),
  ].find((path) => uriOf(path) === uri);

export async function readResource(uri: string, api: Api) {
  const path = pathOf(uri);
  if (path === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource not found: ${uri}`, { uri });
  const response = await api.page(path);
  const text = await response.text();
  if (!response.ok || Buffer.byteLength(JSON.stringify(text)) > mcpLimits.resultBytesMax)
    throw new ProtocolError(ProtocolErrorCode.InternalError, `${path} cannot be read right now.`);
  return { contents: [{ uri, mimeType: typeOf(path), text }] };
}
