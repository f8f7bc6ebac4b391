import { type CsvColumn, csvRow } from "../contract/csv-row.ts";
import { ByteWriter } from "../runtime/byte-writer.ts";
import { type BytesResult, jsonType } from "./operation-result.ts";

export type ListFormat = "json" | "csv" | "ndjson";

export type List<Record> = {
  readonly format: ListFormat;
  readonly records: Iterable<Record>;
  /** The array's name in JSON. */
  readonly name: string;
  /** For CSV, in the order of the file. */
  readonly columns: ReadonlyArray<CsvColumn<Record>>;
  /** Writes a record as JSON, for records that are not the JSON's own objects. */
  readonly writeJson?: (out: ByteWriter, record: Record) => void;
  /** About how long the answer will be: the buffer then need not grow. */
  readonly bytesExpected?: number;
  /** The removed records, if the request asks for them. Never in CSV. */
  readonly removed?: readonly object[];
  readonly nextCursor: string | null;
  /** Only on the last page of a walk that can be resumed later. */
  readonly resumeCursor?: string | null;
};

/** One page of records in the requested format. */
export function listResult<Record>(list: List<Record>): BytesResult {
  const headers = cursorHeaders(list);
  if (list.format === "json") return { bytes: renderJson(list), contentType: jsonType, headers };
  return list.format === "csv"
    ? { bytes: renderCsv(list.columns, list.records), contentType: "text/csv; charset=utf-8", headers }
    : { bytes: renderLines(list), contentType: "application/x-ndjson", headers };
}

function renderJson<Record>(list: List<Record>): Buffer {
  const { records, removed, nextCursor, bytesExpected, writeJson = writeObject } = list;
  const out = new ByteWriter(bytesExpected);
  out.text(`{${JSON.stringify(list.name)}:[`);
  let separator = "";
  for (const record of records) {
    out.text(separator);
    writeJson(out, record);
    separator = ",";
  }
  out.text(
    `]${removed ? `,"removed":${JSON.stringify(removed)}` : ""},"next_cursor":${JSON.stringify(nextCursor)}}`,
  );
  return out.written();
}

const writeObject = (out: ByteWriter, record: unknown): void => out.text(JSON.stringify(record));

const marked = ({ removed = [] }: Pick<List<unknown>, "removed">): object[] =>
  removed.map((record) => ({ ...record, removed: true }));

/** Sent for JSON too: a caller can then request the next page while this one is still arriving. */
const cursorHeaders = ({ nextCursor, resumeCursor }: Pick<List<unknown>, "nextCursor" | "resumeCursor">) => ({
  ...(resumeCursor && { "x-resume-cursor": resumeCursor }),
  ...(nextCursor !== null && { "x-next-cursor": nextCursor }),
});

function renderLines<Record>(list: List<Record>): Buffer {
  const { records, writeJson = writeObject } = list;
  const out = new ByteWriter(list.bytesExpected);
  for (const record of records) {
    writeJson(out, record);
    out.text("\n");
  }
  for (const record of marked(list)) out.text(`${JSON.stringify(record)}\n`);
  return out.written();
}

/** With a header row. */
export function renderCsv<Record>(
  columns: ReadonlyArray<CsvColumn<Record>>,
  records: Iterable<Record>,
): Buffer {
  const out = new ByteWriter();
  out.text(csvRow(columns.map(({ name }) => name)));
  for (const record of records) out.text(csvRow(columns.map(({ cell }) => cell(record))));
  return out.written();
}
