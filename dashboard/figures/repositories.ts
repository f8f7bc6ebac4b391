import { type Figures, figuresOf } from "../../lib/report/figures.ts";
import type { Period } from "../../lib/report/period.ts";
import type { PullRequest } from "../../lib/report/pull-request.ts";
import { weekRows } from "../../lib/report/report.ts";
import { repositoryName } from "../view.ts";

export type RepositoryRow = {
  /** The repository's name in a view. */
  readonly id: string;
  readonly name: string;
  readonly organization: string;
  readonly figures: Figures;
  /** The number of pull requests in each week of the period. */
  readonly weeks: readonly number[];
};

const idOf = ({ provider, organizationId, repositoryId }: PullRequest): string =>
  repositoryName(provider, organizationId, repositoryId);

/** A row for every repository, in alphabetical order; the page sorts them. */
export function repositoryRows(pullRequests: readonly PullRequest[], period: Period): RepositoryRow[] {
  return grouped(pullRequests).map(({ first, id, group }) => ({
    id,
    name: first.repositoryName,
    organization: first.organizationName,
    figures: figuresOf(group),
    weeks: weekRows(group, period).map(({ figures }) => figures.pull_requests),
  }));
}

export const repositoryLabels = (pullRequests: readonly PullRequest[]) =>
  grouped(pullRequests).map(({ first, id }) => ({
    id,
    name: first.repositoryName,
    organization: first.organizationName,
  }));

const compareTexts = new Intl.Collator("en").compare;

function grouped(pullRequests: readonly PullRequest[]) {
  return [...Map.groupBy(pullRequests, idOf)]
    .flatMap(([id, group]) => (group[0] ? [{ id, group, first: group[0] }] : []))
    .toSorted(
      ({ first: one }, { first: other }) =>
        compareTexts(one.repositoryName, other.repositoryName) ||
        compareTexts(one.organizationName, other.organizationName),
    );
}

export const ofRepository = (pullRequests: readonly PullRequest[], id: string): PullRequest[] =>
  pullRequests.filter((each) => idOf(each) === id);
