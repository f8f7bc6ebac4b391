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
import { daysOf, mondayOf, type Period, weeksOf } from "./period.ts";
import type { FindingOutcome, PullRequest } from "./pull-request.ts";

export const dimensions = ["week", "repository", "author", "severity", "category"] as const;
export type Dimension = (typeof dimensions)[number];

export type ReportRow = {
  /** The API's value: a Monday, an id, a severity; null if there is none. */
  readonly id: string | null;
  readonly name: string;
  /** The organization's name if the row belongs to one. */
  readonly organization: string | null;
  readonly figures: Figures;
};

export type HeatCell = {
  readonly severity: FindingOutcome["severity"];
  readonly category: FindingOutcome["category"];
  readonly findings: FindingFigures;
};

/** Everything a report shows; this is also its JSON. */
export type ReviewReport = {
  readonly period: Period & { readonly days: number };
  readonly total: Figures;
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

export function reportOf(pullRequests: readonly PullRequest[], period: Period, by: Dimension): ReviewReport {
  return {
    period: { ...period, days: daysOf(period) },
    total: figuresOf(pullRequests),
    by,
    rows: rowsBy[by](pullRequests, period),
    weeks: weekRows(pullRequests, period),
    complexity: complexityRows(pullRequests),
    heat_map: heatMap(pullRequests),
  };
}

type MakeRows = (pullRequests: readonly PullRequest[], period: Period) => ReportRow[];

const rowsBy: Readonly<Record<Dimension, MakeRows>> = {
  week: weekRows,
  repository: repositoryRows,
  author: authorRows,
  severity: (pullRequests) => findingRows(pullRequests, "severity", severitiesAndNull),
  category: (pullRequests) => findingRows(pullRequests, "category", categoriesAndNull),
};

export function weekRows(pullRequests: readonly PullRequest[], period: Period): ReportRow[] {
  const byWeek = groupBy(pullRequests, ({ mergedAtMs }) => mondayOf(mergedAtMs));
  return weeksOf(period).map(({ monday, is_whole }) => ({
    id: monday,
    name: is_whole ? monday : `${monday} (in part)`,
    organization: null,
    figures: figuresOf(byWeek.get(monday) ?? []),
  }));
}

/** Busiest first. */
function repositoryRows(pullRequests: readonly PullRequest[]): ReportRow[] {
  return groupsOf(pullRequests, ({ repositoryId }) => repositoryId)
    .map(({ first, group }) => ({
      id: first.repositoryId,
      name: first.repositoryName,
      organization: first.organizationName,
      figures: figuresOf(group),
    }))
    .toSorted((one, other) => other.figures.pull_requests - one.figures.pull_requests || byName(one, other));
}

/** In alphabetical order: a report does not rank people. */
export function authorRows(pullRequests: readonly PullRequest[]): ReportRow[] {
  return groupsOf(pullRequests, ({ authorId }) => authorId)
    .map(({ first, group }) => ({
      id: first.authorId,
      name: first.authorId === null ? notStated : (first.authorName ?? first.authorId),
      organization: first.organizationName,
      figures: figuresOf(group),
    }))
    .toSorted(byName);
}

/** An id is unique only within an organization of a provider. */
const groupsOf = (pullRequests: readonly PullRequest[], idOf: (pullRequest: PullRequest) => string | null) =>
  [
    ...groupBy(pullRequests, (pullRequest) =>
      JSON.stringify([pullRequest.provider, pullRequest.organizationId, idOf(pullRequest)]),
    ).values(),
  ].map((group) => ({ first: required(group[0], "pull request of a group"), group }));

const compareTexts = new Intl.Collator("en").compare;
type OrganizationRow = { readonly name: string; readonly organization: string };
const byName = (one: OrganizationRow, other: OrganizationRow): number =>
  compareTexts(one.name, other.name) || compareTexts(one.organization, other.organization);

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
      name: wordsOf(value),
      organization: null,
      figures: figuresOf(having, passes),
    };
  });

const complexities = [1, 2, 3, 4, 5, null];

const complexityRows = (pullRequests: readonly PullRequest[]): ReportRow[] =>
  complexities.map((value) => ({
    id: value === null ? null : String(value),
    name: value === null ? notStated : String(value),
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
export const wordsOf = (value: string | null): string => value?.replaceAll("_", " ") ?? notStated;
