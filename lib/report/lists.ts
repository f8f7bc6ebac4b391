import { csvRow } from "../contract/csv-row.ts";
import { nameHead, numberHead, reportTitle, type TextTable } from "./columns.ts";
import { type Figures, figuresOf, findsAny } from "./figures.ts";
import { markdownTable } from "./markdown.ts";
import type { PullRequest } from "./pull-request.ts";
import type { ReviewReport } from "./report.ts";
import { alignedTable, widthMax, wrapped } from "./text.ts";
import { formatCount, formatMinutes } from "./words.ts";

/** The pull requests behind a figure. */
export const listNames = ["no-review", "unaccepted", "slow"] as const;
export type ListName = (typeof listNames)[number];

type ListDefinition = {
  readonly title: string;
  readonly definition: string;
  select(pullRequests: readonly PullRequest[]): PullRequest[];
};

/** The first ones deserve attention most. */
export const lists: Readonly<Record<ListName, ListDefinition>> = {
  "no-review": {
    title: "Without a human review",
    definition: "Merged pull requests that no person reviewed, newest first.",
    select: (pullRequests) =>
      pullRequests
        .filter(({ firstHumanReviewAtMs }) => firstHumanReviewAtMs === null)
        .toSorted((one, other) => other.mergedAtMs - one.mergedAtMs),
  },
  unaccepted: {
    title: "With findings that were not accepted",
    definition:
      "Merged pull requests with a finding whose outcome is “not accepted”, those with the most first. It does not prove " +
      "that somebody rejected the finding.",
    select: (pullRequests) => {
      const notAccepted = new Map(
        pullRequests
          .filter(findsAny(({ accepted }) => accepted === false))
          .map((each) => [each, figuresOf([each]).findings.not_accepted] as const),
      );
      return [...notAccepted]
        .toSorted(
          ([one, count], [other, otherCount]) => otherCount - count || other.mergedAtMs - one.mergedAtMs,
        )
        .map(([pullRequest]) => pullRequest);
    },
  },
  slow: {
    title: "Slow",
    definition:
      "Merged pull requests that took longer than nine of ten others, to the first human review or to the merge; the " +
      "longest time to merge first.",
    select: (pullRequests) => {
      const { time_to_first_human_review: review, time_to_merge: merge } = figuresOf(pullRequests);
      const isOver = (minutes: number | null, limit: number | null) =>
        minutes !== null && limit !== null && minutes > limit;
      return pullRequests
        .filter((each) => {
          const { firstReviewMinutes, mergeMinutes } = timesOf(each);
          return isOver(firstReviewMinutes, review.p90_minutes) || isOver(mergeMinutes, merge.p90_minutes);
        })
        .toSorted((one, other) => timesOf(other).mergeMinutes - timesOf(one).mergeMinutes);
    },
  },
};

const msPerMinute = 60_000;
const timesOf = ({ readyAtMs, firstHumanReviewAtMs, mergedAtMs }: PullRequest) => ({
  firstReviewMinutes:
    firstHumanReviewAtMs === null ? null : Math.max(0, firstHumanReviewAtMs - readyAtMs) / msPerMinute,
  mergeMinutes: Math.max(0, mergedAtMs - readyAtMs) / msPerMinute,
});

/** Without its author: a report does not rank people. The address leads to them. */
export type ListedPullRequest = {
  readonly url: string;
  readonly repository: string;
  readonly organization: string;
  readonly merged_at: string;
  readonly complexity: number | null;
  readonly findings: Figures["findings"];
  readonly first_review_minutes: number | null;
  readonly merge_minutes: number;
};

/** A list; this is also its JSON. */
export type PullRequestList = Pick<ReviewReport, "period"> & {
  readonly list: ListName;
  readonly title: string;
  readonly definition: string;
  readonly count: number;
  readonly pull_requests: readonly ListedPullRequest[];
};

export function listOf(
  pullRequests: readonly PullRequest[],
  period: ReviewReport["period"],
  list: ListName,
): PullRequestList {
  const { title, definition, select } = lists[list];
  const selected = select(pullRequests);
  return {
    ...{ period, list, title, definition },
    count: selected.length,
    pull_requests: selected.map(listedPullRequest),
  };
}

export function listedPullRequest(pullRequest: PullRequest): ListedPullRequest {
  const { firstReviewMinutes, mergeMinutes } = timesOf(pullRequest);
  return {
    url: pullRequest.url,
    repository: pullRequest.repositoryName,
    organization: pullRequest.organizationName,
    merged_at: new Date(pullRequest.mergedAtMs).toISOString(),
    complexity: pullRequest.complexity,
    findings: figuresOf([pullRequest]).findings,
    first_review_minutes: firstReviewMinutes,
    merge_minutes: mergeMinutes,
  };
}

/** The address comes last and is never shortened: it must stay a link. */
const tableOf = ({ pull_requests }: PullRequestList): TextTable => ({
  heads: [
    nameHead("Merged"),
    ...["Findings", "Not accepted", "First review", "Merge"].map(numberHead),
    nameHead("Pull request"),
  ],
  rows: pull_requests.map(({ url, merged_at, findings, first_review_minutes, merge_minutes }) => [
    merged_at.slice(0, 10),
    formatCount(findings.posted),
    formatCount(findings.not_accepted),
    formatMinutes(first_review_minutes),
    formatMinutes(merge_minutes),
    url,
  ]),
});

const titleOf = (list: PullRequestList): string =>
  `${reportTitle(list)}: ${formatCount(list.count)} ${list.title.toLowerCase()}`;

export const textList = (list: PullRequestList): string =>
  [
    titleOf(list),
    wrapped(list.definition, widthMax),
    ...(list.count === 0 ? [] : ["", alignedTable(tableOf(list))]),
  ].join("\n");

export const markdownList = (list: PullRequestList): string =>
  [
    `### ${titleOf(list)}`,
    "",
    list.definition,
    ...(list.count === 0 ? [] : ["", ...markdownTable(tableOf(list))]),
    "",
  ].join("\n");

type ListColumn = readonly [name: string, value: (pullRequest: ListedPullRequest) => string | number | null];
const listColumns: readonly ListColumn[] = [
  ["url", ({ url }) => url],
  ["repository", ({ repository }) => repository],
  ["organization", ({ organization }) => organization],
  ["merged_at", ({ merged_at }) => merged_at],
  ["complexity", ({ complexity }) => complexity],
  ["findings", ({ findings }) => findings.posted],
  ["accepted", ({ findings }) => findings.accepted],
  ["not_accepted", ({ findings }) => findings.not_accepted],
  ["unknown", ({ findings }) => findings.unknown],
  ["first_review_minutes", ({ first_review_minutes }) => first_review_minutes],
  ["merge_minutes", ({ merge_minutes }) => merge_minutes],
];

export const csvList = ({ pull_requests }: PullRequestList): string =>
  [
    csvRow(listColumns.map(([name]) => name)),
    ...pull_requests.map((each) => csvRow(listColumns.map(([, value]) => value(each)))),
  ].join("");
