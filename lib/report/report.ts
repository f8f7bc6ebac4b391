import { categories, severities } from "../contract/metrics-words.ts";
import { required } from "../runtime/required.ts";
import {
  countFindings,
  type Figures,
  type FindingFigures,
  type FindingFilter,
  figuresOf,
  findingFigures,
  findsAny,
} from "./figures.ts";
import { groupBy } from "./group-by.ts";
import type { ReportNote } from "./left-out.ts";
import {
  addDays,
  daysOf,
  mondayOf,
  monthOf,
  monthsOf,
  type Period,
  type Span,
  utc,
  weeksOf,
} from "./period.ts";
import type { FindingOutcome, PullRequest } from "./pull-request.ts";
import type { Team, TeamsOf } from "./teams.ts";

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
  /**
   * The same of the period before: for a week or a month, its days counted from the beginning of the period. Null if
   * there is nothing to compare with, and for authors: a report does not compare people.
   */
  readonly before: Figures | null;
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
  /** The workspace or organization; null if nobody named it. */
  readonly place: string | null;
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
  readonly place?: string;
};

export function reportOf(
  pullRequests: readonly PullRequest[],
  period: Period,
  by: Dimension,
  { timeZone = utc, before, teamsOf = () => [], notes = [], place }: ReportOptions = {},
): ReviewReport {
  return {
    place: place ?? null,
    period: { ...period, days: daysOf(period), time_zone: timeZone },
    notes,
    total: figuresOf(pullRequests),
    before: before ? figuresBefore(before) : null,
    by,
    rows: rowsBy[by](pullRequests, period, { teamsOf, before }),
    weeks: weekRows(pullRequests, period, { before }),
    complexity: complexityRows(pullRequests, { before }),
    heat_map: heatMap(pullRequests),
  };
}

export const figuresBefore = ({ period, endsAtMs, pullRequests }: PeriodBefore): FiguresBefore => ({
  period: { ...period, days: daysOf(period) },
  ends_at: endsAtMs === null ? null : new Date(endsAtMs).toISOString(),
  total: figuresOf(pullRequests),
});

export type Compared = { readonly before?: PeriodBefore | undefined };
type MakeRows = (
  pullRequests: readonly PullRequest[],
  period: Period,
  more: Compared & { readonly teamsOf: TeamsOf },
) => ReportRow[];

/** The figures of a part of the period before; null if the whole period before has no pull request. */
const figuresOfPart = (
  { before }: Compared,
  part: (pullRequests: readonly PullRequest[]) => readonly PullRequest[] | undefined,
  ...passes: FindingFilter[]
): Figures | null =>
  before && before.pullRequests.length > 0 ? figuresOf(part(before.pullRequests) ?? [], ...passes) : null;

const rowsBy: Readonly<Record<Dimension, MakeRows>> = {
  week: weekRows,
  month: (pullRequests, period, more) => spanRows(monthsOf(period), monthOf, pullRequests, period, more),
  organization: (pullRequests, _period, more) =>
    busiestRows(pullRequests, more, ({ organizationId, organizationName }) => ({
      id: organizationId,
      name: organizationName,
      organization: null,
    })),
  repository: (pullRequests, _period, more) =>
    busiestRows(pullRequests, more, ({ repositoryId, repositoryName, organizationName }) => ({
      id: repositoryId,
      name: repositoryName,
      organization: organizationName,
    })),
  author: authorRows,
  team: (pullRequests, _period, more) => teamRows(pullRequests, more.teamsOf, more),
  severity: (pullRequests, _period, more) => findingRows(pullRequests, "severity", severitiesAndNull, more),
  category: (pullRequests, _period, more) => findingRows(pullRequests, "category", categoriesAndNull, more),
};

export function weekRows(
  pullRequests: readonly PullRequest[],
  period: Period,
  more: Compared = {},
): ReportRow[] {
  return spanRows(weeksOf(period), mondayOf, pullRequests, period, more);
}

const spanRows = (
  spans: readonly Span[],
  spanOf: (day: string) => string,
  pullRequests: readonly PullRequest[],
  period: Period,
  { before }: Compared,
): ReportRow[] => {
  const groups = groupBy(pullRequests, ({ mergedOn }) => spanOf(mergedOn));
  const dayOf = before && dayComparedWith(period, before.period);
  const earlier = before && dayOf && groupBy(before.pullRequests, ({ mergedOn }) => spanOf(dayOf(mergedOn)));
  return spans.map(({ id, is_whole }) => ({
    id,
    name: is_whole ? id : `${id} (in part)`,
    in_part: !is_whole,
    organization: null,
    figures: figuresOf(groups.get(id) ?? []),
    before: figuresOfPart({ before }, () => earlier?.get(id)),
  }));
};

/** The last days of a longer month before count with the last day of the period. */
function dayComparedWith({ start_date, end_date }: Period, before: Period): (day: string) => string {
  const shift = daysOf({ start_date: before.start_date, end_date: start_date }) - 1;
  const days = new Map<string, string>();
  return (day) => {
    const known = days.get(day) ?? addDays(day, shift);
    days.set(day, known);
    return known > end_date ? end_date : known;
  };
}

export type NamedRow = Pick<ReportRow, "id" | "name" | "organization">;

/** Busiest first. */
const busiestRows = (
  pullRequests: readonly PullRequest[],
  compared: Compared,
  rowOf: (pullRequest: PullRequest) => NamedRow,
): ReportRow[] =>
  groupRows(pullRequests, compared, rowOf).toSorted(
    (one, other) => other.figures.pull_requests - one.figures.pull_requests || byName(one, other),
  );

