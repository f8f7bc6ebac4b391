import { type KeyKind, keyKinds } from "../contract/access.ts";
import { fieldsWithText } from "../contract/mcp.ts";
import type { ListedOperation } from "../contract/operations.ts";
import { argumentWords, type Tool, toolName, tools } from "../contract/tools.ts";
import { describeParameters, objectSchema } from "./document.ts";
import { describeSchema, jsonSchema } from "./properties.ts";
import { type Schema, shortInput } from "./short-schema.ts";

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
  return {
    operation: operation.id,
    listing: {
      name: toolName(operation.id),
      title,
      description: text,
      inputSchema: {
        type: "object",
        properties: Object.fromEntries(
          args.map(({ name, schema }) => [
            name,
            shortInput(name, schema, (each) => wordsOf(operation.id, each)),
          ]),
        ),
        required: args.filter(({ isRequired }) => isRequired).map(({ name }) => name),
      },
      // What is left out is the protocol's default.
      annotations: write
        ? { destructiveHint: write.destructive, idempotentHint: write.idempotent }
        : { readOnlyHint: true },
    },
    places: Object.fromEntries(args.map(({ name, place }) => [name, place])),
    ...(operation.organization === "required" && { workspaceNames: "org_id" }),
    kindsOfArgument: Object.fromEntries(args.flatMap(({ name, kinds }) => (kinds ? [[name, kinds]] : []))),
    ...(operation.paging && { pageSizeIsBound: operation.paging.bindsPageSize }),
    textFields: operation.answer.schema ? textFieldsIn(jsonSchema(operation.answer.schema, "output")) : [],
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
        schema: { ...(list ?? schema), description },
        isRequired,
      });
    }
  const body = operation.body ? objectSchema.parse(describeSchema(operation, "body", operation.body)) : {};
  for (const [name, schema] of Object.entries(body.properties ?? {}))
    add({
      name,
      place: "body",
      schema,
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

const wordsOf = (operation: string, name: string): string | undefined =>
  argumentWords[`${operation}.${name}`] ?? argumentWords[name];

function textFieldsIn(schema: Schema): string[] {
  const names = [...JSON.stringify(schema).matchAll(/"(\w+)":\{/g)].map(([, name = ""]) => name);
  return fieldsWithText.filter((field) => names.includes(field));
}
