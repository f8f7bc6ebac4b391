import type { JSONObject, Tool as ListedTool } from "@modelcontextprotocol/server";
import type { OperationName } from "../client/client.ts";
import type { KeyKind } from "../contract/access.ts";
import type { Only } from "../contract/only.ts";

export type JsonObject = { readonly [name: string]: unknown };

export type ToolListing = ListedTool & {
  readonly title: string;
  readonly inputSchema: { readonly properties: JSONObject; readonly required?: string[] };
};

/** Who may call a tool: the policy of its operation. */
export type ToolPolicy = {
  readonly kinds: readonly KeyKind[];
  /** A permission, or `admin`. */
  readonly needs: string | null;
  readonly needsOfKind: Readonly<Partial<Record<KeyKind, string>>>;
  /** What a narrow key needs; null for nothing. */
  readonly only: Only | null;
};

export type OperationTool = ToolPolicy & {
  readonly operation: OperationName;
  readonly listing: ToolListing;
  /** Where the API takes each argument. A `list` is an array here, and one text with commas in the query. */
  readonly places: Readonly<Record<string, "path" | "query" | "list" | "body">>;
  /** Arguments that only some kinds of key use. */
  readonly kindsOfArgument: Readonly<Record<string, readonly KeyKind[]>>;
  /** What a workspace's key must send. */
  readonly workspaceNames?: "org_id";
  /** Present if the operation has pages: whether its cursor keeps the page size. */
  readonly pageSizeIsBound?: boolean;
  /** Fields of the answer with text that people wrote. */
  readonly textFields: readonly string[];
};
