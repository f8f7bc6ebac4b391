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

/** A number that a benchmark left in docs/benchmarks/results: of the row whose cells include all of these. */
export function measured(
  section: string,
  table: string,
  row: readonly (string | number)[],
  column: string,
): number {
  const file = new URL(`../../../docs/benchmarks/results/${section}.json`, import.meta.url);
  const { tables } = schema.parse(JSON.parse(readFileSync(file, "utf8"))).section;
  const found = tables.find(({ title }) => title === table);
  const cells = found?.rows.find((each) => row.every((cell) => each.includes(cell)));
  const value = cells?.[found?.columns.indexOf(column) ?? -1];
  if (typeof value !== "number")
    throw new Error(`${section}.json has no ${column} of ${row.join(", ")} in "${table}".`);
  return value;
}
