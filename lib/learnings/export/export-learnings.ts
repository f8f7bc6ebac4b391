import * as z from "zod";
import { answerOfLeft, type ScopeFollowUp } from "../../access/follow-scope.ts";
import type { OperationContext, WalkContext } from "../../access/operation-context.ts";
import { type ReadableRepositories, readableDigest } from "../../access/readable.ts";
import { ApiError } from "../../contract/api-error.ts";
import { learningLimits } from "../../contract/limits.ts";
import type { listLearnings } from "../../contract/operations/learnings.ts";
import type { RemovedOrganization } from "../../contract/records.ts";
import type { RemovedLearning } from "../../contract/records-learnings.ts";
import { startNewWalk } from "../../contract/sentences.ts";
import { organizationTenant, type TenantKey } from "../../contract/tenants.ts";
import { toTimestamp } from "../../runtime/clock.ts";
import { required } from "../../runtime/required.ts";
import type { LearningItem, LearningRemoval } from "../../store/items/learning.ts";
import type { OrganizationItem } from "../../store/items/organization.ts";
import { type LearningRecord, readNames, toLearningRecord } from "../present.ts";
import { learningFilter, removalFilter } from "./filter.ts";
import { readableRepositories } from "./named-repository.ts";
import {
  firstPosition,
  type LearningPosition,
  type WalkedPage,
  type WalkRequest,
  walkLearnings,
} from "./walk.ts";

export type ExportContext = WalkContext<z.output<(typeof listLearnings)["query"]>> &
  Pick<OperationContext, "readable" | "signal"> & { readonly paging: { readonly position: unknown } };

export type ExportedPage = {
  readonly records: readonly LearningRecord[];
  /** Only if the caller asked for removals. */
  readonly removed?: ReadonlyArray<RemovedLearning | RemovedOrganization>;
  readonly nextCursor: string | null;
  /** Only on the last page: the cursor to resume the walk with later. */
  readonly resumeCursor: string | null;
};

/** One page. Organizations that became visible since the cursor was made come first. */
export async function exportLearnings(call: ExportContext): Promise<ExportedPage> {
  const { paging, scope } = call;
  const { following } = scope;
  const position = positionOf(paging.position, call.clock.nowMs());
  if (following && following.left.length > 0)
    return { records: [], ...answerOfLeft(paging, following, cursorAt(call, position), firstPosition.place) };
  if (following && paging.position !== null && scope.organizations.length === 0)
    return pageOfNoOrganization(call, following, position);
  const { repository_name: name } = call.input.query;
  const repositories = await readableRepositories(call, name);
  const named = name === undefined ? undefined : readableDigest(repositories);
  if (paging.position !== null && position.named !== named) throw otherRepositories();
  const read = pageReader(call, repositories);
  if (following && following.newlyVisible.length > 0) return catchUp(call, read, following, position);
  const isFirst = paging.position === null;
  const { page, records } = await read({
    organizations: scope.organizations,
    from: position,
    // Before the first page the caller holds nothing that could be removed.
    ...(!isFirst && { removedSince: position.removedSince }),
  });
  const here = { ...page.position, removedSince: position.removedSince, named };
  const isLast = page.isLast && (following?.isCurrent ?? true);
  return {
    ...records,
    nextCursor: isLast ? null : paging.next(cursorAt(call, here), following?.mark),
    resumeCursor: isLast ? paging.resume(cursorAt(call, resumed(call, here)), following?.mark) : null,
  };
}

/** Where a walk is, since when it reports deletions, and the digest of the repositories that a name stood for. */
type ExportPosition = LearningPosition & {
  readonly removedSince: string;
  readonly named: string | undefined;
};

function cursorAt(
  { input }: ExportContext,
  { place, settled, removedSince, named }: ExportPosition,
): readonly string[] {
  const since = input.query.include_removed ? removedSince : "";
  if (named !== undefined) return [place, settled, since, named];
  return since === "" ? [place, settled] : [place, settled, since];
}

/** The walk would silently skip what the other repository wrote before the position. */
const otherRepositories = (): ApiError =>
  new ApiError(
    "INVALID_CURSOR",
    `cursor: was made when repository_name stood for another repository. ${startNewWalk}`,
  );

/** Sorts after every place of the instant at which a first walk began, and marks a first walk. */
const endOfMoment = "$";

/**
 * Where a finished walk resumes. A deletion just before a first walk began may have become visible only after its first
 * page: for a mirror the first resume goes back to before that moment, however long the walk took.
 */
function resumed({ input }: ExportContext, position: ExportPosition): ExportPosition {
  const { settled, removedSince } = position;
  if (!input.query.include_removed || !removedSince.endsWith(endOfMoment))
    return { ...position, place: settled };
  const beganMs = Date.parse(removedSince.slice(0, -endOfMoment.length));
  const since = toTimestamp(beganMs - learningLimits.settledAfterMs);
  const place = earlier(settled, since);
  return { ...position, place, settled: place, removedSince: since };
}

