import type { SeatCaller } from "../client/caller.ts";
import { bodiesInHalves, type PageRequest } from "../client/pages-in-halves.ts";
import type { KeyKind } from "../contract/access.ts";
import { chunksOf } from "../runtime/chunks.ts";
import { type Organization, reasonLeftOut } from "./left-out.ts";

export type OrganizationFilter = { readonly org_id?: string; readonly organization_ids?: string };

export type ListQuery = OrganizationFilter & PageRequest;
export type ListAnswer<Record> = {
  readonly body: { readonly data: readonly Record[]; readonly next_cursor: string | null };
};

/** The pages of a list, of one filter after another. */
export async function* bodiesOf<Record, Filter extends OrganizationFilter>(
  ask: (query: Filter & PageRequest) => Promise<ListAnswer<Record>>,
  filters: readonly Filter[],
  pageSizeMax: number,
) {
  for (const filter of filters) yield* bodiesInHalves((place) => ask({ ...filter, ...place }), pageSizeMax);
}

/** How many organizations one request of an instance key may name. */
export const organizationsMax = 10;

/**
 * The filters with which all metrics of a part of the key's scope are read. The API refuses the metrics of a scope in
 * which one organization on the plan sends none: then the others are named, one by one or ten together.
 */
export function metricsFilters(
  kind: KeyKind,
  part: { readonly filter: OrganizationFilter; readonly organizations: readonly Organization[] },
): readonly OrganizationFilter[] {
  return isReadAtOnce(part.organizations) ? [part.filter] : filtersNaming(kind, part.organizations);
}

/** The same for a few organizations of a scope, of which the others do not matter. */
export const filtersOfSome = (
  kind: KeyKind,
  scope: readonly Organization[],
  some: readonly Organization[],
): readonly OrganizationFilter[] => (isReadAtOnce(scope) ? [{}] : filtersNaming(kind, some));

const isReadAtOnce = (organizations: readonly Organization[]): boolean =>
  organizations.every((each) => reasonLeftOut(each, false) !== null || reasonLeftOut(each, true) === null);

/** Names those that the API reads. */
function filtersNaming(kind: KeyKind, organizations: readonly Organization[]): readonly OrganizationFilter[] {
  const ready = organizations.filter((each) => reasonLeftOut(each, true) === null);
  return kind === "workspace"
    ? ready.map(({ provider, provider_organization_id: id }) => ({ org_id: `${provider}:${id}` }))
    : chunksOf(ready, organizationsMax).map((some) => ({
        organization_ids: some.map(({ provider_organization_id: id }) => id).join(","),
      }));
}

/** The same for a report about what `chosen` names, or about everything. If nothing can be read, the API says why. */
export function reportFilters(
  { key, scope }: Awaited<ReturnType<SeatCaller["whoami"]>>["body"],
  chosen: OrganizationFilter,
): readonly OrganizationFilter[] {
  if (chosen.org_id !== undefined || chosen.organization_ids !== undefined) return [{}];
  const filters = metricsFilters(key.kind, { filter: {}, organizations: scope.organizations });
  return filters.length > 0 ? filters : [{}];
}
