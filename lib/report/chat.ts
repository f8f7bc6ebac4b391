import { changeText, comparedWith } from "./change.ts";
import { figureText, headlines, reportTitle } from "./columns.ts";
import type { ReportRow, ReviewReport } from "./report.ts";
import { formatCount, formatMinutes, formatShare } from "./words.ts";

/** The smallest limit of the usual chats. */
const chatCharactersMax = 2_000;
const rowsMax = 10;
const nameMax = 40;

/** A chat message: no tables, because most chats show none, and markup that all of them know. */
export function chatReport(report: ReviewReport): string {
  for (let rows = rowsMax; rows > 0; rows--) {
    const message = messageOf(report, rows);
    if (message.length < chatCharactersMax) return message;
  }
  return messageOf(report, 0);
}

function messageOf(report: ReviewReport, rowsShown: number): string {
  const { by, before, rows } = report;
  const shown = rows.slice(0, rowsShown).map(rowLine);
  const more = rows.length - shown.length;
  return [
    reportTitle(report),
    ...(before ? [comparedWith(before)] : []),
    "",
    ...headlines(report).map((headline) =>
      [
        `• ${headline.name}: ${figureText(headline)}`,
        ...(headline.change ? [changeText(headline.change)] : []),
      ].join(" "),
    ),
    ...(shown.length > 0 ? ["", `By ${by}:`, ...shown] : []),
    ...(more > 0 ? [`• and ${formatCount(more)} more`] : []),
    "",
  ].join("\n");
}

const rowLine = ({ name, figures }: ReportRow): string =>
  [
    `• ${quoted(name)}: ${formatCount(figures.pull_requests)} ${figures.pull_requests === 1 ? "pull request" : "pull requests"}`,
    `acceptance ${formatShare(figures.findings.acceptance)}`,
    `first review ${formatMinutes(figures.time_to_first_human_review.median_minutes)}`,
  ].join(", ");

/**
 * Names come from outside. As code no chat follows links in them or reads markup; without angle brackets and @ they
 * mention nobody.
 */
function quoted(name: string): string {
  const characters = [...name.replaceAll(/\s+/g, " ").replaceAll(/[`<>@&]/g, "'")];
  return `\`${characters.length > nameMax ? `${characters.slice(0, nameMax - 1).join("")}…` : characters.join("")}\``;
}