/** In alphabetical order: a report does not rank people. */
export function authorRows(pullRequests: readonly PullRequest[]): ReportRow[] {
  return groupRows(pullRequests, {}, ({ authorId, authorName, organizationName }) => ({
    id: authorId,
    name: authorName ?? authorId ?? notStated,
    organization: organizationName,
  })).toSorted(byName);
}

/**
 * In alphabetical order, and last the pull requests of authors without a team. A person in two teams counts in both, so
 * the rows do not add up to the total.
 */
const teamRows = (pullRequests: readonly PullRequest[], teamsOf: TeamsOf, compared: Compared): ReportRow[] =>
  groupedRows(
    pullRequests,
    compared,
    (all) => teamGroups(all, teamsOf),
    (team, first) => ({
      ...(team ? { id: team.team_id, name: team.name } : { id: null, name: noTeamName }),
      organization: team && first.organizationName,
    }),
  )
    .map(({ row }) => row)
    .toSorted((one, other) => Number(one.id === null) - Number(other.id === null) || byName(one, other));

export const noTeamName = "no team";

/** The pull requests of each team, and under null those of authors without a team. */
export const teamGroups = (
  pullRequests: readonly PullRequest[],
  teamsOf: TeamsOf,
): Map<Team | null, PullRequest[]> => {
  const groups = new Map<Team | null, PullRequest[]>();
  for (const pullRequest of pullRequests) {
    const teams = teamsOf(pullRequest);
    for (const team of teams.length > 0 ? teams : [null]) {
      const group = groups.get(team);
      if (group) group.push(pullRequest);
      else groups.set(team, [pullRequest]);
    }
  }
  return groups;
};

/** An id is unique only within an organization of a provider. An author without one, such as a bot, may have a name. */
const groupRows = (
  pullRequests: readonly PullRequest[],
  compared: Compared,
  rowOf: (pullRequest: PullRequest) => NamedRow,
): ReportRow[] => {
  const keyOf = (pullRequest: PullRequest) => {
    const { id, name } = rowOf(pullRequest);
    return JSON.stringify([pullRequest.provider, pullRequest.organizationId, id, id ?? name]);
  };
  const rows = groupedRows(
    pullRequests,
    compared,
    (all) => groupBy(all, keyOf),
    (_, first) => rowOf(first),
  );
  return rows.map(({ row }) => row);
};

/** A row for each group, compared with the same group of the period before; and the pull requests of both. */
export function groupedRows<Key, Named extends NamedRow>(
  pullRequests: readonly PullRequest[],
  { before }: Compared,
  groupsOf: (pullRequests: readonly PullRequest[]) => ReadonlyMap<Key, readonly PullRequest[]>,
  nameOf: (key: Key, first: PullRequest) => Named,
) {
  const groupsBefore = before && groupsOf(before.pullRequests);
  return Array.from(groupsOf(pullRequests), ([key, group]) => {
    const earlier = groupsBefore?.get(key) ?? [];
    const row = {
      ...nameOf(key, required(group[0], "pull request of a group")),
      in_part: false,
      figures: figuresOf(group),
      before: figuresOfPart({ before }, () => earlier),
    };
    return { row, group, earlier };
  });
}

const compareTexts = new Intl.Collator("en").compare;
export const byName = (one: NamedRow, other: NamedRow): number =>
  compareTexts(one.name, other.name) || compareTexts(one.organization ?? "", other.organization ?? "");

/** Pull requests that have such a finding, counting only these findings. */
const findingRows = <Field extends "severity" | "category">(
  pullRequests: readonly PullRequest[],
  field: Field,
  values: ReadonlyArray<FindingOutcome[Field]>,
  compared: Compared,
): ReportRow[] =>
  values.map((value) => {
    const passes = (finding: FindingOutcome) => finding[field] === value;
    return rowHaving(value, pullRequests, compared, findsAny(passes), passes);
  });

const complexities = [1, 2, 3, 4, 5, null];

const complexityRows = (pullRequests: readonly PullRequest[], compared: Compared): ReportRow[] =>
  complexities.map((value) =>
    rowHaving(
      value === null ? null : String(value),
      pullRequests,
      compared,
      (each) => each.complexity === value,
    ),
  );

function rowHaving(
  id: string | null,
  pullRequests: readonly PullRequest[],
  compared: Compared,
  has: (pullRequest: PullRequest) => boolean,
  ...passes: FindingFilter[]
): ReportRow {
  const having = (all: readonly PullRequest[]) => all.filter(has);
  return {
    id,
    name: withSpaces(id),
    in_part: false,
    organization: null,
    figures: figuresOf(having(pullRequests), ...passes),
    before: figuresOfPart(compared, having, ...passes),
  };
}

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

/** Without a row for what is not stated, if there is none of it. */
export const statedRows = (rows: readonly ReportRow[]): ReportRow[] =>
  rows.filter(({ id, figures }) => id !== null || figures.pull_requests > 0);

/** The columns and rows of a heat map, the same way. */
export function heatAxes(cells: readonly HeatCell[]) {
  const has = (of: "severity" | "category") =>
    cells.some((cell) => cell[of] === null && cell.findings.posted > 0);
  return {
    columns: has("severity") ? severitiesAndNull : severities,
    rows: has("category") ? categoriesAndNull : categories,
  };
}

/** The colours of a heat map, from amber to green: what a share is below, in whole percent. */
const heatSteps = [20, 40, 60, 80, 101];

/** By the percents that are shown. */
export const heatOf = (share: number | null): string =>
  share === null ? "none" : String(heatSteps.findIndex((step) => Math.round(share * 100) < step));

/** `20 to 39 %` for each colour. */
export const heatLegend = heatSteps.map((step, index) => ({
  look: `heat-${index}`,
  name: `${heatSteps[index - 1] ?? 0} to ${step - 1} %`,
}));
