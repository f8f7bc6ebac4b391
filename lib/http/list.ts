import { type CsvColumn, csvRow } from "../contract/csv-row.ts";
import { ByteWriter } from "../runtime/byte-writer.ts";
import { jsonText, type Written, writeText } from "../runtime/json-text.ts";
import { type BytesResult, bytesResult, jsonType } from "./operation-result.ts";

export type ListFormat = "json" | "csv" | "ndjson";

/** `Source`: what a record is made from. `Removed` is `never` for a list that names no removed records. */
type List<Source, Record, Removed> = ListCursors & {
  readonly format: ListFormat;
  readonly records: Iterable<Source>;
  /** For CSV, in the order of the file. */
  readonly columns: ReadonlyArray<CsvColumn<Source>>;
  /** Writes a record as JSON, for sources that are not the records themselves. */
  readonly writeJson?: (out: ByteWriter, source: Source) => Written<Record>;
  /** About how long the answer will be: the buffer then need not grow. */
  readonly bytesExpected?: number;
  /** The removed records, if the request asks for them. Never in CSV. */
  readonly removed?: readonly Removed[];
};

type ListCursors = {
  readonly nextCursor: string | null;
  /** Only on the last page of a walk that can be resumed later. */
  readonly resumeCursor?: string | null;
};

/** The answer in JSON. The other formats have the same records. */
type ListAnswer<Record, Removed> = {
  readonly data: readonly Record[];
  readonly next_cursor: string | null;
} & ([Removed] extends [never] ? unknown : { readonly removed?: readonly Removed[] });

/** One page of records in the requested format. */
export function listResult<Source, Record = Source, Removed = never>(
  list: List<Source, Record, Removed>,
): BytesResult<ListAnswer<Record, Removed>> {
  const headers = cursorHeaders(list);
  if (list.format === "json") return bytesResult({ bytes: renderJson(list), contentType: jsonType, headers });
  return list.format === "csv"
    ? csvResult(list)
    : bytesResult({ bytes: renderLines(list), contentType: "application/x-ndjson", headers });
}

/** The same page as CSV only. Its rows can have other sources than its records in JSON. */
export const csvResult = <Row>(
  list: ListCursors & Pick<List<Row, unknown, unknown>, "columns" | "records">,
): BytesResult<never> =>
  bytesResult({
    bytes: renderCsv(list.columns, list.records),
    contentType: "text/csv; charset=utf-8",
    headers: cursorHeaders(list),
  });

function renderJson<Source>(list: List<Source, unknown, unknown>): Buffer {
  const { records, removed, nextCursor, bytesExpected, writeJson = writeRecord } = list;
  const out = new ByteWriter(bytesExpected);
  out.text('{"data":[');
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

const writeRecord = (out: ByteWriter, record: unknown): Written<unknown> => writeText(out, jsonText(record));

const marked = ({ removed = [] }: Pick<List<unknown, unknown, unknown>, "removed">): object[] =>
  removed.map((record) => Object.assign({}, record, { removed: true }));

/** Sent for JSON too: a caller can then request the next page while this one is still arriving. */
const cursorHeaders = ({ nextCursor, resumeCursor }: ListCursors) => ({
  ...(resumeCursor && { "x-resume-cursor": resumeCursor }),
  ...(nextCursor !== null && { "x-next-cursor": nextCursor }),
});

function renderLines<Source>(list: List<Source, unknown, unknown>): Buffer {
  const { records, writeJson = writeRecord } = list;
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
