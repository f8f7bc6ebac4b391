import { changeText, comparedWith } from "./change.ts";
import {
  briefColumns,
  figureColumns,
  figureText,
  headlines,
  reportTitle,
  rowsTable,
  type TextTable,
} from "./columns.ts";
import { noteText, type ReportNote } from "./left-out.ts";
import type { ReviewReport } from "./report.ts";
import { definitions, formatCount } from "./words.ts";

/** The number of rows that people read; CSV, JSON and HTML contain all rows. */
const rowsMax = 15;

/** For the summary of a job or an issue. */
export function markdownReport(report: ReviewReport, { isWide = false } = {}): string {
  const { heads, rows } = rowsTable(report, isWide ? figureColumns : briefColumns);
  const more = rows.length - rowsMax;
  return [
    `### ${reportTitle(report, escaped)}`,
    "",
    ...headlines(report).map((headline) =>
      [
        `- **${headline.name}**: ${figureText(headline)}`,
        ...(headline.change ? [`**${changeText(headline.change)}**`] : []),
      ].join(" "),
    ),
    ...(report.before ? ["", comparedWith(report.before, report.period.time_zone)] : []),
    ...noteParagraphs(report.notes),
    "",
    ...markdownTable({ heads, rows: rows.slice(0, rowsMax) }),
    ...(more > 0 ? ["", `${formatCount(more)} more: \`--format csv\` has all.`] : []),
    "",
    `*${definitions.pullRequests} Acceptance: ${definitions.acceptance} ` +
      `Time to first human review: ${definitions.timeToFirstHumanReview} Time to merge: ${definitions.timeToMerge}${report.by === "team" ? ` ${definitions.teamRows}` : ""}*`,
    "",
  ].join("\n");
}

export const noteParagraphs = (notes: readonly ReportNote[]): string[] =>
  notes.flatMap((note) => ["", noteText(note, { quote: escaped })]);

export const markdownTable = ({ heads, rows }: TextTable): string[] => [
  line(heads.map(({ text }) => escaped(text))),
  line(heads.map(({ isNumber }) => (isNumber ? "--:" : "---"))),
  ...rows.map((cells) =>
    line(cells.map((cell, at) => (heads[at]?.isAddress && plainAddress.test(cell) ? cell : escaped(cell)))),
  ),
];

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** An address without markup stays a link. */
const plainAddress = /^https:\/\/[A-Za-z0-9./%-]+$/;

/** Many programs make links and mentions of these even if they are escaped, but never in code. */
const followed = /:\/\/|www\.|@/i;

/** Names come from outside: they must not end a cell, create a link, mention anybody or become markup. */
export function escaped(name: string): string {
  const oneLine = name.replaceAll(/[\r\n]+/g, " ");
  if (followed.test(oneLine)) return `\`${oneLine.replaceAll(/[\\`<>|&]/g, "'")}\``;
  return oneLine.replaceAll(/[\\`*_{}[\]<>()#|!~&:]/g, (character) =>
    character === "&" ? "&amp;" : character === "<" ? "&lt;" : `\\${character}`,
  );
}
