import type { Client } from "../client/client.ts";
import { pageLimits } from "../contract/limits.ts";
import { isWithinOnly } from "../contract/only.ts";
import { shortened } from "../contract/schema-sentences.ts";
import type { Question } from "./arguments.ts";
import { onlyFindings } from "./figures.ts";
import { chosenOf, leftOutNote, noteText } from "./left-out.ts";
import { reportFilters } from "./metrics-filters.ts";
import type { Period } from "./period.ts";
import type { PullRequest } from "./pull-request.ts";
import { type NamedRow, type ReportRow, reportOf } from "./report.ts";
import { authorFilter, readTeams, type Team, teamsByAuthor } from "./teams.ts";

type Options = {
  readonly period: Period;
  readonly isByTeam: boolean;
  readonly nowMs: number;
  readonly signal: AbortSignal;
  refuse(code: "INVALID_REQUEST" | "KEY_LIMITED", message: string): Error;
};

/** What a report reads to answer the question, and which of the pull requests it counts. */
export async function openQuestion(client: Client, query: Question, options: Options) {
  const { period, isByTeam, nowMs, signal, refuse } = options;
  const call = { signal, pageSizeMax: pageLimits.metrics.max };
  const { body: identity } = await client.whoami({}, call);
  const { org_id, repository_ids, organization_ids } = query;
  const scope = {
    ...(org_id !== undefined && { org_id }),
    ...(organization_ids && { organization_ids: organization_ids.join(",") }),
  };
  const named = <Row extends NamedRow>(argument: string, asked: string, rows: readonly Row[]): Row => {
    const found = rowNamed(rows, asked);
    if (typeof found !== "string") return found;
    throw refuse("INVALID_REQUEST", `${argument}: ${JSON.stringify(shortened(asked))} ${found}`);
  };
  const needsTeams = isByTeam || query.team !== undefined;
  if (needsTeams && !isWithinOnly(identity.key.only, "organizations:read"))
    throw refuse(
      "KEY_LIMITED",
      "Teams need organizations:read, which this narrow key lacks. Leave team out, or use a key that has it.",
    );
  const teams = needsTeams
    ? await readTeams(client, scope, { ...call, pageSizeMax: pageLimits.teams.max })
    : [];
  const team = query.team === undefined ? undefined : [named("team", query.team, teams.map(teamRow)).team];
  const { teamsOf, isWanted } = authorFilter(teamsByAuthor(teams), {
    ...{ teams: team, withoutBots: query.without_bots },
  });
  const { severity = null, category = null } = query;
  const hasFindings = onlyFindings(
    (finding) =>
      (severity === null || finding.severity === severity) &&
      (category === null || finding.category === category),
  );
  const note = leftOutNote(chosenOf(identity.scope.organizations, scope), JSON.stringify);
  return {
    teamsOf,
    notes: note ? [noteText(note)] : [],
    readOptions: {
      ...{ ...call, isWanted, filters: reportFilters(identity, scope), nowMs },
      query: { ...period, ...scope, ...(repository_ids && { repository_ids: repository_ids.join(",") }) },
    },
    /** Names are looked up in what was read: nothing else says which repositories and authors a period has. */
    select: (all: readonly PullRequest[]) => {
      const found = (by: "repository" | "author") =>
        query[by] === undefined ? undefined : named(by, query[by], reportOf(all, period, by).rows);
      const [repository, author] = [found("repository"), found("author")];
      const isOf = (row: ReportRow | undefined, id: string | null, { organizationName }: PullRequest) =>
        row === undefined || (row.id === id && row.organization === organizationName);
      return (some: readonly PullRequest[]) => {
        const picked = some.filter(
          (each) => isOf(repository, each.repositoryId, each) && isOf(author, each.authorId, each),
        );
        return severity === null && category === null ? picked : hasFindings(picked);
      };
    },
  };
}

const namesShownMax = 20;

const teamRow = (team: Team) => ({
  team,
  id: team.team_id,
  name: team.name,
  organization: team.organization_id,
});

/** The one row that a person means: by id, by name in any letter case, else by the last part of a name; or why not. */
function rowNamed<Row extends NamedRow>(rows: readonly Row[], asked: string): Row | string {
  const isAsked = (text: string | undefined) => text?.toLowerCase() === asked.toLowerCase();
  const exact = rows.filter(({ id, name }) => id === asked || isAsked(name));
  const found = exact.length > 0 ? exact : rows.filter(({ name }) => isAsked(name.split("/").at(-1)));
  const [first, ...others] = found;
  if (first && others.length === 0) return first;
  const shown = (first ? found : rows).slice(0, namesShownMax);
  const texts = shown.map(({ name, id, organization }) => JSON.stringify({ name, id, organization }));
  return first
    ? `means several: send the id, or name the organization too: ${texts.join(", ")}.`
    : `is unknown here. Known: ${texts.join(", ") || "none"}.`;
}
