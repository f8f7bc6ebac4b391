import { type Figures, figuresOf } from "../../lib/report/figures.ts";
import type { Period } from "../../lib/report/period.ts";
import type { PullRequest } from "../../lib/report/pull-request.ts";
import { type PeriodBefore, weekRows } from "../../lib/report/report.ts";
import { repositoryName } from "../view.ts";

/** A repository or a team, with its figures now, in the period before, and by week. */
export type PlaceRow = {
  /** Its name in a view. */
  readonly id: string;
  readonly name: string;
  readonly organization: string | null;
  readonly figures: Figures;
  /** Null if there is nothing to compare with, or if it is not read yet. */
  readonly before: Figures | null;
  /** The number of pull requests in each week of the period. */
  readonly weeks: readonly number[];
  readonly weeksBefore: readonly number[] | null;
};

export type PlaceGroup = Pick<PlaceRow, "id" | "name" | "organization"> & {
  readonly pullRequests: readonly PullRequest[];
  /** Those of the period before. */
  readonly earlier: readonly PullRequest[];
};

export function placeRow(group: PlaceGroup, period: Period, before: PeriodBefore | undefined): PlaceRow {
  const { id, name, organization, pullRequests, earlier } = group;
  const isCompared = before !== undefined && before.pullRequests.length > 0;
  const weeks = weekRows(pullRequests, period);
  const weeksBefore = isCompared
    ? weekRows([], period, { before: { ...before, pullRequests: earlier } })
    : null;
  return {
    ...{ id, name, organization },
    figures: figuresOf(pullRequests),
    before: isCompared ? figuresOf(earlier) : null,
    weeks: weeks.map(({ figures }) => figures.pull_requests),
    weeksBefore: weeksBefore?.map((week) => week.before?.pull_requests ?? 0) ?? null,
  };
}

const idOf = ({ provider, organizationId, repositoryId }: PullRequest): string =>
  repositoryName(provider, organizationId, repositoryId);

/** A row for every repository, in alphabetical order; the page sorts them. */
export function repositoryRows(
  pullRequests: readonly PullRequest[],
  period: Period,
  before?: PeriodBefore,
): PlaceRow[] {
  const earlier = Map.groupBy(before?.pullRequests ?? [], idOf);
  return grouped(pullRequests).map(({ group, ...label }) =>
    placeRow({ ...label, pullRequests: group, earlier: earlier.get(label.id) ?? [] }, period, before),
  );
}

export const repositoryLabels = (pullRequests: readonly PullRequest[]) =>
  grouped(pullRequests).map(({ id, name, organization }) => ({ id, name, organization }));

const compareTexts = new Intl.Collator("en").compare;

const grouped = (pullRequests: readonly PullRequest[]) =>
  [...Map.groupBy(pullRequests, idOf)]
    .flatMap(([id, group]) => {
      const [first] = group;
      return first ? [{ id, group, name: first.repositoryName, organization: first.organizationName }] : [];
    })
    .toSorted(
      (one, other) =>
        compareTexts(one.name, other.name) || compareTexts(one.organization, other.organization),
    );

export const ofRepository = (pullRequests: readonly PullRequest[], id: string): PullRequest[] =>
  pullRequests.filter((each) => idOf(each) === id);
