import { scopeLimits } from "../contract/limits.ts";
import type { RemovedOrganization } from "../contract/records.ts";
import { toTimestamp } from "../runtime/clock.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import type { OrganizationLeft, ScopeEpochs } from "../store/items/scope-epochs.ts";

/**
 * What a cursor over several organizations stores about its scope. The walk catches up a newly visible organization
 * before it shows it: everything that the organization wrote before the cursor's position comes first.
 */
export type ScopeMark<Place = unknown> = {
  /** Organizations that became visible up to this epoch are part of the walk. */
  readonly epoch: number;
  /** Set during the catch-up of organizations that became visible later, up to this epoch; `place` is its progress. */
  readonly catchUp?: { readonly epoch: number; readonly place: Place };
};

/** The range of epochs that a request covers. */
export type ScopeSpan = {
  /** The walk must catch up organizations that became visible after this epoch. */
  readonly from: number;
  /** Organizations that became visible after this epoch are not included yet: a later request includes them. */
  readonly to: number;
  /** No newer epoch is published. A walk may report its end only if this is true. */
  readonly isCurrent: boolean;
  /** The rows must be read again, because the rows read so far may be older than the epoch `to`. */
  readonly rereads: boolean;
};

/**
 * `known` was read in the same round as the rows, perhaps after them. A row that is older than its epoch would be
 * missed for good. The epoch of a cursor comes from an earlier request, so it is older than the rows. A first page has
 * no cursor: it trusts an epoch that is older than the longest request, and otherwise reads the rows again.
 */
export function spanOf(known: ScopeEpochs, mark: ScopeMark | undefined, nowMs: number): ScopeSpan {
  const { published } = known;
  if (!mark) {
    const isRecent = published > 0 && nowMs - known.changedAtMs < scopeLimits.settledAfterMs;
    return { from: published, to: published, isCurrent: true, rereads: isRecent };
  }
  if (mark.catchUp) {
    const { epoch: to } = mark.catchUp;
    return { from: mark.epoch, to, isCurrent: to === published, rereads: false };
  }
  return { from: mark.epoch, to: published, isCurrent: true, rereads: published !== mark.epoch };
}

/**
 * The same span up to the first organization whose audit log is still moving here: it becomes visible when the log is
 * complete, and the walk then catches it up. Organizations that became visible after it wait with it.
 */
export function untilLogsArrive(
  span: ScopeSpan,
  rows: ReadonlyArray<Pick<OrganizationItem, "visible_epoch" | "log_behind">>,
): ScopeSpan {
  const behind = rows.filter((row) => row.log_behind && epochOf(row) > 0).map((row) => epochOf(row) - 1);
  const to = Math.min(span.to, ...behind);
  return { ...span, from: Math.min(span.from, to), to };
}

/** The changes of the scope that a walk over several organizations has not handled yet. */
export type ScopeFollowUp<Row = OrganizationItem> = {
  /** The mark of the walk's next cursor after the newly visible organizations are caught up. */
  readonly mark: ScopeMark;
  /** Became visible since the cursor was made: their records up to the cursor's position come first. */
  readonly newlyVisible: readonly Row[];
  /** Left since the cursor was made, sorted by UUID. A reader that keeps a mirror removes them first. */
  readonly left: readonly OrganizationLeft[];
  /** Where the previous page stopped the catch-up of newly visible organizations; undefined if this page starts it. */
  readonly caughtUpTo: unknown;
  /** The mark during the catch-up, after it has reached this place. */
  markAt(place: string | number): ScopeMark;
  /** The walk may report its end: it knows every organization that became visible. */
  readonly isCurrent: boolean;
};

/** The organizations to show, to catch up first, and those that left. Calls `readLeft` only if some may have left. */
export async function followRows<Shown extends ScopeRow>(
  rows: readonly Shown[],
  span: ScopeSpan,
  mark: ScopeMark | undefined,
  readLeft: () => Promise<readonly OrganizationLeft[]>,
): Promise<{ readonly organizations: readonly Shown[]; readonly following: ScopeFollowUp<Shown> }> {
  const { from, to } = span;
  const place = mark?.catchUp?.place;
  return {
    organizations: withinSpan(rows, span),
    following: {
      mark: { epoch: to },
      newlyVisible: mark ? shownSince(rows, span) : [],
      left: mark && reportsLeft(span, mark) ? leftSince(await readLeft(), span, mark) : [],
      caughtUpTo: lastLeftIn(place) === undefined ? place : undefined,
      markAt: (reached) => ({ epoch: from, catchUp: { epoch: to, place: reached } }),
      isCurrent: span.isCurrent,
    },
  };
}

type ScopeRow = Pick<OrganizationItem, "visible_epoch">;

/** A row without an epoch is visible from the beginning. */
const epochOf = ({ visible_epoch: epoch = 0 }: ScopeRow): number => epoch;

const withinSpan = <Shown extends ScopeRow>(rows: readonly Shown[], { to }: ScopeSpan): Shown[] =>
  rows.filter((row) => epochOf(row) <= to);

const shownSince = <Shown extends ScopeRow>(rows: readonly Shown[], { from, to }: ScopeSpan): Shown[] =>
  rows.filter((row) => epochOf(row) > from && epochOf(row) <= to);

const toRemovedOrganization = ({
  provider,
  provider_organization_id,
  at_ms,
}: OrganizationLeft): RemovedOrganization => ({
  provider,
  organization_id: provider_organization_id,
  removed_at: toTimestamp(at_ms),
});

const leftPrefix = "!";

/** The last reported organization that left; undefined if the place belongs to the catch-up instead. */
const lastLeftIn = (place: unknown): string | undefined =>
  typeof place === "string" && place.startsWith(leftPrefix) ? place.slice(leftPrefix.length) : undefined;

/** Whether organizations that left must still be reported. They are reported before the catch-up. */
const reportsLeft = (span: ScopeSpan, mark: ScopeMark): boolean =>
  span.to !== span.from && (!mark.catchUp || lastLeftIn(mark.catchUp.place) !== undefined);

const leftSince = (
  left: readonly OrganizationLeft[],
  { from, to }: ScopeSpan,
  mark: ScopeMark,
): OrganizationLeft[] => {
  const reported = lastLeftIn(mark.catchUp?.place) ?? "";
  return left
    .filter(({ left_epoch: epoch, uuid }) => epoch > from && epoch <= to && uuid > reported)
    .toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1));
};

/**
 * As many organizations that left as fit on a page, and the mark for the next page. They get a page of their own, so
 * that a reader first removes an organization that left and came back, and then catches it up.
 */
export function pageOfLeftOrganizations<Place extends string | number>(
  following: {
    readonly left: readonly OrganizationLeft[];
    markAt(place: string | number): ScopeMark;
  },
  limit: number,
  beginning: Place,
): { readonly left: readonly OrganizationLeft[]; readonly mark: ScopeMark } {
  const left = following.left.slice(0, limit);
  const last = left.at(-1);
  const isAll = left.length === following.left.length || !last;
  return { left, mark: following.markAt(isAll ? beginning : `${leftPrefix}${last.uuid}`) };
}

/** That page as a walk answers it. */
export function answerOfLeft<Position>(
  paging: { readonly pageSize: number; next(position: Position, mark: ScopeMark): string },
  following: ScopeFollowUp,
  position: Position,
  beginning: string | number,
) {
  const { left, mark } = pageOfLeftOrganizations(following, paging.pageSize, beginning);
  return {
    removed: left.map(toRemovedOrganization),
    nextCursor: paging.next(position, mark),
    resumeCursor: null,
  };
}
