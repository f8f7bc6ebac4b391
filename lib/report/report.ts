import { categories, severities } from "../contract/metrics-words.ts";
import { required } from "../runtime/required.ts";
import {
  countFindings,
  type Figures,
  type FindingFigures,
  figuresOf,
  findingFigures,
  findsAny,
} from "./figures.ts";
import { groupBy } from "./group-by.ts";
import type { ReportNote } from "./left-out.ts";
import { daysOf, mondayOf, monthOf, monthsOf, type Period, type Span, utc, weeksOf } from "./period.ts";
import type { FindingOutcome, PullRequest } from "./pull-request.ts";
import type { TeamsOf } from "./teams.ts";

export const dimensions = [
  "week",
  "month",
  "organization",
  "repository",
  "author",
  "team",
  "severity",
  "category",
] as const;
export type Dimension = (typeof dimensions)[number];

export type ReportRow = {
  /** The API's value: a Monday, a month, an id, a severity; null if there is none. */
  readonly id: string | null;
  readonly name: string;
  /** True for a week or a month that the period cuts: its figures do not compare with those of a whole one. */
  readonly in_part: boolean;
  /** The organization's name if the row belongs to one. */
  readonly organization: string | null;
  readonly figures: Figures;
};

export type HeatCell = {
  readonly severity: FindingOutcome["severity"];
  readonly category: FindingOutcome["category"];
  readonly findings: FindingFigures;
};

/** The pull requests of the period before a report's period. */
export type PeriodBefore = {
  readonly period: Period;
  /** If the report's period is not over: the same time in the period before, up to which it is counted. */
  readonly endsAtMs: number | null;
  readonly pullRequests: readonly PullRequest[];
};

export type ReportDays = Period & { readonly days: number };

/** The figures of the period before. */
export type FiguresBefore = {
  readonly period: ReportDays;
  /** If the report's period is not over: until when the period before is counted. */
  readonly ends_at: string | null;
  readonly total: Figures;
};

/** Everything a report shows; this is also its JSON. */
export type ReviewReport = {
  readonly period: ReportDays & { readonly time_zone: string };
  /** What the figures leave out. */
  readonly notes: readonly ReportNote[];
  readonly total: Figures;
  /** Null if it was not read. */
  readonly before: FiguresBefore | null;
  readonly by: Dimension;
  readonly rows: readonly ReportRow[];
  readonly weeks: readonly ReportRow[];
  readonly complexity: readonly ReportRow[];
  /** Every severity with every category, including those without findings. */
  readonly heat_map: readonly HeatCell[];
};

const notStated = "not stated";
const severitiesAndNull = [...severities, null];
const categoriesAndNull = [...categories, null];

export type ReportOptions = {
  readonly timeZone?: string;
  readonly before?: PeriodBefore;
  /** The teams of each author; only rows by team need them. */
  readonly teamsOf?: TeamsOf;
  readonly notes?: readonly ReportNote[];
};

export function reportOf(
  pullRequests: readonly PullRequest[],
  period: Period,
  by: Dimension,
  { timeZone = utc, before, teamsOf = () => [], notes = [] }: ReportOptions = {},
): ReviewReport {
  return {
    period: { ...period, days: daysOf(period), time_zone: timeZone },
    notes,
    total: figuresOf(pullRequests),
    before: before ? figuresBefore(before) : null,
    by,
    rows: rowsBy[by](pullRequests, period, teamsOf),
    weeks: weekRows(pullRequests, period),
    complexity: complexityRows(pullRequests),
    heat_map: heatMap(pullRequests),
  };
}

export const figuresBefore = ({ period, endsAtMs, pullRequests }: PeriodBefore): FiguresBefore => ({
  period: { ...period, days: daysOf(period) },
  ends_at: endsAtMs === null ? null : new Date(endsAtMs).toISOString(),
  total: figuresOf(pullRequests),
});

type MakeRows = (pullRequests: readonly PullRequest[], period: Period, teamsOf: TeamsOf) => ReportRow[];

const rowsBy: Readonly<Record<Dimension, MakeRows>> = {
  week: weekRows,
  month: (pullRequests, period) =>
    spanRows(monthsOf(period), pullRequests, ({ mergedOn }) => monthOf(mergedOn)),
  organization: (pullRequests) =>
    busiestRows(pullRequests, ({ organizationId, organizationName }) => ({
      id: organizationId,
      name: organizationName,
      organization: null,
    })),
  repository: (pullRequests) =>
    busiestRows(pullRequests, ({ repositoryId, repositoryName, organizationName }) => ({
      id: repositoryId,
      name: repositoryName,
      organization: organizationName,
    })),
  author: authorRows,
  team: (pullRequests, _period, teamsOf) => teamRows(pullRequests, teamsOf),
  severity: (pullRequests) => findingRows(pullRequests, "severity", severitiesAndNull),
  category: (pullRequests) => findingRows(pullRequests, "category", categoriesAndNull),
};

