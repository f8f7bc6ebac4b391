/**
 * A walk reads a dataset page by page, in the order of the stream's numbers. Its cursor holds a position, a number up to
 * which it has read, and, over several organizations, a mark: the changes of the scope that it knows (`following`).
 *
 *   numbers                      1            caughtUpTo        position     published
 *   known organizations          │▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓│ 3 ░░░░░░░░░│
 *   newly visible organizations  │▓▓▓▓▓▓▓▓▓▓▓▓▓▓│ 2 ░░░░░░░░░░░░░│ 3 ░░░░░░░░░│
 *   organizations that left      1: named in `removed`
 *
 * ▓ was read by the pages before. A page does the first of these that is left: 1, 2 (`catchUp`, the mark says how far),
 * 3 (`readEntries` from the position). So no newer record of a pull request comes before an older one.
 */
import { answerOfLeft, type ScopeFollowUp } from "../access/follow-scope.ts";
import type { OperationContext, WalkContext } from "../access/operation-context.ts";
import { metricsPreparing } from "../access/policy.ts";
import { ApiError } from "../contract/api-error.ts";
import { msPerDay } from "../contract/days.ts";
import * as kinds from "../contract/items.ts";
import { metricsLimits, requestLimits, scopeLimits } from "../contract/limits.ts";
import type { RemovedOrganization } from "../contract/records.ts";
import type { RemovedPullRequest } from "../contract/records-metrics.ts";
import type { TenantKey } from "../contract/tenants.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { required } from "../runtime/required.ts";
import { isMoving, type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import type { Key, Table } from "../store/table.ts";
import { parseHead } from "../stream/head.ts";
import { readPage, type StreamPageRequest, type TooLargeResult } from "../stream/read-page.ts";
import type { Removal } from "../stream/removal.ts";
import type { Dataset, StreamEntry } from "../stream/stream.ts";
import { pageTooLarge, type TooLargePage } from "./too-large.ts";

type MetricsQuery = {
  readonly start_date: string;
  readonly end_date: string;
  readonly repository_ids?: readonly string[] | undefined;
  readonly user_ids?: readonly string[] | undefined;
  readonly include_removed?: true | undefined;
};

/** `prefetched` holds the stream's head, as requested by `headPrefetch`. */
export type MetricsContext = WalkContext<MetricsQuery> &
  Pick<OperationContext, "prefetched" | "signal"> & { readonly paging: { readonly position: unknown } };

export type MetricsWalkOptions = {
  readonly dataset: Dataset;
  /** A filter that only this dataset has; applied last. */
  readonly wanted?: (entry: StreamEntry) => boolean;
  /** The same filter on the former status of a removed pull request. */
  readonly wantedStatus?: (status: string | undefined) => boolean;
  /** Maximum size of all records of the page, each with its comma. */
  readonly recordBytesMax: number;
  /** Reads the pull request's URL from an entry whose payload is loaded. */
  readonly prUrlOf: (entry: StreamEntry) => string;
};

export type PlacedEntry = { readonly entry: StreamEntry; readonly organization: OrganizationItem };

export type MetricsWalkPage = {
  readonly entries: readonly PlacedEntry[];
  /** Present only if it was requested. */
  readonly removed?: ReadonlyArray<RemovedPullRequest | RemovedOrganization>;
  /** Null when no eligible pull request remains. */
  readonly nextCursor: string | null;
  /** Present only then: where the walk can resume later. */
  readonly resumeCursor: string | null;
};

/** The head is read together with authentication. */
export const headPrefetch = (tenant: TenantKey): readonly Key[] => [kinds.streamHead.key({ tenant })];

/** What remains for the records of a JSON page that is the last one; with a cursor it is less. */
export const jsonRecordBytesMax =
  requestLimits.responseBytesMax - '{"data":[],"next_cursor":null}'.length + 1;
const emptyRemovedBytes = ',"removed":[]'.length;

/** One page of a dataset, in write order. It starts with what became visible since the cursor was made. */
export async function walkMetrics(
  call: MetricsContext,
  options: MetricsWalkOptions,
): Promise<MetricsWalkPage> {
  const { scope, paging } = call;
  const { following } = scope;
  const position = positionOf(paging.position);
  if (following && following.left.length > 0)
    return { entries: [], ...answerOfLeft(paging, following, cursorAt(position), 0) };
  if (following && following.newlyVisible.length > 0) return catchUp(call, options, following, position);
  if (following && paging.position !== null && scope.organizations.length === 0)
    return pageOfNoOrganization(call, following, position);
  const [only, another] = scope.organizations;
  const page = await readEntries(call, options, {
    // Both copies have the same numbers, so a cursor fits both.
    organization: another ? undefined : only?.uuid,
    after: position.number,
    removalsSince: position.removalsSince,
    organizations: scope.organizations,
    ...(only && !another && { isStillHere: () => isStillHere(call.table, only) }),
  });
  const isLast = page.nextAfter === null && (following?.isCurrent ?? true);
  const next = { number: page.nextAfter ?? page.readUpTo, removalsSince: page.removalsSince };
  return {
    ...page.shown,
    nextCursor: isLast ? null : paging.next(cursorAt(next), following?.mark),
    resumeCursor: isLast ? paging.resume(page.readUpTo, following?.mark) : null,
  };
}

/** Before the walk continues: otherwise an old entry that is not retired yet would come after its successor. */
async function catchUp(
  call: MetricsContext,
  options: MetricsWalkOptions,
  following: ScopeFollowUp,
  position: StreamPosition,
): Promise<MetricsWalkPage> {
  const { paging } = call;
  const { newlyVisible, caughtUpTo } = following;
  const page = await readEntries(call, options, {
    organization: undefined,
    after: typeof caughtUpTo === "number" ? caughtUpTo : 0,
    catchesUpTo: position,
    removalsSince: undefined,
    ...(newlyVisible.length <= scopeLimits.ownCopiesMax && {
      copiesOf: newlyVisible.map(({ uuid }) => uuid),
    }),
    organizations: newlyVisible,
  });
  const mark = page.nextAfter === null ? following.mark : following.markAt(page.nextAfter);
  return { ...page.shown, nextCursor: paging.next(cursorAt(position), mark), resumeCursor: null };
}

/** All organizations that left are reported: the walk stays at its position until an organization becomes visible. */
const pageOfNoOrganization = (
  { paging, input }: MetricsContext,
  following: ScopeFollowUp,
  position: StreamPosition,
): MetricsWalkPage => ({
  entries: [],
  ...(input.query.include_removed && { removed: [] }),
  nextCursor: following.isCurrent ? null : paging.next(cursorAt(position), following.mark),
  resumeCursor: following.isCurrent ? paging.resume(position.number, following.mark) : null,
});

/** The position of a walk. With removals, and until it ends, also the last published number when it began. */
type StreamPosition = { readonly number: number; readonly removalsSince: number | undefined };

function positionOf(position: unknown): StreamPosition {
  if (!Array.isArray(position)) {
    // A walk that resumes has processed all that was published when it began.
    const number = typeof position === "number" ? position : 0;
    return { number, removalsSince: typeof position === "number" ? number : undefined };
  }
  const [number, removalsSince] = position.map(Number);
  return { number: required(number, "number of a position"), removalsSince };
}

const cursorAt = ({ number, removalsSince = 0 }: StreamPosition): number | readonly number[] =>
  removalsSince > number ? [number, removalsSince] : number;

type WalkSegment = Pick<StreamPageRequest, "organization" | "after" | "copiesOf" | "isStillHere"> & {
  readonly organizations: readonly OrganizationItem[];
  readonly removalsSince: number | undefined;
  /** The walk's position, up to which these organizations are caught up; the walk continues there. */
  readonly catchesUpTo?: StreamPosition;
};

type SegmentPage = {
  readonly shown: Pick<MetricsWalkPage, "entries" | "removed">;
  readonly nextAfter: number | null;
  readonly readUpTo: number;
  /** Undefined if removals were not requested. */
  readonly removalsSince: number | undefined;
};

async function readEntries(
  call: MetricsContext,
  { dataset, wanted, wantedStatus, recordBytesMax, prUrlOf }: MetricsWalkOptions,
  { organizations: shown, removalsSince, catchesUpTo, ...segment }: WalkSegment,
): Promise<SegmentPage> {
  const { principal, input, paging, table } = call;
  const { include_removed: includesRemoved } = input.query;
  const organizations = new Map(shown.map((organization) => [organization.uuid, organization]));
  const isAsked = filterOf(input.query, organizations);
  const ownerOf = ({ organization }: { readonly organization: string }) =>
    required(organizations.get(organization), "owner of an entry let through");
  const time = timeBudget(call);
  try {
    const result = await readPage(table, {
      tenant: principal.tenant,
      dataset,
      window: windowOf(input.query),
      limit: paging.pageSize,
      eligible: (entry) => isAsked(entry) && wanted?.(entry) !== false,
      ...(includesRemoved && {
        removals: {
          since: removalsSince,
          eligible: ({ organization, facets }) =>
            isAsked({ organization, ...facets }) &&
            (facets.status === undefined || wantedStatus?.(facets.status) !== false),
        },
      }),
      responseBytesMax: recordBytesMax - (includesRemoved ? emptyRemovedBytes : 0),
      head: parseHead(call.prefetched.get(kinds.streamHead.key({ tenant: principal.tenant }))),
      timeUp: time.up,
      ...(catchesUpTo && { upTo: catchesUpTo.number }),
      ...segment,
    });
    if (result.outcome === "too-large")
      throw pageTooLarge({
        answerBytes: result.renderedBytes,
        largest: largestOf(result, prUrlOf, ownerOf(result.largest)),
        pageSize: paging.pageSize,
        behind: cursorBehind(call, result, catchesUpTo),
      });
    if (result.outcome === "no-progress") throw outOfTime();
    if (result.outcome === "moved")
      throw metricsPreparing(required(shown[0], "organization that moved").provider_organization_id);
    return {
      shown: {
        entries: result.entries.map((entry) => ({ entry, organization: ownerOf(entry) })),
        ...(includesRemoved && {
          removed: result.removals.map((removal) => toRemovedPullRequest(removal, ownerOf(removal))),
        }),
      },
      nextAfter: result.nextAfter,
      readUpTo: result.readUpTo,
      removalsSince: includesRemoved && result.removalsSince,
    };
  } finally {
    time.dispose();
  }
}

const toRemovedPullRequest = (
  { pullRequest, facets, removedAtMs }: Removal,
  { provider, provider_organization_id }: OrganizationItem,
): RemovedPullRequest => ({
  pr_url: pullRequest,
  provider,
  organization_id: provider_organization_id,
  repository_id: facets.repositoryId,
  removed_at: toTimestamp(removedAtMs),
});

/** A move removes entries from the old stream without a trace there: only the organization's item shows it. */
async function isStillHere(table: Table, { uuid, tenant }: OrganizationItem): Promise<boolean> {
  const item = await table.get(kinds.organization.key({ organization: uuid }));
  const now = item && parseOrganization(item);
  return now !== undefined && now.tenant === tenant && !isMoving(now);
}

/** Whole UTC days, both inclusive. */
const windowOf = ({ start_date, end_date }: MetricsQuery) => ({
  startMs: Date.parse(`${start_date}T00:00:00.000Z`),
  endMs: Date.parse(`${end_date}T00:00:00.000Z`) + msPerDay,
});

function filterOf(
  { repository_ids, user_ids }: MetricsQuery,
  organizations: ReadonlyMap<string, OrganizationItem>,
): (entry: Pick<StreamEntry, "organization" | "repositoryId" | "authorId">) => boolean {
  const repositories = repository_ids && new Set(repository_ids);
  const authors = user_ids && new Set(user_ids);
  return ({ organization, repositoryId, authorId }) =>
    organizations.has(organization) &&
    (!repositories || repositories.has(repositoryId)) &&
    (!authors || (authorId !== null && authors.has(authorId)));
}

/** An explicit reason: without one every abort would create an error with its stack. */
const disposed = "disposed";

/** `up` aborts when the call was stopped or has read long enough; what was read by then is the page. */
function timeBudget({ clock, signal }: MetricsContext): { readonly up: AbortSignal; dispose(): void } {
  const over = new AbortController();
  const done = new AbortController();
  clock.sleep(metricsLimits.readMsMax, done.signal).then(
    () => over.abort(),
    () => {},
  );
  return { up: AbortSignal.any([signal, over.signal]), dispose: () => done.abort(disposed) };
}

const outOfTime = (): ApiError =>
  new ApiError(
    "SERVICE_UNAVAILABLE",
    "The service cannot respond in time right now. Retry the same request.",
    {
      retryAfterSeconds: 1,
    },
  );

const largestOf = (
  { largest }: TooLargeResult,
  prUrlOf: MetricsWalkOptions["prUrlOf"],
  organization: OrganizationItem,
): TooLargePage["largest"] => ({
  prUrl: largest.payload === undefined ? undefined : prUrlOf(largest),
  organization,
  repositoryId: largest.repositoryId,
  bytes: largest.renderedBytes,
});

/** The cursor of the position after a page that is too large. */
function cursorBehind(
  { paging, scope: { following }, input }: MetricsContext,
  { nextAfter, removalsSince }: TooLargeResult,
  catchesUpTo: StreamPosition | undefined,
): string {
  if (catchesUpTo) return paging.next(cursorAt(catchesUpTo), following?.markAt(nextAfter));
  const since = input.query.include_removed && removalsSince;
  return paging.next(cursorAt({ number: nextAfter, removalsSince: since }), following?.mark);
}
