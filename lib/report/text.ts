import { required } from "../runtime/required.ts";
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
import { noteText } from "./left-out.ts";
import type { ReviewReport } from "./report.ts";
import { definitions } from "./words.ts";

export const widthMax = 100;

/** For a terminal: 100 characters wide, unless every column is asked for. */
export function textReport(report: ReviewReport, { isWide = false } = {}): string {
  const table = rowsTable(report, isWide ? figureColumns : briefColumns);
  return [
    wrapped(reportTitle(report), widthMax),
    ...(report.before ? [wrapped(comparedWith(report.before, report.period.time_zone), widthMax)] : []),
    ...report.notes.map((note) => wrapped(noteText(note), widthMax)),
    "",
    ...headlineLines(report),
    "",
    alignedTable(isWide ? table : fitted(table, widthMax)),
    "",
    ...[
      `Pull requests: ${definitions.pullRequests}`,
      `Acceptance: ${definitions.acceptance}`,
      `Time to first human review: ${definitions.timeToFirstHumanReview}`,
      `Time to merge: ${definitions.timeToMerge}`,
      ...(report.by === "team" ? [definitions.teamRows] : []),
      definitions.openPullRequests,
      ...(isWide ? [] : ["Times in the table are medians. --wide shows every column."]),
    ].map((sentence) => wrapped(sentence, widthMax)),
  ].join("\n");
}

function headlineLines(report: ReviewReport): string[] {
  const figures = headlines(report);
  const width = Math.max(...figures.map(({ name }) => name.length));
  return figures.flatMap((headline) => [
    `${headline.name.padEnd(width)}  ${figureText(headline)}`,
    ...(headline.change ? [`${"".padEnd(width)}  ${changeText(headline.change)}`] : []),
  ]);
}

const gap = 2;

/** Names are shortened until the table fits; numbers never are. */
function fitted(table: TextTable, width: number): TextTable {
  const { heads, rows } = table;
  const widths = widthsOf(table);
  const sum = (each: readonly number[]) => each.reduce((total, one) => total + one, 0);
  const isName = (column: number) => heads[column]?.isNumber === false;
  const [first = 0, ...others] = widths.filter((_, column) => isName(column));
  const [, ...otherHeads] = heads.filter(({ isNumber }) => !isNumber);
  const room = width - sum(widths.filter((_, column) => !isName(column))) - gap * (widths.length - 1);
  if (first + sum(others) <= room) return table;
  // A second column of names, the organization, gets at most a third of the room, and room for its heading.
  const later = others.map((each, index) =>
    Math.min(each, Math.max(Math.floor(room / 3), otherHeads[index]?.text.length ?? 0)),
  );
  const limits = [room - sum(later), ...later];
  const short = (cell: string, column: number) =>
    isName(column) ? shortened(cell, limits[column] ?? cell.length) : cell;
  return { heads, rows: rows.map((cells) => cells.map(short)) };
}

const shortened = (text: string, length: number): string => {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
};

const lengthOf = (text: string): number => [...text].length;

const widthsOf = ({ heads, rows }: TextTable): number[] =>
  heads.map(({ text }, column) =>
    rows.reduce(
      (most, line) => Math.max(most, lengthOf(required(line[column], "cell of a table"))),
      lengthOf(text),
    ),
  );

export function alignedTable(table: TextTable): string {
  const { heads, rows } = table;
  const widths = widthsOf(table);
  const aligned = (cell: string, column: number) => {
    const padding = " ".repeat(required(widths[column], "width of a column") - lengthOf(cell));
    return heads[column]?.isNumber ? `${padding}${cell}` : `${cell}${padding}`;
  };
  return [heads.map(({ text }) => text), ...rows]
    .map((line) => line.map(aligned).join(" ".repeat(gap)).trimEnd())
    .join("\n");
}

/** Further lines are indented. */
export function wrapped(text: string, width: number): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? word : `  ${word}`);
  }
  return lines.join("\n");
}
