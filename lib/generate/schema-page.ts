import type { Column, ColumnType } from "../mirror/datasets/columns.ts";
import { type Dataset, type DatasetName, datasetNamed, datasetNames } from "../mirror/datasets/datasets.ts";
import { typeIn, type Warehouse, warehouses } from "../mirror/datasets/sql.ts";
import { type ApiDocument, endpointsOf, type JsonSchema } from "../reference/document.ts";
import { required } from "../runtime/required.ts";
import { markdownTable } from "./marked-parts.ts";

/** What a dashboard needs: when, where, who, and what is counted. */
const dashboardColumns: Readonly<Record<DatasetName, readonly string[]>> = {
  reviews: [
    ...["merged_at", "status", "organization_name", "repository_full_name", "author_username"],
    ...[
      "created_at",
      "ready_for_review_at",
      "first_human_review_at",
      "review_iterations",
      "coderabbit_comments",
    ],
  ],
  "review-comments": ["merged_at", "repository_id", "coderabbit_comments"],
  mcp: ["merged_at", "repository_id", "servers"],
  learnings: ["repository_name", "learning", "usage_count", "last_used_at", "created_at"],
  "audit-logs": ["created_at", "action", "actor", "summary"],
  security: ["severity", "state", "repository_name", "title", "detected_at"],
  teams: ["name", "user_ids"],
  people: ["username", "email", "seat_assigned", "role"],
  repositories: ["full_name", "name"],
};

/** docs/use/schema.md: the columns of every dataset. `released`: the interface of the last release, as JSON. */
export function schemaPage(released: string): string {
  const document: ApiDocument = JSON.parse(released);
  const known = releasedFields(document);
  const { version } = document.info;
  return [
    "# Schema of the datasets",
    "The fields of every dataset that `review-api export` writes, in JSON, NDJSON and Parquet. CSV has the same fields as columns; nested fields are flattened, and lists are JSON in a cell. The fields that a dashboard needs come first. **key** marks the fields that together identify a record. All times are UTC. Parquet and the tables of `review-api export sql` have the same names; the types of each system are below.",
    "Later releases may add fields at the end. Removing or renaming one, or changing its type, is a [breaking change](limits.md#what-v1-promises).",
    ...datasetNames
      .map(datasetNamed)
      .flatMap((dataset) => [`## ${dataset.name}`, fieldTable(dataset, version, known)]),
    "## Types",
    "`export sql` and Parquet write these types. A list or an object in a record is nested in DuckDB and Parquet, and JSON in the others.",
    markdownTable(
      ["Here", ...warehouses.map((warehouse) => warehouseNames[warehouse]), "Parquet"],
      typeExamples.map(([type, parquet]) => [
        typeWords(type),
        ...warehouses.map((warehouse) => typeIn(warehouse, type)),
        parquet,
      ]),
    ),
    "",
  ]
    .join("\n\n")
    .replace(/\n+$/, "\n");
}

type Row = { readonly path: string; readonly column: Column };

function fieldTable(
  dataset: Dataset,
  version: string,
  known: (operation: string, path: string) => boolean,
): string {
  const first = dashboardColumns[dataset.name];
  const place = ({ name }: Column) => (first.includes(name) ? first.indexOf(name) : first.length);
  const ordered = dataset.columns.toSorted((one, other) => place(one) - place(other));
  return markdownTable(
    ["Field", "Type", "Null", "Meaning", "Since"],
    [...rowsOf(ordered, "")].map(({ path, column }) => {
      const meaning = required(column.meaning, `description of ${path} in ${dataset.name}`);
      return [
        `\`${path}\`${dataset.key.includes(path) ? " **key**" : ""}`,
        typeWords(column.type),
        column.isNullable ? nullWords(meaning) : "never",
        meaning,
        known(dataset.operation, path) ? version : `after ${version}`,
      ];
    }),
  );
}

/** The fields of a list or an object follow it. Objects with a field for each word of a list are shown once. */
function* rowsOf(columns: readonly Column[], prefix: string): Generator<Row> {
  for (const column of columns) {
    const path = `${prefix}${column.name}`;
    yield { path, column };
    const fields = fieldsIn(column.type);
    const [one] = fields;
    const isByWord = fields.length > 2 && fields.every(({ type }) => sameType(type, one?.type));
    if (isByWord && one) {
      for (const field of fields) yield { path: `${path}.${field.name}`, column: field };
      yield* rowsOf(fieldsIn(one.type), `${path}.….`);
    } else yield* rowsOf(fields, `${path}${column.type.kind === "list" ? "[]." : "."}`);
  }
}

const fieldsIn = (type: ColumnType): readonly Column[] =>
  type.kind === "struct" ? type.fields : type.kind === "list" ? fieldsIn(type.element) : [];

const sameType = (one: ColumnType, other: ColumnType | undefined): boolean =>
  one.kind === "struct" && JSON.stringify(one) === JSON.stringify(other);

const words = {
  text: "text",
  timestamp: "time",
  integer: "whole number",
  number: "number",
  boolean: "true or false",
  json: "any JSON",
  struct: "object",
} as const;

const typeWords = (type: ColumnType): string =>
  type.kind === "list" ? `list of ${plural(typeWords(type.element))}` : words[type.kind];
const plural = (word: string): string => (word === "text" ? "texts" : `${word}s`);

const warehouseNames: Readonly<Record<Warehouse, string>> = {
  duckdb: "DuckDB",
  postgres: "Postgres",
  bigquery: "BigQuery",
  snowflake: "Snowflake",
};
const text: ColumnType = { kind: "text" };
const typeExamples: readonly (readonly [ColumnType, string])[] = [
  [text, "UTF8"],
  [{ kind: "timestamp" }, "TIMESTAMP(MILLIS, UTC)"],
  [{ kind: "integer" }, "INT64"],
  [{ kind: "number" }, "DOUBLE"],
  [{ kind: "boolean" }, "BOOLEAN"],
  [{ kind: "struct", fields: [{ name: "url", type: text, isNullable: false }] }, "group"],
  [{ kind: "list", element: text }, "LIST"],
  [{ kind: "json" }, "JSON"],
];

/** The part of the meaning that says when the field is null. */
const nullWords = (meaning: string): string =>
  /\bnull(?:, or left out,)? ([^.;]+)/.exec(meaning)?.[1] ?? "where unknown";

/** Whether an operation of the released interface answers with a field. */
function releasedFields(document: ApiDocument): (operation: string, path: string) => boolean {
  const has = (schema: JsonSchema | undefined, names: readonly string[]): boolean => {
    const [name, ...rest] = names;
    if (schema === undefined || name === undefined) return schema !== undefined;
    const { $ref, properties = {}, items, anyOf = [], additionalProperties } = schema;
    if ($ref !== undefined) return has(document.components.schemas[$ref.split("/").at(-1) ?? ""], names);
    const others = typeof additionalProperties === "object" ? additionalProperties : undefined;
    if (name === "…") return [...Object.values(properties), others].some((value) => has(value, rest));
    return (
      (Object.hasOwn(properties, name) && has(properties[name], rest)) ||
      [items, ...anyOf].some((part) => has(part, names)) ||
      has(others, rest)
    );
  };
  const answers = new Map(
    endpointsOf(document).map(({ operationId, responses }) => [
      operationId,
      responses[200]?.content?.["application/json"]?.schema,
    ]),
  );
  return (operation, path) => has(answers.get(operation), ["data", ...path.replaceAll("[]", "").split(".")]);
}
