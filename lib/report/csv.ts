import { csvRow } from "../contract/csv-row.ts";
import { figureColumns } from "./columns.ts";
import type { ReviewReport } from "./report.ts";

/** The rows with every figure, as plain numbers: times in minutes, acceptance from 0 to 1; then the period before. */
export const csvReport = ({ rows }: ReviewReport): string =>
  [
    csvRow([
      "name",
      "id",
      "organization",
      "in_part",
      ...figureColumns.map(({ name }) => name),
      ...figureColumns.map(({ name }) => `before_${name}`),
    ]),
    ...rows.map(({ id, name, organization, in_part, figures, before }) =>
      csvRow([
        in_part ? id : name,
        id,
        organization,
        in_part,
        ...figureColumns.map(({ value }) => value(figures)),
        ...figureColumns.map(({ value }) => before && value(before)),
      ]),
    ),
  ].join("");
