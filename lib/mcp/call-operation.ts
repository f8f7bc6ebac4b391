import { ReviewApiError } from "../client/client.ts";
import type { AnyRequest } from "../client/dispatch.ts";
import { mcpLimits } from "../contract/mcp.ts";
import { plural } from "../contract/plural.ts";
import { shortened, valueAt } from "../contract/schema-sentences.ts";
import type { Api } from "./api.ts";
import type { JsonObject, OperationTool } from "./operation-tool.ts";
import { invalid, moreSentence, type ToolAnswer } from "./result.ts";

/** Calls the tool's operation with the caller's key; the API checks everything except the arguments' names. */
export async function callOperation(tool: OperationTool, args: JsonObject, api: Api): Promise<ToolAnswer> {
  const request = requestOf(tool, args);
  // The API answers 204 for a Learning that does not exist, too: whoever asked wants to know.
  const before =
    tool.operation === "deleteLearning"
      ? await api.send("getLearning", request).catch(answerOf)
      : { status: 200 };
  const text = await (await api.send(tool.operation, request)).text();
  if (before.status === 404)
    return { text: "There is no such Learning: nothing was deleted.", textFields: [], isError: true };
  const doubt = before.status === 200 ? "" : " Whether it existed is not known.";
  if (text === "") return { text: `Done: ${tool.listing.title}.${doubt}`, textFields: [] };
  const content: JsonObject = JSON.parse(text);
  const isError = content.status === "failure";
  return { text: sentenceOf(tool, content, args), content, textFields: tool.textFields, isError };
}

const answerOf = (error: unknown) => (error instanceof ReviewApiError ? error : { status: 0 });

function requestOf(tool: OperationTool, args: JsonObject): AnyRequest {
  const path: Record<string, string> = {};
  const query: Record<string, unknown> = {};
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    const place = Object.hasOwn(tool.places, name) ? tool.places[name] : undefined;
    if (place === undefined)
      throw invalid(
        `${shortened(name)}: is unknown. Known names: ${Object.keys(tool.places).join(", ") || "none"}.`,
      );
    if (place === "path") path[name] = pathSegment(name, value);
    else if (place === "body") body[name] = value;
    else if (value !== null) query[name] = queryValue(tool, name, value);
  }
  for (const name of pathNames(tool)) if (path[name] === undefined) throw invalid(`${name}: is required.`);
  return {
    path,
    query: { ...pageSize(tool, args), ...query },
    ...(Object.values(tool.places).includes("body") && { body: { ...bodyDefaults(tool), ...body } }),
  };
}

/** A cursor keeps the page size where the operation binds it. */
const pageSize = ({ pageSizeIsBound }: OperationTool, { cursor }: JsonObject) =>
  pageSizeIsBound === undefined || (pageSizeIsBound && cursor !== undefined)
    ? {}
    : { limit: mcpLimits.pageSizeDefault };

/** The API returns the nearest Learnings however far away they are: to a model, an unrelated one looks like an answer. */
const bodyDefaults = ({ operation }: OperationTool) =>
  operation === "searchLearnings" ? { min_score: mcpLimits.scoreMinDefault } : {};

const pathNames = ({ places }: OperationTool): string[] =>
  Object.keys(places).filter((name) => places[name] === "path");

/** A segment of dots would lead to another path. */
function pathSegment(name: string, value: unknown): string {
  if (isText(value) && typeof value === "string" && value !== "" && !/^\.+$/.test(value)) return value;
  throw invalid(`${name}: must be an id, as the other tools return it.`);
}

/** Half a surrogate pair cannot be in an address. */
const isText = (each: unknown) =>
  ["string", "number", "boolean"].includes(typeof each) && String(each).isWellFormed();

/** The query is text: an object in it would become "[object Object]", and a comma would make two values of one. */
function queryValue({ places, listing }: OperationTool, name: string, value: unknown): unknown {
  const isList = valueAt(listing.inputSchema.properties, [name, "type"]) === "array";
  if (isText(value)) return value;
  if (!isList || !Array.isArray(value))
    throw invalid(`${name}: must be a ${isList ? "list of texts" : "text, a number, true or false"}.`);
  if (places[name] !== "list" && value.every(isText)) return value;
  if (value.every((each) => isText(each) && !String(each).includes(","))) return value.join(",");
  throw invalid(`${name}: must be a list of texts without commas.`);
}

/** How a change ended and how many records the result has: a model should not have to count. */
function sentenceOf({ places }: OperationTool, content: JsonObject, args: JsonObject): string {
  const isChange = typeof content.status === "string";
  const counts = Object.entries(content).flatMap(([name, list]) =>
    Array.isArray(list) && (isChange || list.every((each) => typeof each === "object"))
      ? [`${name}: ${plural(list.length, "record")}.`]
      : [],
  );
  const found = new Set(Array.from(JSON.stringify(content).matchAll(/ids?":"([^"]*)"/g), ([, id]) => id));
  const unknown = Object.entries(isChange ? {} : args).flatMap(([name, value]) => {
    const isFilter = /_ids?$/.test(name) && name !== "org_id" && places[name] !== "path";
    const ids = isFilter ? String(value).split(",") : [];
    const missing = ids.filter((id) => !found.has(id.slice(id.indexOf(":") + 1)));
    const names = missing.map((id) => JSON.stringify(shortened(id))).join(", ");
    return names ? [`${name}: no record here has ${names}; it takes ids, not names.`] : [];
  });
  const sentences = [
    ...(isChange ? [`Status: ${content.status}.`] : []),
    ...counts,
    ...unknown,
    ...(content.dry_run === true ? ["This was a dry run: nothing changed."] : []),
    ...(typeof content.next_cursor === "string" ? [moreSentence] : []),
  ];
  return sentences.join(" ") || "The result follows.";
}
