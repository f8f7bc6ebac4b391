import { type Column, csv, ndjson } from "../../lib/http/list.ts";

export const formats = ["json", "ndjson", "csv"] as const;
export type Format = (typeof formats)[number];

/**
 * How a page of records becomes bytes that can follow the pages before it. `ending` closes the whole; whoever
 * goes on later cuts it off again.
 */
export type Writer<Record> = {
  readonly beginning: Buffer;
  page(records: readonly Record[], isFirst: boolean): Buffer;
  readonly ending: Buffer;
};

export function writerOf<Record>(format: Format, columns: ReadonlyArray<Column<Record>>): Writer<Record> {
  const nothing = Buffer.alloc(0);
  if (format === "ndjson") return { beginning: nothing, page: ndjson, ending: nothing };
  if (format === "csv") {
    const beginning = csv(columns, []);
    return {
      beginning,
      page: (records) => csv(columns, records).subarray(beginning.length),
      ending: nothing,
    };
  }
  return {
    beginning: Buffer.from("["),
    page: (records, isFirst) => {
      const text = records.map((record) => `\n${JSON.stringify(record)}`).join(",");
      return Buffer.from(isFirst || text === "" ? text : `,${text}`);
    },
    ending: Buffer.from("\n]\n"),
  };
}
