import { type FindingFigures, knownOutcomes } from "./figures.ts";
import type { Period } from "./period.ts";
import type { Dimension, ReportRow } from "./report.ts";

/**
 * What the figures mean. These texts are in every report for people (HTML, Markdown, text) and behind the “?” of
 * the dashboard's cards.
 */
const ready = "ready for review (or opened, where that is not known)";

export const definitions = {
  pullRequests: "Pull requests that were merged in the period and had an automated review.",
  acceptance:
    "Accepted findings, of those whose outcome is known. An outcome is detected automatically, or a user confirms it; it " +
    "is not necessarily the decision of the pull request's author. “Not accepted” does not prove that somebody rejected " +
    "the finding. Findings of unknown outcome are counted apart. An outcome can change after the comment was posted.",
  timeToFirstHumanReview: `From ${ready} to the first review by a person. Pull requests that no person reviewed are left out.`,
  openPullRequests:
    "Who waits for a review now is not in the data: your Git provider lists open pull requests.",
  timeToMerge: `From ${ready} to the merge.`,
  timesBegin: `Times begin at ${ready}.`,
  teamRows:
    "Teams as they are now. A person in two teams counts in both, so the rows do not add up to the total; “no team” has " +
    "the pull requests of all others.",
  heatMap: "The share of accepted findings, and below it of how many whose outcome is known.",
  findingRows: "A row counts the pull requests that have such a finding, and only these findings.",
} as const;

/** What the figures of a whole report mean, by name. */
export const meanings: ReadonlyArray<readonly [name: string, meaning: string]> = [
  ["Pull requests", definitions.pullRequests],
  ["Acceptance", definitions.acceptance],
  ["Time to first human review", definitions.timeToFirstHumanReview],
  ["Time to merge", definitions.timeToMerge],
  ["Open pull requests", definitions.openPullRequests],
];

export const weekDefinition = (timeZone: string): string => `Weeks begin on Monday, ${timeZone}.`;

export const dimensionHeads: Readonly<Record<Dimension, string>> = {
  week: "Week of",
  month: "Month",
  organization: "Organization",
  repository: "Repository",
  author: "Author",
  team: "Team",
  severity: "Severity",
  category: "Category",
};

export const noValue = "–";

export const formatCount = (count: number): string => count.toLocaleString("en-US");

export const formatShare = (share: number | null): string =>
  share === null ? noValue : `${Math.round(share * 100)} %`;

/** The base of an acceptance, in a cell beside it. */
export const knownWords = (findings: FindingFigures): string =>
  findings.acceptance === null
    ? `${formatCount(findings.posted)} unknown`
    : `of ${formatCount(knownOutcomes(findings))}`;

export const formatMean = (mean: number | null): string => (mean === null ? noValue : mean.toFixed(1));

const minutesPerHour = 60;
const minutesPerDay = 24 * minutesPerHour;

/** Uses the largest unit with a value of at least two. */
export function formatMinutes(minutes: number | null): string {
  if (minutes === null) return noValue;
  if (minutes < 2 * minutesPerHour) return `${Math.round(minutes)} min`;
  return minutes < 2 * minutesPerDay
    ? `${(minutes / minutesPerHour).toFixed(1)} h`
    : `${(minutes / minutesPerDay).toFixed(1)} d`;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `2026-11-09` as `9 Nov`: the axis of a chart has little space. A month, `2026-11`, as `Nov`. */
export function shortDay(day: string): string {
  const [, month = "1", date] = day.split("-");
  const name = months[Number(month) - 1] ?? "";
  return date === undefined ? name : `${Number(date)} ${name}`;
}

/** `9 Nov 2026`, from a day or an instant, UTC: the one form of a date that people read. */
export const longDay = (instant: string): string =>
  `${shortDay(instant.slice(0, 10))} ${instant.slice(0, 4)}`;

/** `9 Nov 2026, 14:05 UTC`. */
export const longInstant = (instant: string): string => `${longDay(instant)}, ${instant.slice(11, 16)} UTC`;

/** `20 Oct to 18 Nov 2026`: the year once, if it is the same. */
export function longDays({ start_date, end_date }: Period): string {
  if (start_date === end_date) return longDay(end_date);
  const isOneYear = start_date.slice(0, 4) === end_date.slice(0, 4);
  return `${isOneYear ? shortDay(start_date) : longDay(start_date)} to ${longDay(end_date)}`;
}

/** A week is called by its Monday and a month by its name, as dates are written; any other row by its own name. */
export function rowName({ id, name, in_part }: Pick<ReportRow, "id" | "name" | "in_part">): string {
  if (id === null || !/^\d{4}-\d{2}(-\d{2})?$/.test(id) || !name.startsWith(id)) return name;
  return in_part ? `${longDay(id)} (in part)` : longDay(id);
}
