import * as z from "zod";
import type { ReadableRepositories } from "../access/readable.ts";
import type { listLearnings } from "../contract/operations/learnings.ts";
import { certain } from "../runtime/certain.ts";
import type { Clock } from "../runtime/clock.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { organizationTenant, type TenantKey } from "../store/layout.ts";
import type { Table } from "../store/table.ts";
import { learningFilter } from "./export/filter.ts";
import { namedRepositories } from "./export/named-repository.ts";
import { beginning, type Position, walkLearnings } from "./export/walk.ts";
import { type LearningRecord, readNames, toLearningRecord } from "./present.ts";

/** What the export needs of a call. Access has decided whose Learnings they are. */
export type ExportCall = {
  readonly principal: { readonly tenant: TenantKey };
  readonly scope: { readonly organizations: readonly OrganizationItem[] };
  readonly readable: ReadableRepositories;
  readonly input: { readonly query: z.output<(typeof listLearnings)["query"]> };
  readonly paging: {
    readonly position: unknown;
    readonly pageSize: number;
    next(position: readonly string[]): string;
    resume(position: readonly string[]): string;
  };
  readonly table: Table;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

export type ExportedPage = {
  readonly records: readonly LearningRecord[];
  readonly nextCursor: string | null;
  /** Only on the last page: where the walk can be taken up later. */
  readonly resumeCursor: string | null;
};

export async function exportLearnings(call: ExportCall): Promise<ExportedPage> {
  const { table, clock, paging, signal, scope, input } = call;
  const {
    limit: _limit,
    cursor: _cursor,
    format: _format,
    org_id: _orgId,
    state: _state,
    ...filters
  } = input.query;
  const organizations = new Map(scope.organizations.map((each) => [each.uuid, each]));
  const repositories = await repositoriesOf(call);
  const page = await walkLearnings(
    { table, clock },
    {
      owner: ownerOf(call),
      from: positionOf(paging.position),
      limit: paging.pageSize,
      wanted: learningFilter(filters, {
        organizations: new Set(organizations.keys()),
        ...(repositories !== "*" && { repositories }),
        nowMs: clock.nowMs(),
      }),
      isFiltered: repositories !== "*" || Object.values(filters).some((filter) => filter !== undefined),
      signal,
    },
  );
  const names = await readNames(table, page.learnings);
  const { place, settled } = page.position;
  return {
    records: page.learnings.map((learning) => {
      const organization = certain(organizations.get(learning.organization), "owner of a wanted Learning");
      return toLearningRecord(learning, organization, names);
    }),
    nextCursor: page.isLast ? null : paging.next([place, settled]),
    resumeCursor: page.isLast ? paging.resume([settled, settled]) : null,
  };
}

/** A single organization has a list of its own; several are read from their tenant's. */
function ownerOf({ principal, scope }: ExportCall): TenantKey {
  const [only, another] = scope.organizations;
  return only && !another ? organizationTenant(only.uuid) : principal.tenant;
}

/** Whose Learnings are wanted: all that the caller can read, or what was named of it. */
async function repositoriesOf({ table, scope, readable, input }: ExportCall): Promise<ReadableRepositories> {
  const { repository_name: name } = input.query;
  if (name === undefined) return readable;
  // Only keys of a member may name a repository, and those have one organization.
  const [organization] = scope.organizations;
  const { uuid } = certain(organization, "organization of the key");
  return await namedRepositories(table, readable, { organization: uuid, name });
}

function positionOf(position: unknown): Position {
  if (position === null) return beginning;
  const [place, settled] = twoPlaces.parse(position);
  return { place, settled };
}

const twoPlaces = z.tuple([z.string(), z.string()]);
