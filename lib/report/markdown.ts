import { headlines, reportTitle, rowsTable } from "./columns.ts";
import type { ReviewReport } from "./report.ts";
import { definitions, formatCount } from "./words.ts";

/** The number of rows that fit in a chat message; JSON and HTML contain all rows. */
const rowsMax = 15;

/** For a chat message or the summary of a job. */
export function markdownReport(report: ReviewReport): string {
  const { nameColumns, heads, rows } = rowsTable(report);
  const more = rows.length - rowsMax;
  return [
    `### ${reportTitle(report)}`,
    "",
    ...headlines(report).map(([name, value]) => `- **${name}**: ${value}`),
    "",
    line(heads.map(escaped)),
    line(heads.map((_, column) => (column < nameColumns ? "---" : "--:"))),
    ...rows.slice(0, rowsMax).map((cells) => line(cells.map(escaped))),
    ...(more > 0 ? ["", `${formatCount(more)} more: \`--format json\` and \`--format html\` have all.`] : []),
    "",
    `*${definitions.pullRequests} Acceptance: ${definitions.acceptance} ` +
      `Time to first human review: ${definitions.timeToFirstHumanReview} Time to merge: ${definitions.timeToMerge}*`,
    "",
  ].join("\n");
}

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** Names come from outside: they must not end a cell, create a link, mention anybody or become markup. */
const escaped = (cell: string): string =>
  cell
    .replaceAll(/[\r\n]+/g, " ")
    .replaceAll(/[\\`*_{}[\]<>()#|!~@&:]/g, (character) =>
      character === "&"
        ? "&amp;"
        : character === "<"
          ? "&lt;"
          : character === "@"
            ? "&#64;"
            : `\\${character}`,
    );
