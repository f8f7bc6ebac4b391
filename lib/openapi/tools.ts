import { type KeyKind, keyKinds } from "../contract/access.ts";
import { fieldsWithText, mcpLimits } from "../contract/mcp.ts";
import type { ListedOperation } from "../contract/operations.ts";
import { type Tool, tools } from "../contract/tools.ts";
import { describeParameters, describeSchema, jsonSchema, objectSchema } from "./document.ts";
import { type Schema, shortAnswer, shortInput } from "./short-schema.ts";

/** The tools of `POST /mcp`, made from the contract: a generated file, so that the function loads no schemas of zod. */
export const toolsFile = (operations: readonly ListedOperation[]): string =>
  [
    "// Made by npm install from lib/contract. Do not edit.",
    'import type { OperationTool } from "./operation-tool.ts";',
    "",
    "export const operationTools: readonly OperationTool[] = [",
    ...describeTools(operations).map((tool) => `  ${JSON.stringify(tool)},`),
    "];",
    "",
  ].join("\n");

const describeTools = (operations: readonly ListedOperation[]) =>
  operations.flatMap((operation) => {
    const tool = tools[operation.id];
    return tool ? [describeTool(operation, tool)] : [];
  });

function describeTool(operation: ListedOperation, { title, text, write }: Tool) {
  const args = argumentsOf(operation);
  const output = operation.answer.schema && answerOf(jsonSchema(operation.answer.schema, "output"));
  return {
    operation: operation.id,
    listing: {
      name: operation.id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      title,
      description: text,
      inputSchema: {
        type: "object",
        properties: Object.fromEntries(args.map(({ name, schema }) => [name, schema])),
        required: args.filter(({ isRequired }) => isRequired).map(({ name }) => name),
        additionalProperties: false,
      },
      ...(output && { outputSchema: output }),
      annotations: {
        readOnlyHint: write === undefined,
        ...(write && { destructiveHint: write.destructive, idempotentHint: write.idempotent }),
        openWorldHint: false,
      },
    },
    places: Object.fromEntries(args.map(({ name, place }) => [name, place])),
    ...(operation.organization === "required" && { workspaceNames: "org_id" }),
    kindsOfArgument: Object.fromEntries(args.flatMap(({ name, kinds }) => (kinds ? [[name, kinds]] : []))),
    ...(operation.paging && { pageSizeIsBound: operation.paging.bindsPageSize }),
    textFields: output ? textFieldsIn(output) : [],
    kinds: keyKinds.filter((kind) => operation.keys[kind] === "accepted"),
    needs: operation.needs,
    needsOfKind: operation.needsOfKind ?? {},
    only: operation.only,
  };
}

type Argument = {
  readonly name: string;
  readonly place: "path" | "query" | "list" | "body";
  readonly schema: Schema;
  readonly isRequired: boolean;
  /** The only kinds of key that use it; undefined for all. */
  readonly kinds: readonly KeyKind[] | undefined;
};

/** Path, query and body as one list. What the query and the body both take is sent in the body. */
function argumentsOf(operation: ListedOperation): Argument[] {
  const found = new Map<string, Argument>();
  const add = (argument: Omit<Argument, "kinds">) => {
    const kinds = kindsOf(operation, argument.name);
    if (!leftOut.includes(argument.name) && kinds?.length !== 0)
      found.set(argument.name, { ...argument, kinds });
  };
  for (const place of ["path", "query"] as const)
    for (const { name, description, schema, required: isRequired } of describeParameters(operation, place)) {
      const list = listSchema(schema);
      add({
        name,
        place: list ? "list" : place,
        schema: shortInput({ ...(list ?? schema), description: descriptionOf(operation, name, description) }),
        isRequired,
      });
    }
  const body = operation.body ? objectSchema.parse(describeSchema(operation, "body", operation.body)) : {};
  for (const [name, schema] of Object.entries(body.properties ?? {}))
    add({
      name,
      place: "body",
      schema: shortInput({
        ...schema,
        description: descriptionOf(operation, name, String(schema.description)),
      }),
      isRequired: body.required?.includes(name) ?? false,
    });
  return [...found.values()];
}

/** Formats are for files, and removals for mirrors: a model needs neither. */
const leftOut = ["format", "include_removed"];

function kindsOf(operation: ListedOperation, name: string): readonly KeyKind[] | undefined {
  const { organization, instanceScope, keys } = operation;
  if (name === "organization_ids") return ["instance"];
  if (name !== "org_id") return operation.keysOfParameter?.[name];
  const isRead = organization === "optional" || organization === "required";
  return [
    ...(isRead && keys.workspace === "accepted" ? (["workspace"] as const) : []),
    ...(instanceScope === "named" ? (["instance"] as const) : []),
  ];
}

/** The API takes a list as one text with commas; a model sends an array. */
function listSchema({ description }: Schema): Schema | undefined {
  const [found, values, maxItems] =
    /^Comma-separated values(?: of: (.*))?, at most (\d+)\./.exec(String(description)) ?? [];
  if (found === undefined) return undefined;
  const items = { type: "string", ...(values !== undefined && { enum: values.split(", ") }) };
  return { type: "array", items, maxItems: Number(maxItems) };
}

function descriptionOf(
  { paging, organization, instanceScope }: ListedOperation,
  name: string,
  description: string,
) {
  if (name === "limit" && paging) return `Records of a page; ${mcpLimits.pageSizeDefault} unless given.`;
  if (name === "cursor") return "next_cursor of the previous page.";
  if (name !== "org_id" || instanceScope === "named") return description;
  return `provider_organization_id of one organization; ${organization}.`;
}

/** Without `removed`, which only mirrors request. */
function answerOf(schema: Schema): Schema {
  const { properties = {}, ...rest } = objectSchema.parse(schema);
  const { removed: _, ...kept } = properties;
  return shortAnswer({ type: "object", ...rest, properties: kept });
}

function textFieldsIn(schema: Schema): string[] {
  const names = [...JSON.stringify(schema).matchAll(/"(\w+)":\{/g)].map(([, name = ""]) => name);
  return fieldsWithText.filter((field) => names.includes(field));
}
