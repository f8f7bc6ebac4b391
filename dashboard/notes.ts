import { leftOutNote, placeOf, type ReportNote } from "../lib/report/left-out.ts";
import { noTeamName } from "../lib/report/report.ts";
import type { PageSession } from "./session.ts";
import { type DashboardView, noTeam, organizationName } from "./view.ts";

/** The filters of the page as words: a paper and a file have no pickers. */
export function filterNotes({ identity, sections }: PageSession, view: DashboardView): ReportNote[] {
  const organizations = identity?.scope.organizations ?? [];
  const names = new Map([
    ...organizations.map(
      (each) => [organizationName(each.provider, each.provider_organization_id), each.name] as const,
    ),
    ...[...(sections.reviews.shown?.knownRepositories ?? []), ...(sections.teams.shown?.known ?? [])].map(
      ({ id, name }) => [id, name] as const,
    ),
    [noTeam, noTeamName] as const,
  ]);
  const only = (text: string, ids: readonly string[]) =>
    ids.length > 0 ? [{ text, names: ids.map((id) => names.get(id) ?? id) }] : [];
  const ofOrganizations = only("Only these organizations", view.organizations);
  if (view.page === "administration") return ofOrganizations;
  return [
    ...(view.withoutBots ? [{ text: "Without pull requests that a program opened", names: [] }] : []),
    ...only("Only authors in these teams", view.teams),
    ...ofOrganizations,
    ...only("Only these repositories", view.repositories),
  ];
}

/** What the figures are limited to, and what they leave out. */
export function notesOf(session: PageSession, view: DashboardView): ReportNote[] {
  const leftOut = leftOutNote(session.identity?.scope.organizations ?? []);
  return [...filterNotes(session, view), ...(leftOut ? [leftOut] : [])];
}

/** Which workspace or organization, and which key. */
export function scopeOf({ identity }: PageSession): { readonly place: string; readonly key: string } | null {
  if (!identity) return null;
  const { key, scope } = identity;
  return {
    place: placeOf(scope),
    key: `${key.kind} key${key.name === null ? "" : ` “${key.name}”`}`,
  };
}
