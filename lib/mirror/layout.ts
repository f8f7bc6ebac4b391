import { type CsvColumn, isFormula } from "../contract/csv-row.ts";
import { renderCsv } from "../http/list.ts";
import type { ExportFormat } from "./format.ts";

/** The fields of a record by name; in CSV all of them are text. */
export type RecordFields = Readonly<Record<string, unknown>>;

/** How a file stores records: a record is one row, in CSV one or more. */
export type Layout = {
  /** A first row that names the columns. */
  readonly header: string | null;
  readonly beginning: string;
  /** Written before every row except the first. */
  readonly between: string;
  readonly before: string;
  readonly after: string;
  readonly ending: string;
  /** A row may hold line breaks inside quotes. */
  readonly isQuoted: boolean;
  rowsOf(json: string): readonly string[];
  /** The fields of a row of such a file; undefined if the row is not a record. */
  fieldsOf(row: string): RecordFields | undefined;
};

/** The rows of a record as a table: one row, or one for each element of a list in the record. */
export type CsvTable<Record> = {
  readonly header: string;
  rows(record: Record): readonly string[];
};

const lineEnd = "\r\n";

/** `split` returns what each row of a record is about. */
export function csvTableOf<Record, Row>(
  columns: ReadonlyArray<CsvColumn<Row>>,
  split: (record: Record) => readonly Row[],
): CsvTable<Record> {
  const rowsOf = (rows: readonly Row[]) => renderCsv(columns, rows).toString();
  const header = rowsOf([]);
  return {
    header: header.slice(0, -lineEnd.length),
    rows: (record) => split(record).map((row) => rowsOf([row]).slice(header.length, -lineEnd.length)),
  };
}

export const ndjsonLayout: Layout = {
  header: null,
  beginning: "",
  before: "",
  between: "",
  after: "\n",
  ending: "",
  isQuoted: false,
  rowsOf: (text) => [text],
  fieldsOf: (row) => parseRow(row),
};

/** `read`: the fields that are read back from a row. */
export function layoutOf<Record>(
  format: ExportFormat,
  table: CsvTable<Record>,
  read: readonly string[],
): Layout {
  if (format === "csv") return csvLayout(table, read);
  if (format === "ndjson") return ndjsonLayout;
  return {
    ...ndjsonLayout,
    after: "",
    beginning: "[",
    between: ",",
    before: "\n",
    ending: "\n]\n",
    fieldsOf: (row) => (row.startsWith("{") ? parseRow(row) : undefined),
  };
}

export function parseRow(row: string): RecordFields {
  const fields: RecordFields = JSON.parse(row);
  return fields;
}

function csvLayout<Record>({ header, rows }: CsvTable<Record>, read: readonly string[]): Layout {
  const names = cellsOf(header);
  const columns = read.map((name) => [name, names.indexOf(name)] as const);
  const cellsMax = Math.max(0, ...columns.map(([, column]) => column + 1));
  return {
    header,
    beginning: `${header}${lineEnd}`,
    between: "",
    before: "",
    after: lineEnd,
    ending: "",
    isQuoted: true,
    rowsOf(json) {
      const record: Record = JSON.parse(json);
      return rows(record);
    },
    fieldsOf(row) {
      if (row === header) return undefined;
      const cells = cellsOf(row, cellsMax);
      return Object.fromEntries(columns.map(([name, column]) => [name, withoutGuard(cells[column] ?? "")]));
    },
  };
}

/** The first cells of a row, without their quotes. */
export function cellsOf(row: string, cellsMax = Number.POSITIVE_INFINITY): string[] {
  const cells: string[] = [];
  for (let at = 0; at <= row.length && cells.length < cellsMax; ) {
    if (row[at] === '"') {
      let end = at + 1;
      while (row[end] !== '"' || row[end + 1] === '"') {
        if (end >= row.length) break;
        end += row[end] === '"' ? 2 : 1;
      }
      cells.push(row.slice(at + 1, end).replaceAll('""', '"'));
      at = end + 2;
    } else {
      const comma = row.indexOf(",", at);
      const end = comma < 0 ? row.length : comma;
      cells.push(row.slice(at, end));
      at = end + 1;
    }
  }
  return cells;
}

/** Removes the quote mark that keeps a spreadsheet from running a cell as a formula. */
export const withoutGuard = (cell: string): string =>
  cell.startsWith("'") && isFormula(cell.slice(1)) ? cell.slice(1) : cell;
