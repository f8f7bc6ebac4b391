import type { ReportCaller } from "../client/caller.ts";
import type { ResponseOf } from "../client/client.ts";
import { bodiesInHalves, type PageRequest } from "../client/pages-in-halves.ts";
import type { OrganizationFilter } from "./metrics-filters.ts";
import type { PullRequest } from "./pull-request.ts";

export type Team = ResponseOf<"listTeams">["teams"][number];

/** Names the teams of a pull request's author. */
export type TeamsOf = (
  pullRequest: Pick<PullRequest, "provider" | "organizationId" | "authorId">,
) => readonly Team[];

/** All teams as they are now: teams have no history. */
export async function readTeams(
  client: Pick<ReportCaller, "listTeams">,
  filter: OrganizationFilter,
  { pageSizeMax, signal }: { readonly pageSizeMax: number; readonly signal?: AbortSignal },
): Promise<Team[]> {
  const teams: Team[] = [];
  const ask = (place: PageRequest) =>
    client.listTeams({ query: { ...filter, ...place } }, signal ? { signal } : {});
  for await (const body of bodiesInHalves(ask, pageSizeMax)) teams.push(...body.teams);
  return teams;
}

/** A person can be in several teams, and counts in each. */
export function teamsByAuthor(teams: readonly Team[]): TeamsOf {
  const byAuthor = new Map<string, Team[]>();
  const nameOf = (provider: string, organization: string, user: string) =>
    JSON.stringify([provider, organization, user]);
  for (const team of teams)
    for (const user of team.user_ids) {
      const name = nameOf(team.provider, team.organization_id, user);
      byAuthor.set(name, [...(byAuthor.get(name) ?? []), team]);
    }
  return ({ provider, organizationId, authorId }) =>
    authorId === null ? [] : (byAuthor.get(nameOf(provider, organizationId, authorId)) ?? []);
}

/** The teams that people name by id or by name, in any letter case; undefined if there is no such team. */
export function teamsNamed(teams: readonly Team[], name: string): readonly Team[] | undefined {
  const asked = name.toLowerCase();
  const found = teams.filter(({ team_id, name: each }) => team_id === name || each.toLowerCase() === asked);
  return found.length === 0 ? undefined : found;
}

export type ChosenAuthors = {
  /** Null stands for authors without a team; undefined means all authors. */
  readonly teams?: ReadonlyArray<Team | null> | undefined;
  readonly withoutBots: boolean;
};

/** Whose pull requests a report has, and their teams: only chosen teams, so that no other team appears in part. */
export function authorFilter(teamsOf: TeamsOf, { teams, withoutBots }: ChosenAuthors) {
  const chosen = teams && new Set(teams);
  const isChosen = (of: readonly Team[]) =>
    !chosen || (of.length === 0 ? chosen.has(null) : of.some((team) => chosen.has(team)));
  return {
    teamsOf: chosen
      ? (of: Parameters<TeamsOf>[0]) => teamsOf(of).filter((team) => chosen.has(team))
      : teamsOf,
    isWanted: (pullRequest: PullRequest): boolean =>
      !(withoutBots && pullRequest.isByBot) && isChosen(teamsOf(pullRequest)),
  };
}
