import type { Period } from "../../lib/report/period.ts";
import type { PullRequest } from "../../lib/report/pull-request.ts";
import { noTeamName, type PeriodBefore, teamGroups } from "../../lib/report/report.ts";
import { authorFilter, type Team, teamsByAuthor } from "../../lib/report/teams.ts";
import { type DashboardView, noTeam, organizationName, pullRequestFilter } from "../view.ts";
import { type PlaceRow, placeRows } from "./places.ts";

export type TeamFigures = {
  /** Every team that the key can see, whatever is chosen. */
  readonly known: ReadonlyArray<{ readonly id: string; readonly name: string }>;
  /** Null until the pull requests are read. */
  readonly rows: readonly PlaceRow[] | null;
};

type Chosen = Pick<DashboardView, "organizations" | "repositories" | "teams" | "withoutBots"> & {
  readonly period: Period;
};

const idOf = (team: Team | null): string =>
  team ? `${organizationName(team.provider, team.organization_id)}/${team.team_id}` : noTeam;

/** A chosen team that the key cannot see, or that is gone, has no pull requests. */
export function chosenAuthors(
  teams: readonly Team[],
  { teams: ids, withoutBots }: Pick<Chosen, "teams" | "withoutBots">,
) {
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
  before?: PeriodBefore,
): TeamFigures {
  const { teamsOf, isWanted } = chosenAuthors(teams, view);
  return {
    known: teams
      .map((team) => ({ id: idOf(team), name: team.name }))
      .toSorted((one, other) => compareTexts(one.name, other.name)),
    rows: read
      ? placeRows(
          read.filter(pullRequestFilter(view)).filter(isWanted),
          { period: view.period, before },
          (pullRequests) => teamGroups(pullRequests, teamsOf),
          (team, first) => ({
            id: idOf(team),
            name: team?.name ?? noTeamName,
            organization: team && first.organizationName,
          }),
        )
      : null,
  };
}

/** The pull requests of one team, or of authors without a team. */
export const ofTeam = (
  pullRequests: readonly PullRequest[],
  teams: readonly Team[],
  id: string,
): { readonly name: string; readonly pullRequests: readonly PullRequest[] } | null => {
  const team = id === noTeam ? null : teams.find((each) => idOf(each) === id);
  if (team === undefined) return null;
  const ofTeams = teamGroups(pullRequests, teamsByAuthor(teams));
  return { name: team?.name ?? noTeamName, pullRequests: ofTeams.get(team) ?? [] };
};
