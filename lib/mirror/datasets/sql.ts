import type { Column, ColumnType } from "./columns.ts";
import type { Dataset } from "./datasets.ts";

export const warehouses = ["duckdb", "postgres", "bigquery", "snowflake"] as const;
export type Warehouse = (typeof warehouses)[number];

/** A record is one line of the file; the largest pull request of an answer has 16 MiB. */
const lineBytesMax = 64 << 20;

/**
 * Creates the table of a dataset if it does not exist, and brings it up to date with a file of `export … --changes`. All
 * types are explicit: neither an empty file nor its content changes them. Running it twice changes nothing. DuckDB and
 * Postgres do all of it or nothing; in BigQuery and Snowflake the MERGE alone does.
 */
export function loadSql(warehouse: Warehouse, dataset: Dataset, file: string): string {
  return `${[...dialects[warehouse](dataset, file)].join("\n\n")}\n`;
}

type Types = Readonly<Record<Exclude<ColumnType["kind"], "list" | "struct">, string>> & {
  readonly nested: (type: ColumnType) => string;
};

const typesOf: Readonly<Record<Warehouse, Types>> = {
  duckdb: {
    text: "VARCHAR",
    json: "JSON",
    timestamp: "TIMESTAMPTZ",
    integer: "BIGINT",
    number: "DOUBLE",
    boolean: "BOOLEAN",
    nested: duckdbNested,
  },
  postgres: {
    text: "text",
    json: "jsonb",
    timestamp: "timestamptz",
    integer: "bigint",
    number: "double precision",
    boolean: "boolean",
    nested: () => "jsonb",
  },
  bigquery: {
    text: "STRING",
    json: "JSON",
    timestamp: "TIMESTAMP",
    integer: "INT64",
    number: "FLOAT64",
    boolean: "BOOL",
    nested: () => "JSON",
  },
  snowflake: {
    text: "VARCHAR",
    json: "VARIANT",
    timestamp: "TIMESTAMP_TZ",
    integer: "NUMBER(38, 0)",
    number: "DOUBLE",
    boolean: "BOOLEAN",
    nested: () => "VARIANT",
  },
};

export function typeIn(warehouse: Warehouse, type: ColumnType): string {
  const types = typesOf[warehouse];
  return type.kind === "list" || type.kind === "struct" ? types.nested(type) : types[type.kind];
}

function duckdbNested(type: ColumnType): string {
  if (type.kind === "list") return `${duckdbNested(type.element)}[]`;
  if (type.kind !== "struct") return typeIn("duckdb", type);
  return `STRUCT(${type.fields.map((field) => `${field.name} ${duckdbNested(field.type)}`).join(", ")})`;
}

const removed: Column = { name: "removed", type: { kind: "boolean" }, isNullable: true };
const changesOf = ({ columns }: Dataset): readonly Column[] => [...columns, removed];

const dialects: Readonly<Record<Warehouse, (dataset: Dataset, file: string) => Iterable<string>>> = {
  *duckdb(dataset, file) {
    const columns = changesOf(dataset).map(
      ({ name, type }) => `    ${name}: ${quoted(typeIn("duckdb", type))}`,
    );
    yield "BEGIN TRANSACTION;";
    yield createTable(dataset, "duckdb");
    yield `CREATE OR REPLACE TEMP TABLE ${dataset.table}_changes AS
FROM read_json(
  ${quoted(file)},
  format = 'newline_delimited',
  maximum_object_size = ${lineBytesMax},
  columns = {
${columns.join(",\n")}
  }
);`;
    yield merge(dataset, `${dataset.table}_changes`);
    yield "COMMIT;";
  },
  *postgres(dataset, file) {
    const { table } = dataset;
    // Without it psql reads on after an error, and ends with 0.
    yield "\\set ON_ERROR_STOP on";
    yield "BEGIN;";
    yield createTable(dataset, "postgres");
    yield `CREATE TEMP TABLE ${table}_lines (line jsonb) ON COMMIT DROP;`;
    // JSON holds no control characters, so these never occur: every line is one value.
    yield `\\copy ${table}_lines FROM ${quoted(file)} WITH (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')`;
    yield merge(
      dataset,
      `(
  SELECT record.*
  FROM ${table}_lines,
    jsonb_to_record(line) AS record(
${definitions(changesOf(dataset), "postgres", "      ")}
    )
)`,
    );
    yield "COMMIT;";
  },
  *bigquery(dataset, file) {
    yield createTable(dataset, "bigquery");
    yield `LOAD DATA OVERWRITE ${dataset.table}_changes (
${definitions(changesOf(dataset), "bigquery")}
)
FROM FILES (format = 'JSON', uris = [${quoted(file)}]);`;
    yield merge(dataset, `${dataset.table}_changes`);
  },
  *snowflake(dataset, file) {
    const values = changesOf(dataset).map(
      ({ name, type }) => `    $1:${name}::${typeIn("snowflake", type)} AS ${name}`,
    );
    yield createTable(dataset, "snowflake");
    yield "CREATE FILE FORMAT IF NOT EXISTS review_api_ndjson TYPE = JSON STRIP_NULL_VALUES = FALSE;";
    yield merge(
      dataset,
      `(
  SELECT
${values.join(",\n")}
  FROM ${quoted(file)} (FILE_FORMAT => 'review_api_ndjson')
)`,
    );
  },
};

const createTable = ({ table, columns, key }: Dataset, warehouse: Warehouse): string =>
  `CREATE TABLE IF NOT EXISTS ${table} (
${definitions(columns, warehouse, "  ", key)}
);`;

const definitions = (
  columns: readonly Column[],
  warehouse: Warehouse,
  indent = "  ",
  key: readonly string[] = [],
): string =>
  columns
    .map(
      ({ name, type }) =>
        `${indent}${name} ${typeIn(warehouse, type)}${key.includes(name) ? " NOT NULL" : ""}`,
    )
    .join(",\n");

/** The standard's MERGE, in the part that all four understand. */
function merge({ table, columns, key }: Dataset, source: string): string {
  const names = columns.map(({ name }) => name);
  const changed = names.filter((name) => !key.includes(name));
  return `MERGE INTO ${table} AS t
USING ${source} AS s
ON ${key.map((name) => `t.${name} = s.${name}`).join(" AND ")}
WHEN MATCHED AND COALESCE(s.removed, FALSE) THEN DELETE
WHEN MATCHED THEN UPDATE SET
${changed.map((name) => `  ${name} = s.${name}`).join(",\n")}
WHEN NOT MATCHED AND NOT COALESCE(s.removed, FALSE) THEN INSERT (
  ${names.join(", ")}
) VALUES (
  ${names.map((name) => `s.${name}`).join(", ")}
);`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
