import type { PullRequest } from "../../lib/report/pull-request.ts";
import { type ReportRow, teamRows } from "../../lib/report/report.ts";
import { authorFilter, type Team, teamsByAuthor } from "../../lib/report/teams.ts";
import { type DashboardView, noTeam, organizationName, pullRequestFilter } from "../view.ts";

export type TeamFigures = {
  /** Every team that the key can see, whatever is chosen. */
  readonly known: ReadonlyArray<{ readonly id: string; readonly name: string }>;
  /** Null until the pull requests are read. */
  readonly rows: readonly ReportRow[] | null;
};

type Chosen = Pick<DashboardView, "organizations" | "repositories" | "teams" | "withoutBots">;

const idOf = ({ provider, organization_id, team_id }: Team): string =>
  `${organizationName(provider, organization_id)}/${team_id}`;

/** A chosen team that the key cannot see, or that is gone, has no pull requests. */
export function chosenAuthors(teams: readonly Team[], { teams: ids, withoutBots }: Chosen) {
  const chosen = [
    ...teams.filter((team) => ids.includes(idOf(team))),
    ...(ids.includes(noTeam) ? [null] : []),
  ];
  return authorFilter(teamsByAuthor(teams), { teams: ids.length > 0 ? chosen : undefined, withoutBots });
}

const compareTexts = new Intl.Collator("en").compare;

export function teamFigures(
  teams: readonly Team[],
  read: readonly PullRequest[] | undefined,
  view: Chosen,
): TeamFigures {
  const { teamsOf, isWanted } = chosenAuthors(teams, view);
  return {
    known: teams
      .map((team) => ({ id: idOf(team), name: team.name }))
      .toSorted((one, other) => compareTexts(one.name, other.name)),
    rows: read ? teamRows(read.filter(pullRequestFilter(view)).filter(isWanted), teamsOf) : null,
  };
}