export function weekRows(pullRequests: readonly PullRequest[], period: Period): ReportRow[] {
  return spanRows(weeksOf(period), pullRequests, ({ mergedOn }) => mondayOf(mergedOn));
}

const spanRows = (
  spans: readonly Span[],
  pullRequests: readonly PullRequest[],
  spanOf: (pullRequest: PullRequest) => string,
): ReportRow[] => {
  const groups = groupBy(pullRequests, spanOf);
  return spans.map(({ id, is_whole }) => ({
    id,
    name: is_whole ? id : `${id} (in part)`,
    in_part: !is_whole,
    organization: null,
    figures: figuresOf(groups.get(id) ?? []),
  }));
};

type NamedRow = Pick<ReportRow, "id" | "name" | "organization">;

/** Busiest first. */
const busiestRows = (
  pullRequests: readonly PullRequest[],
  rowOf: (pullRequest: PullRequest) => NamedRow,
): ReportRow[] =>
  groupRows(pullRequests, rowOf).toSorted(
    (one, other) => other.figures.pull_requests - one.figures.pull_requests || byName(one, other),
  );

/** In alphabetical order: a report does not rank people. */
export function authorRows(pullRequests: readonly PullRequest[]): ReportRow[] {
  return groupRows(pullRequests, ({ authorId, authorName, organizationName }) => ({
    id: authorId,
    name: authorId === null ? notStated : (authorName ?? authorId),
    organization: organizationName,
  })).toSorted(byName);
}

/**
 * In alphabetical order, and last the pull requests of authors without a team. A person in two teams counts in both, so
 * the rows do not add up to the total.
 */
export function teamRows(pullRequests: readonly PullRequest[], teamsOf: TeamsOf): ReportRow[] {
  const placed = pullRequests.flatMap((pullRequest) =>
    teamsOf(pullRequest).map(({ team_id: id, name }) => ({ pullRequest, id, name })),
  );
  const groups = groupBy(placed, ({ pullRequest: { provider, organizationId }, id }) =>
    JSON.stringify([provider, organizationId, id]),
  );
  const rows = [...groups.values()].map((group): ReportRow => {
    const { id, name, pullRequest } = required(group[0], "pull request of a team");
    const figures = figuresOf(group.map((each) => each.pullRequest));
    return { id, name, in_part: false, organization: pullRequest.organizationName, figures };
  });
  const others = pullRequests.filter((pullRequest) => teamsOf(pullRequest).length === 0);
  const noTeam = { id: null, name: "no team", in_part: false, organization: null };
  return [
    ...rows.toSorted(byName),
    ...(others.length > 0 ? [{ ...noTeam, figures: figuresOf(others) }] : []),
  ];
}

/** An id is unique only within an organization of a provider. */
const groupRows = (
  pullRequests: readonly PullRequest[],
  rowOf: (pullRequest: PullRequest) => NamedRow,
): ReportRow[] =>
  [
    ...groupBy(pullRequests, (pullRequest) =>
      JSON.stringify([pullRequest.provider, pullRequest.organizationId, rowOf(pullRequest).id]),
    ).values(),
  ].map((group) => ({
    ...rowOf(required(group[0], "pull request of a group")),
    in_part: false,
    figures: figuresOf(group),
  }));

const compareTexts = new Intl.Collator("en").compare;
const byName = (one: NamedRow, other: NamedRow): number =>
  compareTexts(one.name, other.name) || compareTexts(one.organization ?? "", other.organization ?? "");

/** Pull requests that have such a finding, counting only these findings. */
const findingRows = <Field extends "severity" | "category">(
  pullRequests: readonly PullRequest[],
  field: Field,
  values: ReadonlyArray<FindingOutcome[Field]>,
): ReportRow[] =>
  values.map((value) => {
    const passes = (finding: FindingOutcome) => finding[field] === value;
    const having = pullRequests.filter(findsAny(passes));
    return {
      id: value,
      name: withSpaces(value),
      in_part: false,
      organization: null,
      figures: figuresOf(having, passes),
    };
  });

const complexities = [1, 2, 3, 4, 5, null];

const complexityRows = (pullRequests: readonly PullRequest[]): ReportRow[] =>
  complexities.map((value) => ({
    id: value === null ? null : String(value),
    name: value === null ? notStated : String(value),
    in_part: false,
    organization: null,
    figures: figuresOf(pullRequests.filter(({ complexity }) => complexity === value)),
  }));

function heatMap(pullRequests: readonly PullRequest[]): HeatCell[] {
  const counts = countFindings(pullRequests);
  return severitiesAndNull.flatMap((severity) =>
    categoriesAndNull.map((category) => ({
      severity,
      category,
      findings: findingFigures(
        counts,
        (finding) => finding.severity === severity && finding.category === category,
      ),
    })),
  );
}

/** `data_integrity_and_integration` as readable words. */
export const withSpaces = (value: string | null): string => value?.replaceAll("_", " ") ?? notStated;
