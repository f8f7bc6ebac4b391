import type { ComponentChildren, VNode } from "preact";
import type { CsvCell } from "../lib/contract/csv-row.ts";
import { acceptanceFirst, type FigureName, figureColumns } from "../lib/report/columns.ts";
import { csvTable } from "../lib/report/csv.ts";
import type { Figures } from "../lib/report/figures.ts";
import { formatCount, longDay, noValue } from "../lib/report/words.ts";

/** A column as a table shows it. */
export type ShownColumn<Row> = {
  /** A text, or the whole cell. */
  readonly head: string | VNode;
  readonly cell: (row: Row) => ComponentChildren;
  /** The class of its cells: `number`, `text` for sentences that may take several lines, or one for each row. */
  readonly look?: string | ((row: Row) => string);
};

/** The same as written to a file too. */
export type TableColumn<Row> = ShownColumn<Row> & {
  /** The name in the file, with its unit. */
  readonly name: string;
  readonly value: (row: Row) => CsvCell;
};

export type Numbers<Row> = {
  /** The name of the file, without its extension. */
  readonly name: string;
  readonly caption: string;
  readonly columns: ReadonlyArray<TableColumn<Row>>;
  readonly rows: readonly Row[];
};

export const textColumn = <Row>(
  name: string,
  head: string,
  text: (row: Row) => string | null,
): TableColumn<Row> => ({ name, head, cell: text, value: text });

/** A date as people read it; in a file as programs do. */
export const dateColumn = <Row>(
  name: string,
  head: string,
  instant: (row: Row) => string | null,
  { none = "", format = longDay } = {},
): TableColumn<Row> => ({
  name,
  head,
  value: instant,
  cell: (row) => {
    const found = instant(row);
    return found === null ? none : format(found);
  },
});

export const countColumn = <Row>(
  name: string,
  head: string,
  value: (row: Row) => number | null,
  format: (value: number) => string = formatCount,
): TableColumn<Row> => {
  const text = (found: number | null) => (found === null ? noValue : format(found));
  return { name, head, cell: (row) => text(value(row)), value, look: "number" };
};

type WithFigures = { readonly figures: Figures };

/** Columns of lib/report: all of them, or those that are named. */
export const figureColumnsOf = <Row extends WithFigures>(
  ...names: readonly FigureName[]
): TableColumn<Row>[] =>
  acceptanceFirst(figureColumns.filter(({ name }) => names.length === 0 || names.includes(name))).map(
    ({ name, head, value, text }) => ({
      name,
      head,
      look: "number",
      cell: ({ figures }) => text(figures),
      value: ({ figures }) => value(figures),
    }),
  );

export const csvOf = <Row>({ columns, rows }: Numbers<Row>): string =>
  csvTable(
    columns.map(({ name, value }) => [name, value] as const),
    rows,
  );
