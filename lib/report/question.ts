import type { Client, ResponseOf } from "../client/client.ts";
import { pageLimits } from "../contract/limits.ts";
import { isWithinOnly } from "../contract/only.ts";
import type { Question } from "./arguments.ts";
import { onlyFindings } from "./figures.ts";
import { chosenOf, leftOutSentence } from "./left-out.ts";
import { comparedOf, type ListName, listOf } from "./lists.ts";
import { type OrganizationFilter, reportFilters } from "./metrics-filters.ts";
import {
  knownAuthor,
  knownOrganization,
  knownRepository,
  knownTeam,
  Names,
  withoutProvider,
} from "./names.ts";
import type { Period } from "./period.ts";
import type { PullRequest } from "./pull-request.ts";
import type { PullRequestsAndBefore } from "./read-pull-requests.ts";
import { type Dimension, reportOf } from "./report.ts";
import { authorFilter, readTeams, teamsByAuthor } from "./teams.ts";
import { definitions } from "./words.ts";

type Options = {
  readonly period: Period;
  /** Whether teams are read although the question names none. */
  readsTeams(identity: Identity): boolean;
  readonly nowMs: number;
  readonly signal: AbortSignal;
  refuse(code: "INVALID_REQUEST" | "KEY_LIMITED", message: string): Error;
};

export type Identity = ResponseOf<"whoami">;

/** What a report reads to answer the question, and the answer from what was read. */
export async function openQuestion(client: Client, query: Question, options: Options) {
  const { period, nowMs, signal, refuse } = options;
  const call = { signal, pageSizeMax: pageLimits.metrics.max };
  const { body: identity } = await client.whoami({}, call);
  const names = new Names(query, (message) => refuse("INVALID_REQUEST", message));
  const scope = scopeOf(query, identity, { names, refuse });
  const needsTeams = query.team !== undefined || options.readsTeams(identity);
  if (needsTeams && !isWithinOnly(identity.key.only, "organizations:read"))
    throw refuse(
      "KEY_LIMITED",
      "Teams need organizations:read, which this narrow key lacks. Leave team out, or use a key that has it.",
    );
  const teams = needsTeams
    ? await readTeams(client, scope, { ...call, pageSizeMax: pageLimits.teams.max })
    : [];
  const teamIds = names.idsOf("team", () => teams.map(knownTeam));
  const { teamsOf, isWanted } = authorFilter(teamsByAuthor(teams), {
    teams: teamIds && teams.filter((each) => teamIds.includes(knownTeam(each).id)),
    withoutBots: query.without_bots,
  });
  const leftOut = leftOutSentence(chosenOf(identity.scope.organizations, scope), JSON.stringify);
  const select = (all: readonly PullRequest[]) => {
    const { notes, isNamed } = namedIn(all, names, period);
    return {
      notes: [...(leftOut ? [leftOut] : []), ...notes],
      chosen: (some: readonly PullRequest[]) => some.filter((each) => isWanted(each) && isNamed(each)),
      counted: withFindings(query),
    };
  };
  const filters = filtersOf(query);
  const { repository_ids } = query;
  return {
    filters,
    /** The period and the filters, for a sentence. */
    title: `${daysOf(period)}${Object.keys(filters).length === 0 ? "" : ` with ${JSON.stringify(filters)}`}`,
    readOptions: {
      ...call,
      filters: reportFilters(identity, scope),
      nowMs,
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
      const days = reportOf([], period, "week").period;
      const list = listOf(all, days, find, needsTeams ? { teamsOf } : {});
      return {
        ...list,
        notes: [...(needsTeams ? [] : ["Without teams, which this key may not read."]), ...notes],
        ...(find === "slow" && { compared: comparedOf(all) }),
      };
    },
  };
}

/** The organizations that the question names, as the API takes them. */
function scopeOf(
  { org_id }: Question,
  { key, scope }: Identity,
  { names, refuse }: Pick<Options, "refuse"> & { readonly names: Names },
): OrganizationFilter {
  if (org_id !== undefined && key.kind !== "workspace")
    throw refuse("INVALID_REQUEST", "org_id: is for workspace tokens only; leave it out with this key.");
  const organizations = () => scope.organizations.map(knownOrganization);
  const [organization] = names.idsOf("org_id", organizations) ?? [];
  const chosen = names.idsOf("organization_ids", organizations)?.map(withoutProvider);
  return {
    ...(organization !== undefined && { org_id: organization }),
    ...(chosen && { organization_ids: chosen.join(",") }),
  };
}

/** Names are looked up in all that was read: nothing else says which repositories and authors a period has. */
function namedIn(all: readonly PullRequest[], names: Names, period: Period) {
  const none = `has no merged, reviewed pull request from ${daysOf(period)}. Those that have`;
  const repositories = () => all.map(knownRepository);
  const repository = names.idsOf("repository", repositories, none);
  const { ids: among, unknown } = names.lookUp("repository_ids", repositories);
  const author = names.idsOf("author", () => all.map(knownAuthor), none);
  return {
    notes:
      unknown.length > 0
        ? [`repository_ids: nothing from ${daysOf(period)} matches ${unknown.join(", ")}.`]
        : [],
    isNamed: (each: PullRequest): boolean =>
      (repository?.includes(knownRepository(each).id) ?? true) &&
      (among?.includes(knownRepository(each).id) ?? true) &&
      (author?.includes(knownAuthor(each).id) ?? true),
  };
}

/** Pull requests with the findings that are asked for, and only those findings; all without a filter. */
const withFindings = ({ severity, category }: Question) =>
  severity === undefined && category === undefined
    ? (some: readonly PullRequest[]) => some
    : onlyFindings(
        (finding) =>
          (severity === undefined || finding.severity === severity) &&
          (category === undefined || finding.category === category),
      );

/** What was asked for beyond the period and the page. */
function filtersOf({ start_date, end_date, limit, cursor, ...asked }: Question) {
  return Object.fromEntries(
    Object.entries(asked).filter(([, value]) => value !== undefined && value !== false),
  );
}

const daysOf = ({ start_date, end_date }: Period): string => `${start_date} to ${end_date}`;
