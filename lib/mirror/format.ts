import { extname } from "node:path";
import { UsageError } from "../runtime/operator-error.ts";

export const exportFormats = ["json", "ndjson", "csv"] as const;
export type ExportFormat = (typeof exportFormats)[number];
/** Parquet is made from a whole file of records, so it is no format of standard output. */
export const fileFormats = [...exportFormats, "parquet"] as const;

/** The format that a file's extension stands for. */
export function formatByName<Name extends string>(file: string, known: readonly Name[]): Name {
  const extension = extname(file).toLowerCase();
  const format = known.find((name) => extension === `.${name}`);
  if (format !== undefined) return format;
  const endings = known.map((name) => `.${name}`).join(", ");
  throw new UsageError(
    `--output takes a file whose name ends with one of ${endings}, not ${JSON.stringify(extension || file)}; with --format any name is allowed.`,
  );
}
