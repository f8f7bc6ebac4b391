import { changeText, comparedWith } from "./change.ts";
import { acceptanceChange, figureText, headlines, reportTitle } from "./columns.ts";
import { noteText } from "./left-out.ts";
import { type ReportRow, type ReviewReport, statedRows } from "./report.ts";
import { definitions, formatCount, formatMinutes, formatShare, rowName } from "./words.ts";

/** The smallest limit of the usual chats. */
const chatCharactersMax = 2_000;
const rowsMax = 10;
const nameMax = 40;
const noteNameMax = 80;
const noteNamesMax = 3;

/** A chat message: no tables, because most chats show none, and markup that all of them know. */
export function chatReport(report: ReviewReport): string {
  for (let rows = rowsMax; rows > 0; rows--) {
    const message = messageOf(report, rows);
    if (message.length < chatCharactersMax) return message;
  }
  return messageOf(report, 0);
}

function messageOf(report: ReviewReport, rowsShown: number): string {
  const { by, before, notes, rows } = report;
  const stated = statedRows(rows);
  const shown = stated.slice(0, rowsShown).map(rowLine);
  const more = stated.length - shown.length;
  return [
    reportTitle(report, (name) => quoted(name, noteNameMax)),
    ...(before ? [comparedWith(before, report.period.time_zone)] : []),
    ...notes.map((note) => noteText(note, { quote: (name) => quoted(name, noteNameMax), max: noteNamesMax })),
    "",
    ...headlines(report).map((headline) =>
      [
        `• ${headline.name}: ${figureText(headline)}`,
        ...(headline.change ? [changeText(headline.change)] : []),
      ].join(" "),
    ),
    ...(shown.length > 0 ? ["", `By ${by}:`, ...shown] : []),
    ...(more > 0 ? [`• and ${formatCount(more)} more`] : []),
    ...(by === "team" ? ["", definitions.teamRows] : []),
    "",
  ].join("\n");
}

const rowLine = ({ figures, before, ...row }: ReportRow): string =>
  [
    `• ${quoted(rowName(row))}: ${formatCount(figures.pull_requests)} ${figures.pull_requests === 1 ? "pull request" : "pull requests"}`,
    `acceptance ${formatShare(figures.findings.acceptance)} ${acceptanceChange({ figures, before })}`.trimEnd(),
    `first review ${formatMinutes(figures.time_to_first_human_review.median_minutes)}`,
  ].join(", ");

/**
 * Names come from outside. As code no chat follows links in them or reads markup; without angle brackets and @ they
 * mention nobody.
 */
function quoted(name: string, max = nameMax): string {
  const characters = [...name.replaceAll(/\s+/g, " ").replaceAll(/[`<>@&]/g, "'")];
  return `\`${characters.length > max ? `${characters.slice(0, max - 1).join("")}…` : characters.join("")}\``;
}
