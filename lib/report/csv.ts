import { type CsvCell, csvRow } from "../contract/csv-row.ts";
import { figureColumns } from "./columns.ts";
import type { ReportRow, ReviewReport } from "./report.ts";

type CsvColumn<Row> = readonly [name: string, value: (row: Row) => CsvCell];

/** A line of names, and one for each row. */
export const csvTable = <Row>(columns: ReadonlyArray<CsvColumn<Row>>, rows: readonly Row[]): string =>
  [columns.map(([name]) => name), ...rows.map((row) => columns.map(([, value]) => value(row)))]
    .map(csvRow)
    .join("");

const columns: ReadonlyArray<CsvColumn<ReportRow>> = [
  ["name", ({ in_part, id, name }) => (in_part ? id : name)],
  ["id", ({ id }) => id],
  ["organization", ({ organization }) => organization],
  ["in_part", ({ in_part }) => in_part],
  ...figureColumns.map(({ name, value }) => [name, (row: ReportRow) => value(row.figures)] as const),
  ...figureColumns.map(
    ({ name, value }) => [`before_${name}`, ({ before }: ReportRow) => before && value(before)] as const,
  ),
];

/** The rows with every figure, as plain numbers: times in minutes, acceptance from 0 to 1; then the period before. */
export const csvReport = ({ rows }: ReviewReport): string => csvTable(columns, rows);
