import { renderCsv } from "../lib/http/list.ts";
import { UsageError } from "../lib/runtime/operator-error.ts";
import type { CommandInput, OptionDefinitions } from "./command.ts";
import { formatTable, type Terminal, type TerminalRow } from "./terminal.ts";

const listFormats = ["table", "json", "ndjson", "csv"] as const;
export type ListingFormat = (typeof listFormats)[number];

export const listOptions: OptionDefinitions = {
  format: {
    value: "FORMAT",
    help: `${listFormats.join(", ")} (default table; --json is json)`,
    check: listFormatOf,
  },
};

export function listFormatOf(input: CommandInput): ListingFormat {
  const format = input.choice("format", listFormats);
  if (input.flag("json") && format !== undefined && format !== "json")
    throw new UsageError(`--json and --format ${format} cannot be used together.`);
  return format ?? (input.flag("json") ? "json" : "table");
}

export type Listing<Record extends TerminalRow> = {
  readonly records: readonly Record[];
  /** The JSON document that contains the records. */
  readonly document: object;
  /** A record as one line of a table; without it, the record itself. */
  line?(record: Record): TerminalRow;
  /** The sentence for an empty list, unless the command prints its own. */
  readonly none?: string;
};

/** Tables are for people; every other format is for programs and is the only output on standard output. */
export function showList<Record extends TerminalRow>(
  input: CommandInput,
  terminal: Terminal,
  { records, document, line = (record) => record, none }: Listing<Record>,
): ListingFormat {
  const format = listFormatOf(input);
  if (format === "json") terminal.out(JSON.stringify(document));
  else if (records.length === 0) {
    if (format === "table" && none !== undefined) terminal.out(none);
  } else
    terminal.out(
      format === "table" ? formatTable(records.map(line), terminal.paint) : linesOf(format, records),
    );
  return format;
}

function linesOf(format: "ndjson" | "csv", records: readonly TerminalRow[]): string {
  if (format === "ndjson") return records.map((record) => JSON.stringify(record)).join("\n");
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const columns = names.map((name) => ({ name, cell: (record: TerminalRow) => record[name] ?? null }));
  return renderCsv(columns, records).toString().trimEnd();
}
