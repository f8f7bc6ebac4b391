import { jsonType, type Reply } from "./reply.ts";

export type ListFormat = "json" | "csv" | "ndjson";
export type Cell = string | number | boolean | null | readonly unknown[];
export type Column<Record> = { readonly name: string; readonly cell: (record: Record) => Cell };

export type List<Record> = {
  readonly format: ListFormat;
  readonly records: readonly Record[];
  /** The array's name in JSON. */
  readonly name: string;
  /** For CSV, in the order of the file. */
  readonly columns: ReadonlyArray<Column<Record>>;
  /** Where it was asked for: what is gone. Never in CSV. */
  readonly removed?: readonly object[];
  readonly nextCursor: string | null;
  /** Only on the last page of a walk that can be taken up again later. */
  readonly resumeCursor?: string | null;
};

/** One page of records in the format that was asked for. */
export function listReply<Record>(list: List<Record>): Reply {
  const headers = cursorHeaders(list);
  if (list.format === "json") {
    const { removed } = list;
    const json = { [list.name]: list.records, ...(removed && { removed }), next_cursor: list.nextCursor };
    return { bytes: Buffer.from(JSON.stringify(json)), contentType: jsonType, headers };
  }
  return list.format === "csv"
    ? { bytes: csv(list.columns, list.records), contentType: "text/csv; charset=utf-8", headers }
    : { bytes: ndjson([...list.records, ...marked(list)]), contentType: "application/x-ndjson", headers };
}

const marked = ({ removed = [] }: Pick<List<unknown>, "removed">): object[] =>
  removed.map((record) => ({ ...record, removed: true }));

/** In JSON too: whoever reads them can ask for the next page while this one is still arriving. */
export const cursorHeaders = ({
  nextCursor,
  resumeCursor,
}: Pick<List<unknown>, "nextCursor" | "resumeCursor">) => ({
  ...(resumeCursor && { "x-resume-cursor": resumeCursor }),
  ...(nextCursor !== null && { "x-next-cursor": nextCursor }),
});

export const ndjson = (records: readonly unknown[]): Buffer =>
  Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(""));

/** RFC 4180 with CRLF and a header row; what a spreadsheet would take for a formula gets a leading quote mark. */
export function csv<Record>(columns: ReadonlyArray<Column<Record>>, records: readonly Record[]): Buffer {
  const rows = [columns.map(({ name }) => csvCell(name)).join(",")];
  for (const record of records) rows.push(columns.map(({ cell }) => csvCell(cell(record))).join(","));
  return Buffer.from(`${rows.join("\r\n")}\r\n`);
}

/** What spreadsheets begin a formula with, also in full width, and the blanks that they pass over before it. */
const formula = /^[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]/;

function csvCell(cell: Cell): string {
  if (cell === null) return "";
  const text = typeof cell === "object" ? JSON.stringify(cell) : String(cell);
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