const earlier = (one: string, other: string): string => (other < one ? other : one);

/** All departures were reported: the position stays until an organization becomes visible. */
const pageOfNoOrganization = (
  call: ExportContext,
  following: ScopeFollowUp,
  position: ExportPosition,
): ExportedPage => ({
  records: [],
  ...(call.input.query.include_removed && { removed: [] }),
  nextCursor: following.isCurrent ? null : call.paging.next(cursorAt(call, position), following.mark),
  resumeCursor: following.isCurrent
    ? call.paging.resume(cursorAt(call, resumed(call, position)), following.mark)
    : null,
});

type ExportSegment = Pick<WalkRequest, "from" | "upTo"> & {
  readonly organizations: readonly OrganizationItem[];
  /** Undefined if nothing can have been removed. */
  readonly removedSince?: string;
};
type PageReader = (
  segment: ExportSegment,
) => Promise<{ readonly page: WalkedPage; readonly records: Pick<ExportedPage, "records" | "removed"> }>;

function pageReader(call: ExportContext, repositories: ReadableRepositories): PageReader {
  const { table, clock, paging, signal, input } = call;
  const {
    limit: _limit,
    cursor: _cursor,
    format: _format,
    org_id: _orgId,
    state: _state,
    include_removed: includesRemoved,
    ...filters
  } = input.query;
  return async ({ organizations: shown, removedSince: since, ...segment }) => {
    const organizations = new Map(shown.map((each) => [each.uuid, each]));
    const visible = {
      organizations: new Set(organizations.keys()),
      ...(repositories !== "*" && { repositories }),
      nowMs: clock.nowMs(),
    };
    const matches = learningFilter(filters, visible);
    const page = await walkLearnings(
      { table, clock },
      {
        owner: ownerOf(call, shown),
        limit: paging.pageSize,
        wanted: (learning) => isListedHere(call, learning) && matches(learning),
        ...(includesRemoved &&
          since !== undefined && {
            removals: { since, wanted: removalFilter(filters, visible) },
          }),
        isFiltered: repositories !== "*" || Object.values(filters).some((filter) => filter !== undefined),
        signal,
        ...segment,
      },
    );
    const names = await readNames(table, page.learnings);
    const ownerOfThis = ({ organization }: { readonly organization: string }) =>
      required(organizations.get(organization), "owner of a wanted Learning");
    return {
      page,
      records: {
        records: page.learnings.map((each) => toLearningRecord(each, ownerOfThis(each), names)),
        ...(includesRemoved && {
          removed: page.removed.map((each) => toRemovedLearning(each, ownerOfThis(each))),
        }),
      },
    };
  };
}

const toRemovedLearning = (
  { id, repository_id, removed_at }: LearningRemoval,
  { provider, provider_organization_id: organization_id }: OrganizationItem,
): RemovedLearning => ({ id, provider, organization_id, repository_id, removed_at });

/** The Learnings of newly visible organizations up to the walk's position, before the walk continues. */
async function catchUp(
  call: ExportContext,
  read: PageReader,
  following: ScopeFollowUp,
  position: ExportPosition,
): Promise<ExportedPage> {
  const { caughtUpTo, newlyVisible } = following;
  const place = typeof caughtUpTo === "string" ? caughtUpTo : firstPosition.place;
  const { page, records } = await read({
    organizations: newlyVisible,
    from: { place, settled: place },
    upTo: position.place,
  });
  const mark = page.isLast ? following.mark : following.markAt(page.position.place);
  return { ...records, nextCursor: call.paging.next(cursorAt(call, position), mark), resumeCursor: null };
}

/**
 * An organization that moves in becomes visible before its Learnings are moved, and its own list already holds them.
 * They come at their new place once they are moved: if one were sent now and deleted before the move, this reader would
 * never receive its removal.
 */
const isListedHere = (
  { scope, principal }: ExportContext,
  { listed }: Pick<LearningItem, "listed">,
): boolean => !scope.following || listed?.tenant === principal.tenant;

/** A single organization has its own list; several are read from their tenant's list. */
function ownerOf({ principal }: ExportContext, [only, another]: readonly OrganizationItem[]): TenantKey {
  return only && !another ? organizationTenant(only.uuid) : principal.tenant;
}

function positionOf(position: unknown, nowMs: number): ExportPosition {
  const now = `${toTimestamp(nowMs)}${endOfMoment}`;
  if (position === null) return { ...firstPosition, removedSince: now, named: undefined };
  const [place, settled, since = "", named] = places.parse(position);
  return { place, settled, removedSince: since || now, named };
}

const places = z.tuple([z.string(), z.string(), z.string().optional(), z.string().optional()]);
