import { listedPullRequest, listNames, lists } from "../../lib/report/lists.ts";
import type { PullRequest } from "../../lib/report/pull-request.ts";
import { authorRows, reportOf } from "../../lib/report/report.ts";
import type { Team } from "../../lib/report/teams.ts";
import type { ListedPullRequests, ReviewFigures, ShownView } from "../protocol.ts";
import { pullRequestFilter } from "../view.ts";
import { ofRepository, repositoryLabels, repositoryRows } from "./repositories.ts";
import { chosenAuthors } from "./teams.ts";

const listedMax = 200;

/** All figures of a view, computed by lib/report like those of `npx review-api report`. */
export function reviewFigures(
  read: readonly PullRequest[],
  view: ShownView,
  teams: readonly Team[] = [],
): ReviewFigures {
  const { period } = view;
  const ofAuthors = read.filter(chosenAuthors(teams, view).isWanted);
  const pullRequests = ofAuthors.filter(pullRequestFilter(view));
  const report = reportOf(pullRequests, period, "week");
  return {
    period,
    total: report.total,
    weeks: report.weeks,
    complexity: report.complexity,
    heatMap: report.heat_map,
    repositories: repositoryRows(pullRequests, period),
    knownRepositories: repositoryLabels(read),
    authors: view.byAuthor ? authorRows(pullRequests) : null,
    listed: view.listed === null ? null : listedOf(ofAuthors, pullRequests, view.listed),
  };
}

function listedOf(
  read: readonly PullRequest[],
  chosen: readonly PullRequest[],
  id: string,
): ListedPullRequests | null {
  const list = listNames.find((name) => name === id);
  if (list !== undefined) {
    const { title, definition, select } = lists[list];
    const all = select(chosen);
    return { id, list, title, definition, ...firstOf(all) };
  }
  const all = ofRepository(read, id).toSorted((one, other) => other.mergedAtMs - one.mergedAtMs);
  const [repository] = repositoryLabels(all);
  if (!repository) return null;
  return {
    ...{ id, list: null, title: `Pull requests of ${repository.name}`, definition: "Newest first." },
    ...firstOf(all),
  };
}

const firstOf = (all: readonly PullRequest[]) => ({
  count: all.length,
  pullRequests: all.slice(0, listedMax).map((each) => listedPullRequest(each)),
});
