import { readFileSync } from "node:fs";
import * as z from "zod";

const schema = z.object({
  section: z.object({
    tables: z.array(
      z.object({
        title: z.string(),
        columns: z.array(z.string()),
        rows: z.array(z.array(z.union([z.string(), z.number()]))),
      }),
    ),
  }),
});

type Row = Readonly<Record<string, string | number>>;

/** A table of a benchmark in docs/reports/benchmarks/results, by its columns. */
export function rowsOf(section: string, table: string): readonly Row[] {
  const file = new URL(`../../../../docs/reports/benchmarks/results/${section}.json`, import.meta.url);
  const { tables } = schema.parse(JSON.parse(readFileSync(file, "utf8"))).section;
  const found = tables.find(({ title }) => title === table);
  if (!found) throw new Error(`${section}.json has no table "${table}".`);
  return found.rows.map((row) =>
    Object.fromEntries(found.columns.map((column, index) => [column, row[index] ?? ""])),
  );
}

/** A number of the row whose cells include all of these. */
export function measured(
  section: string,
  table: string,
  row: readonly (string | number)[],
  column: string,
): number {
  const rows = rowsOf(section, table);
  const value = rows.find((each) => row.every((cell) => Object.values(each).includes(cell)))?.[column];
  if (typeof value !== "number")
    throw new Error(`${section}.json has no ${column} of ${row.join(", ")} in "${table}".`);
  return value;
}
