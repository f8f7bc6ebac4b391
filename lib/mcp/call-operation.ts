import type { AnyRequest } from "../client/dispatch.ts";
import { mcpLimits } from "../contract/mcp.ts";
import { plural } from "../contract/plural.ts";
import { shortened, valueAt } from "../contract/schema-sentences.ts";
import type { Api } from "./api.ts";
import type { JsonObject, OperationTool } from "./operation-tool.ts";
import { type ToolAnswer, ToolError } from "./result.ts";

/** Calls the tool's operation with the caller's key; the API checks everything except the arguments' names. */
export async function callOperation(tool: OperationTool, args: JsonObject, api: Api): Promise<ToolAnswer> {
  const response = await api.send(tool.operation, requestOf(tool, args));
  const text = await response.text();
  if (text === "") return { text: `Done: ${tool.listing.title}.`, textFields: [] };
  const content: JsonObject = JSON.parse(text);
  return { text: sentenceOf(tool, content), content, textFields: tool.textFields };
}

function requestOf(tool: OperationTool, args: JsonObject): AnyRequest {
  const path: Record<string, string> = {};
  const query: Record<string, unknown> = {};
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    const place = Object.hasOwn(tool.places, name) ? tool.places[name] : undefined;
    if (place === undefined) throw unknownArgument(tool, name);
    if (place === "path") path[name] = pathSegment(name, value);
    else if (place === "body") body[name] = value;
    else if (value !== null) query[name] = queryText(name, value, place);
  }
  for (const name of pathNames(tool))
    if (path[name] === undefined) throw new ToolError("INVALID_REQUEST", `${name}: is required.`);
  return {
    path,
    query: { ...pageSize(tool, args), ...query },
    ...(Object.values(tool.places).includes("body") && { body }),
  };
}

/** A cursor keeps the page size where the operation binds it. */
const pageSize = ({ pageSizeIsBound }: OperationTool, { cursor }: JsonObject) =>
  pageSizeIsBound === undefined || (pageSizeIsBound && cursor !== undefined)
    ? {}
    : { limit: mcpLimits.pageSizeDefault };

const pathNames = ({ places }: OperationTool): string[] =>
  Object.keys(places).filter((name) => places[name] === "path");

/** A segment of dots would lead to another path. */
function pathSegment(name: string, value: unknown): string {
  if (typeof value === "string" && value !== "" && !/^\.+$/.test(value)) return value;
  throw new ToolError("INVALID_REQUEST", `${name}: must be an id, as the other tools return it.`);
}

/** The query is text: an object in it would become "[object Object]", and a comma would make two values of one. */
function queryText(name: string, value: unknown, place: "query" | "list"): string {
  const isPlain = (each: unknown) => ["string", "number", "boolean"].includes(typeof each);
  if (place === "list" && Array.isArray(value)) {
    if (value.every((each) => isPlain(each) && !String(each).includes(","))) return value.join(",");
    throw new ToolError("INVALID_REQUEST", `${name}: must be a list of texts without commas.`);
  }
  if (isPlain(value)) return String(value);
  const allowed = place === "list" ? "a list of texts" : "a text, a number, true or false";
  throw new ToolError("INVALID_REQUEST", `${name}: must be ${allowed}.`);
}

const unknownArgument = ({ places }: OperationTool, name: string) =>
  new ToolError(
    "INVALID_REQUEST",
    `${shortened(name)}: is unknown. Known names: ${Object.keys(places).join(", ") || "none"}.`,
  );

/** How a change ended and how many records the result has: a model should not have to count. */
function sentenceOf({ listing }: OperationTool, content: JsonObject): string {
  const isChange = typeof content.status === "string";
  const counts = Object.entries(content).flatMap(([name, list]) =>
    Array.isArray(list) && (isChange || isListOfRecords(listing.outputSchema, name))
      ? [`${name}: ${plural(list.length, "record")}.`]
      : [],
  );
  const sentences = [
    ...(isChange ? [`Status: ${content.status}.`] : []),
    ...counts,
    ...(content.dry_run === true ? ["This was a dry run: nothing changed."] : []),
    ...(typeof content.next_cursor === "string"
      ? ["There may be more: call the tool again with the same filters and cursor set to next_cursor."]
      : []),
  ];
  return sentences.join(" ") || "The result follows.";
}

/** Not a list of texts, such as the permissions of a key. */
const isListOfRecords = (schema: unknown, name: string): boolean =>
  valueAt(schema, ["properties", name, "items", "type"]) === "object";
