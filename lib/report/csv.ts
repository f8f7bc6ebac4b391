import { csvRow } from "../contract/csv-row.ts";
import { figureColumns } from "./columns.ts";
import type { ReviewReport } from "./report.ts";

/** The rows with every figure, as plain numbers: times in minutes, acceptance from 0 to 1. */
export const csvReport = ({ rows }: ReviewReport): string =>
  [
    csvRow(["name", "id", "organization", "in_part", ...figureColumns.map(({ name }) => name)]),
    ...rows.map(({ id, name, organization, in_part, figures }) =>
      csvRow([
        in_part ? id : name,
        id,
        organization,
        in_part,
        ...figureColumns.map(({ value }) => value(figures)),
      ]),
    ),
  ].join("");
