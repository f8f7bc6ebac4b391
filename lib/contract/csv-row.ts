import type * as z from "zod";

/** CSV for responses, exports and pages. This file has no schemas, so that a page in a browser can import it too. */

/** A list is written as JSON. */
export type CsvCell = string | number | boolean | null | readonly unknown[];
export type CsvColumn<Record> = { readonly name: string; readonly cell: (record: Record) => CsvCell };

/** A column for each field, in the order of the schema. Callers rely on the order: new fields come last. */
export const fieldColumns = <Row extends Readonly<Record<string, CsvCell>>>(
  record: z.ZodType<Row> & { readonly shape: object },
): ReadonlyArray<CsvColumn<Row>> =>
  Object.keys(record.shape).map((name) => ({ name, cell: (row) => row[name] ?? null }));

/** RFC 4180 with CRLF. A cell that a spreadsheet would treat as a formula gets a leading quote mark. */
export const csvRow = (cells: readonly CsvCell[]): string => `${cells.map(csvCell).join(",")}\r\n`;

/** What starts a formula in spreadsheets, also in full width, and the whitespace that they skip before it. */
const formula = /^[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]/;

export const isFormula = (text: string): boolean => formula.test(text);

function csvCell(cell: CsvCell): string {
  if (cell === null) return "";
  const text = typeof cell === "object" ? JSON.stringify(cell) : String(cell);
  const safe = isFormula(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
