import type { Dimension } from "./report.ts";

/**
 * What the figures mean. These texts are in every report for people (HTML, Markdown, text) and next to the dashboard's
 * headlines; wherever else the dashboard shows acceptance, it shows the short form.
 */
export const definitions = {
  pullRequests: "Pull requests that were merged in the period and had an automated review.",
  acceptance:
    "Accepted findings, of those whose outcome is known. The stored outcome comes from automatic detection or from a " +
    "user's confirmation; it is not necessarily acceptance by the pull request's author. false is not proof of " +
    "rejection; null means unknown and is counted apart. An outcome can change after the comment was posted.",
  acceptanceInShort: "Of findings whose outcome is known: null is unknown, false is no proof of rejection.",
  timeToFirstHumanReview:
    "From ready for review (or opened, where that is not known) to the first review by a person. Pull requests that " +
    "no person reviewed are left out.",
  timeToMerge: "From ready for review (or opened, where that is not known) to the merge.",
  week: "Weeks begin on Monday, UTC.",
  findingRows: "A row counts the pull requests that have such a finding, and only these findings.",
} as const;

export const dimensionHeads: Readonly<Record<Dimension, string>> = {
  week: "Week of",
  repository: "Repository",
  author: "Author",
  severity: "Severity",
  category: "Category",
};

export const noValue = "–";

export const formatCount = (count: number): string => count.toLocaleString("en-US");

export const formatShare = (share: number | null): string =>
  share === null ? noValue : `${Math.round(share * 100)} %`;

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
