import { listedPullRequest, listNames, lists } from "../../lib/report/lists.ts";
import type { PullRequest } from "../../lib/report/pull-request.ts";
import { authorRows, type PeriodBefore, reportOf } from "../../lib/report/report.ts";
import { type Team, teamsByAuthor } from "../../lib/report/teams.ts";
import { definitions } from "../../lib/report/words.ts";
import type { ListedPullRequests, ReviewFigures, ShownView } from "../protocol.ts";
import { pullRequestFilter, teamListId } from "../view.ts";
import { ofRepository, repositoryLabels, repositoryRows } from "./places.ts";
import { chosenAuthors, ofTeam } from "./teams.ts";

/** All figures of a view, computed by lib/report like those of `npx review-api report`. */
export function reviewFigures(
  read: readonly PullRequest[],
  view: ShownView,
  {
    teams,
    before,
  }: { readonly teams?: readonly Team[] | undefined; readonly before?: PeriodBefore | undefined } = {},
): ReviewFigures {
  const { period } = view;
  const ofAuthors = read.filter(chosenAuthors(teams ?? [], view).isWanted);
  const pullRequests = ofAuthors.filter(pullRequestFilter(view));
  const report = reportOf(pullRequests, period, "week", before ? { before } : {});
  return {
    period,
    total: report.total,
    weeks: report.weeks,
    complexity: report.complexity,
    heatMap: report.heat_map,
    repositories: repositoryRows(pullRequests, period, before),
    knownRepositories: repositoryLabels(read),
    authors: view.byAuthor ? authorRows(pullRequests) : null,
    listed:
      view.listed === null ? null : listedOf({ ofAuthors, pullRequests, teams }, view.listed, view.rows),
  };
}

type Listing = {
  readonly ofAuthors: readonly PullRequest[];
  /** Also of the chosen organizations and repositories. */
  readonly pullRequests: readonly PullRequest[];
  readonly teams: readonly Team[] | undefined;
};

function listedOf(listing: Listing, id: string, rows: number): ListedPullRequests | null {
  const found = selected(listing, id);
  if (!found) return null;
  const teamsOf = listing.teams && teamsByAuthor(listing.teams);
  const { all, ...more } = found;
  return {
    id,
    ...more,
    count: all.length,
    pullRequests: all.slice(0, rows).map((each) => listedPullRequest(each, teamsOf)),
  };
}

function selected({ ofAuthors, pullRequests, teams = [] }: Listing, id: string) {
  const list = listNames.find((name) => name === id);
  if (list !== undefined) {
    const { title, definition, select } = lists[list];
    return { list, title, definition, all: select(pullRequests) };
  }
  const newest = (title: string, all: readonly PullRequest[]) => ({
    list: null,
    title: `Pull requests of ${title}`,
    definition: `Newest first. ${definitions.timesBegin}`,
    all: all.toSorted((one, other) => other.mergedAtMs - one.mergedAtMs),
  });
  if (id.startsWith(teamListId(""))) {
    const team = ofTeam(pullRequests, teams, id.slice(teamListId("").length));
    return team && newest(team.name, team.pullRequests);
  }
  const all = ofRepository(ofAuthors, id);
  const [repository] = repositoryLabels(all);
  return repository ? newest(repository.name, all) : null;
}
