import * as z from "zod";
import type { ScopeMark } from "../access/follow-scope.ts";
import type { ReadableRepositories } from "../access/readable.ts";
import type { Following, Scope } from "../access/scope.ts";
import type { listLearnings } from "../contract/operations/learnings.ts";
import { certain } from "../runtime/certain.ts";
import type { Clock } from "../runtime/clock.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { organizationTenant, type TenantKey } from "../store/layout.ts";
import type { Table } from "../store/table.ts";
import { learningFilter } from "./export/filter.ts";
import { namedRepositories } from "./export/named-repository.ts";
import { beginning, type Position, type WalkedPage, type WalkRequest, walkLearnings } from "./export/walk.ts";
import { type LearningRecord, readNames, toLearningRecord } from "./present.ts";

/** What the export needs of a call. Access has decided whose Learnings they are. */
export type ExportCall = {
  readonly principal: { readonly tenant: TenantKey };
  readonly scope: Pick<Scope, "organizations" | "following">;
  readonly readable: ReadableRepositories;
  readonly input: { readonly query: z.output<(typeof listLearnings)["query"]> };
  readonly paging: {
    readonly position: unknown;
    readonly pageSize: number;
    next(position: readonly string[], mark?: ScopeMark): string;
    resume(position: readonly string[], mark?: ScopeMark): string;
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

/** One page; first of what became visible since the cursor was made. */
export async function exportLearnings(call: ExportCall): Promise<ExportedPage> {
  const { paging, scope } = call;
  const { following } = scope;
  const position = positionOf(paging.position);
  const read = await pageReader(call);
  if (following && following.newlyVisible.length > 0) return catchUp(call, read, following, position);
  const { page, records } = await read({ organizations: scope.organizations, from: position });
  const { place, settled } = page.position;
  const isLast = page.isLast && (following?.isCurrent ?? true);
  return {
    records,
    nextCursor: isLast ? null : paging.next([place, settled], following?.mark),
    resumeCursor: isLast ? paging.resume([settled, settled], following?.mark) : null,
  };
}

type Stretch = Pick<WalkRequest, "from" | "upTo"> & { readonly organizations: readonly OrganizationItem[] };
type PageReader = (
  stretch: Stretch,
) => Promise<{ readonly page: WalkedPage; readonly records: readonly LearningRecord[] }>;

async function pageReader(call: ExportCall): Promise<PageReader> {
  const { table, clock, paging, signal, input } = call;
  const {
    limit: _limit,
    cursor: _cursor,
    format: _format,
    org_id: _orgId,
    state: _state,
    ...filters
  } = input.query;
  const repositories = await repositoriesOf(call);
  return async ({ organizations: shown, ...stretch }) => {
    const organizations = new Map(shown.map((each) => [each.uuid, each]));
    const visible = {
      organizations: new Set(organizations.keys()),
      ...(repositories !== "*" && { repositories }),
      nowMs: clock.nowMs(),
    };
    const page = await walkLearnings(
      { table, clock },
      {
        owner: ownerOf(call, shown),
        limit: paging.pageSize,
        wanted: learningFilter(filters, visible),
        isFiltered: repositories !== "*" || Object.values(filters).some((filter) => filter !== undefined),
        signal,
        ...stretch,
      },
    );
    const names = await readNames(table, page.learnings);
    const records = page.learnings.map((learning) => {
      const organization = certain(organizations.get(learning.organization), "owner of a wanted Learning");
      return toLearningRecord(learning, organization, names);
    });
    return { page, records };
  };
}

/** What newly visible organizations hold up to the walk's position, before the walk goes on. */
async function catchUp(
  { paging }: ExportCall,
  read: PageReader,
  following: Following,
  position: Position,
): Promise<ExportedPage> {
  const { caughtUpTo, newlyVisible } = following;
  const place = typeof caughtUpTo === "string" ? caughtUpTo : beginning.place;
  const { page, records } = await read({
    organizations: newlyVisible,
    from: { place, settled: place },
    upTo: position.place,
  });
  const mark = page.isLast ? following.mark : following.markAt(page.position.place);
  return { records, nextCursor: paging.next([position.place, position.settled], mark), resumeCursor: null };
}

/** A single organization has a list of its own; several are read from their tenant's. */
function ownerOf({ principal }: ExportCall, [only, another]: readonly OrganizationItem[]): TenantKey {
  return only && !another ? organizationTenant(only.uuid) : principal.tenant;
}

/** Whose Learnings are wanted: all that the caller can read, or what was named of it. */
export async function repositoriesOf({
  table,
  scope,
  readable,
  input,
}: ExportCall): Promise<ReadableRepositories> {
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
