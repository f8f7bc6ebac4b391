import { lastDays, type Period } from "../lib/report/period.ts";
import { isCalendarDate } from "./days.ts";

/** What the page shows, and everything that its address contains: filters, never a key. */
export type DashboardView = {
  readonly period: ChosenPeriod;
  /** `provider:id`; an empty list means all. */
  readonly organizations: readonly string[];
  /** `provider:organization/id`; an empty list means all. */
  readonly repositories: readonly string[];
  /** `provider:organization/id`, or `none` for authors without a team; an empty list means all. */
  readonly teams: readonly string[];
  readonly withoutBots: boolean;
  readonly byAuthor: boolean;
  /** The repository whose pull requests are listed. */
  readonly listed: string | null;
  readonly sort: Sort;
};

export type ChosenPeriod = { readonly days: PeriodDays } | Period;
export const periodDays = [7, 30, 90] as const;
export type PeriodDays = (typeof periodDays)[number];

/** Columns of the table of repositories. */
const sortColumns = [
  "repository",
  "pull_requests",
  "findings",
  "per_pull_request",
  "acceptance",
  "first_review",
  "merge",
] as const;
export type SortColumn = (typeof sortColumns)[number];
export type Sort = { readonly column: SortColumn; readonly isDescending: boolean };

export const defaultView: DashboardView = {
  period: { days: 30 },
  organizations: [],
  repositories: [],
  teams: [],
  withoutBots: false,
  byAuthor: false,
  listed: null,
  sort: { column: "pull_requests", isDescending: true },
};

export const resolvePeriod = (chosen: ChosenPeriod, nowMs: number): Period =>
  "days" in chosen ? lastDays(chosen.days, nowMs) : chosen;

/** The part of the address after `#`: a browser does not send it. Default values are left out. */
export function addressOf(view: DashboardView): string {
  const words = new URLSearchParams();
  const { period, sort } = view;
  if (!("days" in period)) {
    words.set("from", period.start_date);
    words.set("to", period.end_date);
  } else if (period.days !== 30) words.set("days", String(period.days));
  for (const each of view.organizations) words.append("org", each);
  for (const each of view.repositories) words.append("repo", each);
  for (const each of view.teams) words.append("team", each);
  if (view.withoutBots) words.set("bots", "no");
  if (view.byAuthor) words.set("authors", "yes");
  if (view.listed !== null) words.set("list", view.listed);
  const { column, isDescending } = defaultView.sort;
  if (sort.column !== column || sort.isDescending !== isDescending)
    words.set("sort", `${sort.isDescending ? "-" : ""}${sort.column}`);
  return words.toString().replaceAll("%3A", ":").replaceAll("%2F", "/");
}

/** A missing or invalid value gets its default. */
export function parseView(address: string): DashboardView {
  const words = new URLSearchParams(address.replace(/^#/, ""));
  return {
    period: periodOf(words),
    organizations: words.getAll("org").filter(Boolean),
    repositories: words.getAll("repo").filter(Boolean),
    teams: words.getAll("team").filter(Boolean),
    withoutBots: words.get("bots") === "no",
    byAuthor: words.get("authors") === "yes",
    listed: words.get("list") || null,
    sort: sortOf(words.get("sort") ?? ""),
  };
}

function periodOf(words: URLSearchParams): ChosenPeriod {
  const [start_date, end_date] = [words.get("from") ?? "", words.get("to") ?? ""];
  if (isCalendarDate(start_date) && isCalendarDate(end_date) && start_date <= end_date)
    return { start_date, end_date };
  const days = periodDays.find((each) => String(each) === words.get("days"));
  return days === undefined ? defaultView.period : { days };
}

function sortOf(word: string): Sort {
  const column = sortColumns.find((each) => each === word.replace(/^-/, ""));
  return column ? { column, isDescending: word.startsWith("-") } : defaultView.sort;
}

/** The names of an organization and of a repository in a view. */
export const organizationName = (provider: string, organizationId: string): string =>
  `${provider}:${organizationId}`;
export const repositoryName = (provider: string, organizationId: string, repositoryId: string): string =>
  `${organizationName(provider, organizationId)}/${repositoryId}`;

/** In the place of a team: authors who are in none. */
export const noTeam = "none";

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
