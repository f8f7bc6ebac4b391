import type { Method } from "./operation.ts";

/** functions/<source>.ts holds the handler. */
export const mcpSource = "mcp";

/** The Model Context Protocol, for assistants. It is not an operation: it has no bucket and no grant of its own. */
export const mcpRoute = {
  source: mcpSource,
  method: "POST" as const satisfies Method,
  path: "/mcp",
  streaming: false,
  /** In the function's API_URL: the id of the API, which the function takes from the context of its request. */
  apiIdPlaceholder: "{apiId}",
  /** Further headers that a client in a browser sends. */
  browserHeaders: [
    ...["authorization", "mcp-protocol-version", "mcp-method", "mcp-name"],
    ...["mcp-session-id", "last-event-id"],
  ],
};

const mebibyte = 1024 * 1024;

export const mcpLimits = {
  bodyBytesMax: mebibyte,
  answerBytesMax: mebibyte,
  /** Objects and lists inside each other in a message: the deepest arguments have five. */
  nestingMax: 32,
  /** What a tool or a resource returns; the rest of the answer is for the protocol. */
  resultBytesMax: mebibyte - 4096,
  /** Records of a page, unless the caller asks for another number. */
  pageSizeDefault: 20,
  /** Of a search, unless the caller asks for another score: the lowest that is not shown as 0. */
  scoreMinDefault: 0.0001,
  /** The largest list of tools, in bytes: about 5,500 tokens. */
  listBytesMax: 22_000,
  toolsMax: 39,
  /** A report that has to wait longer for the rate limit is refused: an assistant waits for the answer. */
  retryAfterSecondsMax: 5,
} as const;

/** How the function names itself to the API. Anybody can send this name, so an audit entry only claims it. */
export const mcpUserAgent = "review-api-mcp";

/** Fields of answers that hold text which people wrote: a model must treat it as data. */
export const fieldsWithText: readonly string[] = [
  ...["learning", "file", "source_url", "title", "description", "evidence", "file_path", "summary"],
  "metadata",
  ...["name", "username", "author_username", "organization_name", "repository_name", "full_name"],
];
