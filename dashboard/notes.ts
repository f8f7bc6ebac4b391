import { leftOutNote, type ReportNote } from "../lib/report/left-out.ts";
import { noTeamName } from "../lib/report/report.ts";
import type { PageSession } from "./session.ts";
import { type DashboardView, noTeam, organizationName } from "./view.ts";

/** What the figures are limited to and what they leave out: a paper and a file have no pickers. */
export function notesOf({ identity, sections }: PageSession, view: DashboardView): ReportNote[] {
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
  const leftOut = leftOutNote(organizations);
  return [
    ...(view.withoutBots ? [{ text: "Without pull requests that a program opened", names: [] }] : []),
    ...only("Only authors in these teams", view.teams),
    ...only("Only these organizations", view.organizations),
    ...only("Only these repositories", view.repositories),
    ...(leftOut ? [leftOut] : []),
  ];
}

/** Which workspace or organization, and which key. */
export function scopeOf({ identity }: PageSession): { readonly place: string; readonly key: string } | null {
  if (!identity) return null;
  const { key, scope } = identity;
  const [only] = scope.organizations;
  return {
    place:
      scope.tenant === "organization"
        ? (only?.name ?? scope.tenant_id)
        : `${scope.tenant} ${scope.tenant_id}`,
    key: `${key.kind} key${key.name === null ? "" : ` “${key.name}”`}`,
  };
}
