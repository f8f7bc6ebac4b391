import type { Client } from "../client/client.ts";
import { pageLimits } from "../contract/limits.ts";
import { isWithinOnly } from "../contract/only.ts";
import { shortened } from "../contract/schema-sentences.ts";
import type { Question } from "./arguments.ts";
import { onlyFindings } from "./figures.ts";
import { chosenOf, leftOutSentence } from "./left-out.ts";
import { comparedOf, type ListName, listOf } from "./lists.ts";
import { reportFilters } from "./metrics-filters.ts";
import type { Period } from "./period.ts";
import type { PullRequest } from "./pull-request.ts";
import type { PullRequestsAndBefore } from "./read.ts";
import { type Dimension, reportOf } from "./report.ts";
import { authorFilter, readTeams, type Team, teamsByAuthor } from "./teams.ts";
import { definitions } from "./words.ts";

type Options = {
  readonly period: Period;
  readonly isByTeam: boolean;
  readonly nowMs: number;
  readonly signal: AbortSignal;
  refuse(code: "INVALID_REQUEST" | "KEY_LIMITED", message: string): Error;
};

/** What a report reads to answer the question, and the answer from what was read. */
export async function openQuestion(client: Client, query: Question, options: Options) {
  const { period, isByTeam, nowMs, signal, refuse } = options;
  const call = { signal, pageSizeMax: pageLimits.metrics.max };
  const { body: identity } = await client.whoami({}, call);
  const { start_date: _start, end_date: _end, limit: _limit, cursor: _cursor, ...asked } = query;
  const { org_id, repository_ids, organization_ids } = query;
  const scope = {
    ...(org_id !== undefined && { org_id }),
    ...(organization_ids && { organization_ids: organization_ids.join(",") }),
  };
  /** The id of the one thing that a person means. */
  const idOf = (argument: "team" | "repository" | "author", all: readonly Known[], none: string) => {
    const asked = query[argument];
    if (asked === undefined) return undefined;
    const known = [...new Map(all.map((each) => [JSON.stringify([each.id, each.name]), each])).values()];
    const found = knownAs(known, asked);
    const ids = new Set(found.map(({ id }) => id));
    if (ids.size === 1) return found[0]?.id;
    const why =
      ids.size > 1 ? `means several ${shownOf(found, ": send the id of one")}` : `${none} ${shownOf(known)}`;
    throw refuse("INVALID_REQUEST", `${argument}: ${JSON.stringify(shortened(asked))} ${why}`);
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
  const teamId = idOf("team", teams.map(knownTeam), "is unknown here. Known");
  const team = teamId === undefined ? undefined : teams.filter((each) => knownTeam(each).id === teamId);
  const { teamsOf, isWanted } = authorFilter(teamsByAuthor(teams), {
    ...{ teams: team, withoutBots: query.without_bots },
  });
  const { severity = null, category = null } = query;
  const hasFindings = onlyFindings(
    (finding) =>
      (severity === null || finding.severity === severity) &&
      (category === null || finding.category === category),
  );
  const leftOut = leftOutSentence(chosenOf(identity.scope.organizations, scope), JSON.stringify);
  const filters = Object.fromEntries(
    Object.entries(asked).filter(([, value]) => value !== undefined && value !== false),
  );
  const days = `${period.start_date} to ${period.end_date}`;
  /** Names are looked up in all that was read: nothing else says which repositories and authors a period has. */
  const select = (all: readonly PullRequest[]) => {
    const none = `has no merged, reviewed pull request from ${days}. Those that have`;
    const repository = idOf("repository", all.map(knownRepository), none);
    const author = idOf("author", all.map(knownAuthor), none);
    const unmatched =
      repository_ids?.filter((id) => !all.some(({ repositoryId }) => repositoryId === id)) ?? [];
    const texts = unmatched.map((id) => JSON.stringify(id)).join(", ");
    return {
      notes: [
        ...(leftOut ? [leftOut] : []),
        ...(texts ? [`repository_ids: nothing matches ${texts}; it takes ids, not names.`] : []),
      ],
      chosen: (some: readonly PullRequest[]) =>
        some.filter(
          (each) =>
            isWanted(each) &&
            [undefined, knownRepository(each).id].includes(repository) &&
            [undefined, knownAuthor(each).id].includes(author),
        ),
      counted: (some: readonly PullRequest[]) =>
        severity === null && category === null ? some : hasFindings(some),
    };
  };
  return {
    filters,
    /** The period and the filters, for a sentence. */
    title: Object.keys(filters).length === 0 ? days : `${days} with ${JSON.stringify(filters)}`,
    readOptions: {
      ...{ ...call, filters: reportFilters(identity, scope), nowMs },
      query: { ...period, ...scope, ...(repository_ids && { repository_ids: repository_ids.join(",") }) },
    },
    report: (read: PullRequestsAndBefore, by: Dimension) => {
      const { notes, chosen, counted } = select([...read.pullRequests, ...read.before.pullRequests]);
      const all = chosen(read.pullRequests);
      const before = { ...read.before, pullRequests: counted(chosen(read.before.pullRequests)) };
      const report = reportOf(counted(all), period, by, { before, teamsOf });
      const left = reportOf(all, period, by, { teamsOf }).rows.length - report.rows.length;
      const value = by === "severity" || by === "category" ? query[by] : undefined;
      return {
        ...report,
        rows: report.rows.filter(({ id }) => value === undefined || id === value),
        notes: [
          ...(left > 0 ? [`${left} without such a finding are left out.`] : []),
          ...(by === "team" ? [definitions.teamRows] : []),
          ...notes,
        ],
      };
    },
    list: (read: readonly PullRequest[], find: ListName) => {
      const { notes, chosen, counted } = select(read);
      const all = counted(chosen(read));
      const list = listOf(all, reportOf([], period, "week").period, find);
      return { ...list, notes, ...(find === "slow" && { compared: comparedOf(all) }) };
    },
  };
}

const namesShownMax = 20;

/** Something that a person can name. A provider gives each id once: a person in two organizations is one. */
type Known = { readonly name: string; readonly id: string; readonly organization: string };

const knownTeam = ({ provider, team_id, name, organization_id }: Team): Known => ({
  ...{ name, id: `${provider}:${team_id}`, organization: organization_id },
});
const knownRepository = ({
  provider,
  repositoryId,
  repositoryName,
  organizationName,
}: PullRequest): Known => ({
  ...{ name: repositoryName, id: `${provider}:${repositoryId}`, organization: organizationName },
});
const knownAuthor = ({ provider, authorId, authorName, organizationName }: PullRequest): Known => ({
  ...{ name: authorName ?? authorId ?? "", id: `${provider}:${authorId}`, organization: organizationName },
});

/** By id, with or without the provider, or by name in any letter case; else by the last part of a name. */
function knownAs(known: readonly Known[], asked: string): readonly Known[] {
  const isAsked = (text: string | undefined) => text?.toLowerCase() === asked.toLowerCase();
  const exact = known.filter(
    ({ id, name }) => [id, id.slice(id.indexOf(":") + 1)].includes(asked) || isAsked(name),
  );
  return exact.length > 0 ? exact : known.filter(({ name }) => isAsked(name.split("/").at(-1)));
}

const shownOf = (known: readonly Known[], words = ""): string => {
  const shown = known.slice(0, namesShownMax);
  return `(${shown.length} of ${known.length})${words}: ${shown.map((each) => JSON.stringify(each)).join(", ") || "none"}.`;
};
