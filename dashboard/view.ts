import { lastDays, lastMonth, lastWeek, type Period, utcDay } from "../lib/report/period.ts";
import { isCalendarDate } from "./days.ts";

/** The pages, in the order of their links. The first one opens by itself. */
export const pageNames = ["overview", "teams", "quality", "administration"] as const;
export type PageName = (typeof pageNames)[number];

/** What the page shows, and everything that its address contains: filters, never a key. */
export type DashboardView = {
  readonly page: PageName;
  readonly period: ChosenPeriod;
  /** `provider:id`; an empty list means all. */
  readonly organizations: readonly string[];
  /** `provider:organization/id`; an empty list means all. */
  readonly repositories: readonly string[];
  /** `provider:organization/id`, or `none` for authors without a team; an empty list means all. */
  readonly teams: readonly string[];
  readonly withoutBots: boolean;
  readonly byAuthor: boolean;
  /** The list of pull requests that is open: a `ListName`, a repository, or `teamListId` of a team. */
  readonly listed: string | null;
  /** How many rows of the list are shown. */
  readonly rows: number;
  /** The order of repositories and of teams. */
  readonly sort: Sort;
  readonly teamSort: Sort;
};

export type ChosenPeriod = { readonly days: PeriodDays } | { readonly last: WholeSpan } | Period;
/** A whole week or month before today: an address with it moves on. */
export const wholeSpans = ["week", "month"] as const;
export type WholeSpan = (typeof wholeSpans)[number];
export const periodDays = [7, 30, 90] as const;
export type PeriodDays = (typeof periodDays)[number];

/** Columns of the tables of repositories and teams. */
export const sortColumns = [
  ...(["name", "acceptance", "pull_requests", "findings"] as const),
  ...(["per_pull_request", "first_review", "merge"] as const),
] as const;
export type SortColumn = (typeof sortColumns)[number];
export type Sort = { readonly column: SortColumn; readonly isDescending: boolean };

export const defaultView: DashboardView = {
  page: "overview",
  period: { days: 30 },
  organizations: [],
  repositories: [],
  teams: [],
  withoutBots: false,
  byAuthor: false,
  listed: null,
  rows: 200,
  sort: { column: "pull_requests", isDescending: true },
  // By need: where the fewest findings are accepted comes first.
  teamSort: { column: "acceptance", isDescending: false },
};

/** The days of a period: the last N days up to now, the last week or month, or the chosen days. */
export function resolvePeriod(chosen: ChosenPeriod, nowMs: number): Period {
  if ("days" in chosen) return lastDays(chosen.days, nowMs);
  if ("last" in chosen) return { week: lastWeek, month: lastMonth }[chosen.last](utcDay(nowMs));
  return chosen;
}

/** The part of the address after `#`: a browser does not send it. Default values are left out. */
export function addressOf(view: DashboardView): string {
  const words = new URLSearchParams();
  const { page, period } = view;
  if (page !== defaultView.page) words.set("page", page);
  if ("start_date" in period) {
    words.set("from", period.start_date);
    words.set("to", period.end_date);
  } else if ("last" in period) words.set("last", period.last);
  else if (period.days !== 30) words.set("days", String(period.days));
  for (const each of view.organizations) words.append("org", each);
  for (const each of view.repositories) words.append("repo", each);
  for (const each of view.teams) words.append("team", each);
  if (view.withoutBots) words.set("bots", "no");
  if (view.byAuthor) words.set("authors", "yes");
  if (view.listed !== null) words.set("list", view.listed);
  if (view.rows !== defaultView.rows) words.set("rows", String(view.rows));
  for (const [name, sort, usual] of [
    ["sort", view.sort, defaultView.sort],
    ["team-sort", view.teamSort, defaultView.teamSort],
  ] as const)
    if (sortWord(sort) !== sortWord(usual)) words.set(name, sortWord(sort));
  return words.toString().replaceAll("%3A", ":").replaceAll("%2F", "/");
}

/** A missing or invalid value gets its default. */
export function parseView(address: string): DashboardView {
  const words = new URLSearchParams(address.replace(/^#/, ""));
  return {
    page: pageNames.find((each) => each === words.get("page")) ?? defaultView.page,
    period: periodOf(words),
    organizations: words.getAll("org").filter(Boolean),
    repositories: words.getAll("repo").filter(Boolean),
    teams: words.getAll("team").filter(Boolean),
    withoutBots: words.get("bots") === "no",
    byAuthor: words.get("authors") === "yes",
    listed: words.get("list") || null,
    rows: rowsOf(words.get("rows") ?? ""),
    sort: sortOf(words.get("sort"), defaultView.sort),
    teamSort: sortOf(words.get("team-sort"), defaultView.teamSort),
  };
}

/** Whole steps: the button that shows more adds one. */
const rowsOf = (word: string): number => {
  const rows = /^\d{3,6}$/.test(word) ? Number(word) : 0;
  return rows > 0 && rows % defaultView.rows === 0 ? rows : defaultView.rows;
};

function periodOf(words: URLSearchParams): ChosenPeriod {
  const [start_date, end_date] = [words.get("from") ?? "", words.get("to") ?? ""];
  if (isCalendarDate(start_date) && isCalendarDate(end_date) && start_date <= end_date)
    return { start_date, end_date };
  const last = wholeSpans.find((each) => each === words.get("last"));
  if (last !== undefined) return { last };
  const days = periodDays.find((each) => String(each) === words.get("days"));
  return days === undefined ? defaultView.period : { days };
}

const sortWord = ({ column, isDescending }: Sort): string => `${isDescending ? "-" : ""}${column}`;

function sortOf(word: string | null, usual: Sort): Sort {
  const column = sortColumns.find((each) => each === word?.replace(/^-/, ""));
  return column ? { column, isDescending: word?.startsWith("-") ?? false } : usual;
}

/** The names of an organization and of a repository in a view. */
export const organizationName = (provider: string, organizationId: string): string =>
  `${provider}:${organizationId}`;
export const repositoryName = (provider: string, organizationId: string, repositoryId: string): string =>
  `${organizationName(provider, organizationId)}/${repositoryId}`;

/** In the place of a team: authors who are in none. */
export const noTeam = "none";
/** Names the list of a team's pull requests. */
export const teamListId = (team: string): string => `team:${team}`;

type InRepository = {
  readonly provider: string;
  readonly organizationId: string;
  readonly repositoryId: string;
};

/** Whether a record of a repository is in the view. */
export function pullRequestFilter(
  view: Pick<DashboardView, "organizations" | "repositories">,
): (placed: InRepository) => boolean {
  const organizations = new Set(view.organizations);
  const repositories = new Set(view.repositories);
  return ({ provider, organizationId, repositoryId }) =>
    (organizations.size === 0 || organizations.has(organizationName(provider, organizationId))) &&
    (repositories.size === 0 || repositories.has(repositoryName(provider, organizationId, repositoryId)));
}
