import { addressHead, nameHead, numberHead, reportTitle, type TextTable } from "./columns.ts";
import { csvTable } from "./csv.ts";
import { type Figures, figuresOf, findsAny } from "./figures.ts";
import { noteText } from "./left-out.ts";
import { escaped, markdownTable, noteParagraphs } from "./markdown.ts";
import type { PullRequest } from "./pull-request.ts";
import type { ReportOptions, ReviewReport } from "./report.ts";
import type { TeamsOf } from "./teams.ts";
import { alignedTable, widthMax, wrapped } from "./text.ts";
import { definitions, formatCount, formatMinutes, longDay, noValue } from "./words.ts";

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
    definition: `Merged pull requests that no person reviewed, newest first. ${definitions.timesBegin}`,
    select: (pullRequests) =>
      pullRequests
        .filter(({ firstHumanReviewAtMs }) => firstHumanReviewAtMs === null)
        .toSorted((one, other) => other.mergedAtMs - one.mergedAtMs),
  },
  unaccepted: {
    title: "With findings that were not accepted",
    definition:
      "Merged pull requests with a finding whose outcome is “not accepted”, those with the most first. It does not prove " +
      `that somebody rejected the finding. ${definitions.timesBegin}`,
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
      `longest time to merge first. ${definitions.timesBegin}`,
    select: (pullRequests) => {
      const { first_review_p90_minutes, merge_p90_minutes } = comparedOf(pullRequests);
      const isOver = (minutes: number | null, limit: number | null) =>
        minutes !== null && limit !== null && minutes > limit;
      return pullRequests
        .filter((each) => {
          const { firstReviewMinutes, mergeMinutes } = timesOf(each);
          return (
            isOver(firstReviewMinutes, first_review_p90_minutes) || isOver(mergeMinutes, merge_p90_minutes)
          );
        })
        .toSorted((one, other) => timesOf(other).mergeMinutes - timesOf(one).mergeMinutes);
    },
  },
};

/** What is slow among these pull requests. */
export function comparedOf(pullRequests: readonly PullRequest[]) {
  const { time_to_first_human_review: review, time_to_merge: merge } = figuresOf(pullRequests);
  return {
    pull_requests: pullRequests.length,
    first_review_p90_minutes: review.p90_minutes,
    merge_p90_minutes: merge.p90_minutes,
  };
}

const msPerMinute = 60_000;
const timesOf = ({ readyAtMs, firstHumanReviewAtMs, mergedAtMs }: PullRequest) => ({
  firstReviewMinutes:
    firstHumanReviewAtMs === null ? null : Math.max(0, firstHumanReviewAtMs - readyAtMs) / msPerMinute,
  mergeMinutes: Math.max(0, mergedAtMs - readyAtMs) / msPerMinute,
});

export type ListedPullRequest = {
  readonly url: string;
  readonly repository: string;
  readonly organization: string;
  readonly merged_at: string;
  readonly complexity: number | null;
  readonly findings: Figures["findings"];
  readonly first_review_minutes: number | null;
  readonly merge_minutes: number;
  readonly author: string | null;
  /** The names of the author's teams; null if teams were not read. */
  readonly teams: readonly string[] | null;
};

/** A list; this is also its JSON. */
export type PullRequestList = Pick<ReviewReport, "place" | "period" | "notes"> & {
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
  { notes = [], place, teamsOf }: Pick<ReportOptions, "notes" | "place" | "teamsOf"> = {},
): PullRequestList {
  const { title, definition, select } = lists[list];
  const selected = select(pullRequests);
  return {
    place: place ?? null,
    period,
    notes,
    list,
    title,
    definition,
    count: selected.length,
    pull_requests: selected.map((each) => listedPullRequest(each, teamsOf)),
  };
}

export function listedPullRequest(pullRequest: PullRequest, teamsOf?: TeamsOf): ListedPullRequest {
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
    author: pullRequest.authorName ?? pullRequest.authorId,
    teams: teamsOf?.(pullRequest).map(({ name }) => name) ?? null,
  };
}

/** The address comes last and is never shortened: it must stay a link. */
function tableOf({ pull_requests }: PullRequestList): TextTable {
  const hasTeams = pull_requests.some(({ teams }) => teams !== null);
  return {
    heads: [
      nameHead("Merged"),
      ...["Findings", "Not accepted", "First review", "Merge"].map(numberHead),
      ...["Author", ...(hasTeams ? ["Teams"] : [])].map(nameHead),
      addressHead("Pull request"),
    ],
    rows: pull_requests.map(({ merged_at, findings, author, teams, url, ...times }) => [
      longDay(merged_at),
      formatCount(findings.posted),
      formatCount(findings.not_accepted),
      formatMinutes(times.first_review_minutes),
      formatMinutes(times.merge_minutes),
      author ?? noValue,
      ...(hasTeams ? [teams?.join(", ") || noValue] : []),
      url,
    ]),
  };
}

const titleOf = (list: PullRequestList, quote?: (name: string) => string): string =>
  `${reportTitle(list, quote)}: ${formatCount(list.count)} ${list.title.toLowerCase()}`;

export const textList = (list: PullRequestList): string =>
  [
    wrapped(titleOf(list), widthMax),
    wrapped(list.definition, widthMax),
    ...list.notes.map((note) => wrapped(noteText(note), widthMax)),
    ...(list.count === 0 ? [] : ["", alignedTable(tableOf(list))]),
  ].join("\n");

export const markdownList = (list: PullRequestList): string =>
  [
    `### ${titleOf(list, escaped)}`,
    "",
    list.definition,
    ...noteParagraphs(list.notes),
    ...(list.count === 0 ? [] : ["", ...markdownTable(tableOf(list))]),
    "",
  ].join("\n");

type ListColumn = readonly [name: string, value: (pullRequest: ListedPullRequest) => string | number | null];
export const listColumns: readonly ListColumn[] = [
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
  ["author", ({ author }) => author],
  ["teams", ({ teams }) => teams?.join("; ") ?? null],
];

export const csvList = ({ pull_requests }: PullRequestList): string => csvTable(listColumns, pull_requests);
