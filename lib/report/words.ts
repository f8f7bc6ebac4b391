import { type FindingFigures, knownOutcomes } from "./figures.ts";
import type { Dimension } from "./report.ts";

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
  heatMap: "The share of accepted findings, of how many whose outcome is known.",
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
    : `of ${formatCount(knownOutcomes(findings))} known`;

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

/** `2026-11-09` as `9 Nov`: the axis of a chart has little space. */
export function shortDay(day: string): string {
  const [, month = "1", date = "1"] = day.split("-");
  return `${Number(date)} ${months[Number(month) - 1] ?? ""}`;
}
