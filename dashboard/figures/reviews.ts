import { figuresOf } from "../../lib/report/figures.ts";
import type { PullRequest } from "../../lib/report/pull-request.ts";
import { authorRows, reportOf } from "../../lib/report/report.ts";
import type { ListedPullRequest, ReviewFigures, ShownView } from "../protocol.ts";
import { pullRequestFilter } from "../view.ts";
import { ofRepository, repositoryLabels, repositoryRows } from "./repositories.ts";

const listedMax = 200;

/** All figures of a view, computed by lib/report like those of `npx review-api report`. */
export function reviewFigures(read: readonly PullRequest[], view: ShownView): ReviewFigures {
  const { period } = view;
  const pullRequests = read.filter(pullRequestFilter(view));
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
    listed: view.listed === null ? null : listedOf(read, view.listed),
  };
}

function listedOf(read: readonly PullRequest[], id: string): ReviewFigures["listed"] {
  const all = ofRepository(read, id);
  const [repository] = repositoryLabels(all);
  if (!repository) return null;
  const newest = all.toSorted((one, other) => other.mergedAtMs - one.mergedAtMs).slice(0, listedMax);
  return { repository, count: all.length, pullRequests: newest.map(listedPullRequest) };
}

const listedPullRequest = (pullRequest: PullRequest): ListedPullRequest => ({
  url: pullRequest.url,
  author: pullRequest.authorName ?? pullRequest.authorId,
  mergedAt: new Date(pullRequest.mergedAtMs).toISOString(),
  complexity: pullRequest.complexity,
  figures: figuresOf([pullRequest]),
});
