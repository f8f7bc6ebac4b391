import { required } from "../runtime/required.ts";
import { headlines, reportTitle, rowsTable, type TextTable } from "./columns.ts";
import type { ReviewReport } from "./report.ts";
import { definitions } from "./words.ts";

/** For a terminal. */
export function textReport(report: ReviewReport): string {
  const figures = headlines(report);
  const width = Math.max(...figures.map(([name]) => name.length));
  return [
    reportTitle(report),
    "",
    ...figures.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    "",
    alignedTable(rowsTable(report)),
    "",
    `Pull requests: ${definitions.pullRequests}`,
    `Acceptance: ${definitions.acceptance}`,
    `Time to first human review: ${definitions.timeToFirstHumanReview}`,
    `Time to merge: ${definitions.timeToMerge}`,
  ].join("\n");
}

function alignedTable({ nameColumns, heads, rows }: TextTable): string {
  const lines = [heads, ...rows];
  const widths = heads.map((_, column) =>
    Math.max(...lines.map((line) => required(line[column], "cell of a table").length)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => {
          const width = required(widths[column], "width of a column");
          return column < nameColumns ? cell.padEnd(width) : cell.padStart(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
