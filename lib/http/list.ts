import { type CsvCell, csvRow } from "../contract/csv-row.ts";
import { type BytesResult, jsonType } from "./operation-result.ts";

export type ListFormat = "json" | "csv" | "ndjson";
export type CsvColumn<Record> = { readonly name: string; readonly cell: (record: Record) => CsvCell };

export type List<Record> = {
  readonly format: ListFormat;
  readonly records: readonly Record[];
  /** The array's name in JSON. */
  readonly name: string;
  /** For CSV, in the order of the file. */
  readonly columns: ReadonlyArray<CsvColumn<Record>>;
  /** The removed records, if the request asks for them. Never in CSV. */
  readonly removed?: readonly object[];
  readonly nextCursor: string | null;
  /** Only on the last page of a walk that can be resumed later. */
  readonly resumeCursor?: string | null;
};

/** One page of records in the requested format. */
export function listResult<Record>(list: List<Record>): BytesResult {
  const headers = cursorHeaders(list);
  if (list.format === "json") {
    const { removed } = list;
    const json = { [list.name]: list.records, ...(removed && { removed }), next_cursor: list.nextCursor };
    return { bytes: Buffer.from(JSON.stringify(json)), contentType: jsonType, headers };
  }
  return list.format === "csv"
    ? { bytes: renderCsv(list.columns, list.records), contentType: "text/csv; charset=utf-8", headers }
    : { bytes: ndjson([...list.records, ...marked(list)]), contentType: "application/x-ndjson", headers };
}

const marked = ({ removed = [] }: Pick<List<unknown>, "removed">): object[] =>
  removed.map((record) => ({ ...record, removed: true }));

/** Sent for JSON too: a caller can then request the next page while this one is still arriving. */
export const cursorHeaders = ({
  nextCursor,
  resumeCursor,
}: Pick<List<unknown>, "nextCursor" | "resumeCursor">) => ({
  ...(resumeCursor && { "x-resume-cursor": resumeCursor }),
  ...(nextCursor !== null && { "x-next-cursor": nextCursor }),
});

export const ndjson = (records: readonly unknown[]): Buffer =>
  Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(""));

/** With a header row. */
export function renderCsv<Record>(
  columns: ReadonlyArray<CsvColumn<Record>>,
  records: readonly Record[],
): Buffer {
  const rows = [csvRow(columns.map(({ name }) => name))];
  for (const record of records) rows.push(csvRow(columns.map(({ cell }) => cell(record))));
  return Buffer.from(rows.join(""));
}
