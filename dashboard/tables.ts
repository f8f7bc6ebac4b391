import { type CsvCell, csvRow } from "../lib/contract/csv-row.ts";
import { type FigureColumn, type FigureName, figureColumns } from "../lib/report/columns.ts";
import type { Figures } from "../lib/report/figures.ts";

/** The numbers of a chart: formatted for people, and as written to a file. */
export type TableColumn<Row> = {
  /** The name in the file, with its unit. */
  readonly name: string;
  readonly head: string;
  readonly text: (row: Row) => string;
  readonly value: (row: Row) => CsvCell;
  readonly isNumber: boolean;
  /** Sentences: they may take several lines. */
  readonly hasWords?: true;
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
): TableColumn<Row> => ({ name, head, text: (row) => text(row) ?? "", value: text, isNumber: false });

export const wordsColumn = <Row>(...given: Parameters<typeof textColumn<Row>>): TableColumn<Row> => ({
  ...textColumn(...given),
  hasWords: true,
});

export const countColumn = <Row>(
  name: string,
  head: string,
  value: (row: Row) => number | null,
  format: (value: number) => string = (value) => value.toLocaleString("en-US"),
): TableColumn<Row> => ({
  name,
  head,
  text: (row) => {
    const found = value(row);
    return found === null ? "–" : format(found);
  },
  value,
  isNumber: true,
});

type WithFigures = { readonly figures: Figures };

/** Columns of lib/report: all of them, or those that are named. Acceptance first: a phone shows two columns. */
export const figureColumnsOf = <Row extends WithFigures>(
  ...names: readonly FigureName[]
): TableColumn<Row>[] =>
  figureColumns
    .filter(({ name }) => names.length === 0 || names.includes(name))
    .toSorted((one, other) => Number(other.name === "acceptance") - Number(one.name === "acceptance"))
    .map(({ name, head, value, text }: FigureColumn) => ({
      name,
      head,
      text: ({ figures }) => text(figures),
      value: ({ figures }) => value(figures),
      isNumber: true,
    }));

export const csvOf = <Row>({ columns, rows }: Numbers<Row>): string =>
  [
    csvRow(columns.map(({ name }) => name)),
    ...rows.map((row) => csvRow(columns.map(({ value }) => value(row)))),
  ].join("");
