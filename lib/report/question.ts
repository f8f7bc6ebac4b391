import type { Client } from "../client/client.ts";
import { pageLimits } from "../contract/limits.ts";
import { isWithinOnly } from "../contract/only.ts";
import { shortened } from "../contract/schema-sentences.ts";
import type { Question } from "./arguments.ts";
import { onlyFindings } from "./figures.ts";
import { chosenOf, leftOutSentence, type Organization } from "./left-out.ts";
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
  const { org_id, repository_ids } = query;
  /** The ids of the things that a person means, and what is not the name of anything. */
  const lookUp = (argument: NamingArgument, all: () => readonly Known[]) => {
    const asked = [query[argument] ?? []].flat();
    if (asked.length === 0) return { known: [], ids: undefined, unknown: [] };
    const known = [...new Map(all().map((each) => [JSON.stringify([each.id, each.name]), each])).values()];
    const ids = asked.map((each) => {
      const found = knownAs(known, each);
      if (new Set(found.map(({ id }) => id)).size < 2) return found[0]?.id;
      const several = `means several ${shownOf(found, ": send the id of one")}`;
      throw refuse("INVALID_REQUEST", `${argument}: ${quoted(each)} ${several}`);
    });
    return { known, ids, unknown: asked.filter((_, place) => ids[place] === undefined).map(quoted) };
  };
  /** The same where every name must be known. */
  const idsOf = (argument: NamingArgument, all: () => readonly Known[], none: string) => {
    const { known, ids, unknown } = lookUp(argument, all);
    if (unknown.length === 0) return ids;
    throw refuse("INVALID_REQUEST", `${argument}: ${unknown.join(", ")} ${none} ${shownOf(known)}`);
  };
  const unknownHere = "is unknown here. Known";
  const organizations = () => identity.scope.organizations.map(knownOrganization);
  if (org_id !== undefined && identity.key.kind !== "workspace")
    throw refuse("INVALID_REQUEST", "org_id: is for workspace tokens only; leave it out with this key.");
  const [organization] = idsOf("org_id", organizations, unknownHere) ?? [];
  const chosenOrganizations = idsOf("organization_ids", organizations, unknownHere)?.map(withoutProvider);
  const scope = {
    ...(organization !== undefined && { org_id: organization }),
    ...(chosenOrganizations && { organization_ids: chosenOrganizations.join(",") }),
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
  const teamIds = idsOf("team", () => teams.map(knownTeam), unknownHere);
  const team = teamIds && teams.filter((each) => teamIds.includes(knownTeam(each).id));
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
    const repositories = () => all.map(knownRepository);
    const ofRepository = idsOf("repository", repositories, none);
    const { ids: ofRepositories, unknown } = lookUp("repository_ids", repositories);
    const ofAuthor = idsOf("author", () => all.map(knownAuthor), none);
    return {
      notes: [
        ...(leftOut ? [leftOut] : []),
        ...(unknown.length > 0
          ? [`repository_ids: nothing from ${days} matches ${unknown.join(", ")}.`]
          : []),
      ],
      chosen: (some: readonly PullRequest[]) =>
        some.filter(
          (each) =>
            isWanted(each) &&
            (ofRepository?.includes(knownRepository(each).id) ?? true) &&
            (ofRepositories?.includes(knownRepository(each).id) ?? true) &&
            (ofAuthor?.includes(knownAuthor(each).id) ?? true),
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
      query: {
        ...period,
        ...scope,
        // The API knows ids only: what may be a name is looked up in all that was read.
        ...(repository_ids?.every((each) => /^\d+$/.test(each)) && {
          repository_ids: repository_ids.join(","),
        }),
      },
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
          ...(left > 0 ? [`Rows without such a finding are left out: ${left}.`] : []),
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

type NamingArgument = "team" | "repository" | "repository_ids" | "author" | "org_id" | "organization_ids";

/** Something that a person can name. A provider gives each id once: a person in two organizations is one. */
type Known = { readonly name: string; readonly id: string; readonly organization: string };

const knownTeam = ({ provider, team_id, name, organization_id }: Team): Known => ({
  ...{ name, id: `${provider}:${team_id}`, organization: organization_id },
});
const knownOrganization = ({ provider, provider_organization_id: id, name }: Organization): Known => ({
  ...{ name, id: `${provider}:${id}`, organization: name },
});
const knownRepository = (each: PullRequest): Known => ({
  ...{ name: each.repositoryFullName, id: `${each.provider}:${each.repositoryId}` },
  organization: each.organizationName,
});
const knownAuthor = ({ provider, authorId, authorName, organizationName }: PullRequest): Known => ({
  name: authorName ?? authorId ?? "",
  id: `${provider}:${authorId ?? authorName ?? ""}`,
  organization: organizationName,
});
const withoutProvider = (id = ""): string => id.slice(id.indexOf(":") + 1);
const quoted = (text: string): string => JSON.stringify(shortened(text));

/** By id, with or without the provider, or by name in any letter case; else by the last part of a name. */
function knownAs(known: readonly Known[], asked: string): readonly Known[] {
  const isAsked = (text: string | undefined) => text?.toLowerCase() === asked.toLowerCase();
  const exact = known.filter(({ id, name }) => [id, withoutProvider(id)].includes(asked) || isAsked(name));
  return exact.length > 0 ? exact : known.filter(({ name }) => isAsked(name.split("/").at(-1)));
}

const shownOf = (known: readonly Known[], words = ""): string => {
  const shown = known.slice(0, namesShownMax);
  return `(${shown.length} of ${known.length})${words}: ${shown.map((each) => JSON.stringify(each)).join(", ") || "none"}.`;
};
