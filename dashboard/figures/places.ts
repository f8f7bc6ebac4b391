import type { Period } from "../../lib/report/period.ts";
import type { PullRequest } from "../../lib/report/pull-request.ts";
import { byName, groupedRows, type PeriodBefore, type ReportRow, weekRows } from "../../lib/report/report.ts";
import { repositoryName } from "../view.ts";

/** A repository or a team, with its figures now, in the period before, and by week. */
export type PlaceRow = ReportRow & {
  /** Its name in a view. */
  readonly id: string;
  /** The number of pull requests in each week of the period. */
  readonly weeks: readonly number[];
  readonly weeksBefore: readonly number[] | null;
};
type PlaceLabel = Pick<PlaceRow, "id" | "name" | "organization">;

/** A row for every place, in alphabetical order; the page sorts them. `before` contains only what the view shows. */
export const placeRows = <Key>(
  pullRequests: readonly PullRequest[],
  { period, before }: { readonly period: Period; readonly before: PeriodBefore | undefined },
  groupsOf: Parameters<typeof groupedRows<Key, PlaceLabel>>[2],
  labelOf: (key: Key, first: PullRequest) => PlaceLabel,
): PlaceRow[] =>
  groupedRows(pullRequests, { before }, groupsOf, labelOf)
    .map(({ row, group, earlier }) => {
      const weeks = weekRows(group, period, before && { before: { ...before, pullRequests: earlier } });
      return {
        ...row,
        weeks: weeks.map(({ figures }) => figures.pull_requests),
        weeksBefore: row.before && weeks.map((week) => week.before?.pull_requests ?? 0),
      };
    })
    .toSorted(byName);

const idOf = ({ provider, organizationId, repositoryId }: PullRequest): string =>
  repositoryName(provider, organizationId, repositoryId);
const labelOf = (id: string, { repositoryName: name, organizationName }: PullRequest) => ({
  id,
  name,
  organization: organizationName,
});
const byRepository = (pullRequests: readonly PullRequest[]) => Map.groupBy(pullRequests, idOf);

export const repositoryRows = (pullRequests: readonly PullRequest[], period: Period, before?: PeriodBefore) =>
  placeRows(pullRequests, { period, before }, byRepository, labelOf);

export const repositoryLabels = (pullRequests: readonly PullRequest[]): PlaceLabel[] =>
  [...byRepository(pullRequests)]
    .flatMap(([id, [first]]) => (first ? [labelOf(id, first)] : []))
    .toSorted(byName);

export const ofRepository = (pullRequests: readonly PullRequest[], id: string): PullRequest[] =>
  pullRequests.filter((each) => idOf(each) === id);
