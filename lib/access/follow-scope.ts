import { scopeLimits } from "../contract/limits.ts";
import type { RemovedOrganization } from "../contract/records.ts";
import { toTimestamp } from "../runtime/clock.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import type { OrganizationLeft, ScopeEpochs } from "../store/items/scope-epochs.ts";

/**
 * What a cursor over several organizations remembers of its scope. The walk shows an organization only once it was caught
 * up: everything it wrote before the cursor's position comes first, then the walk goes on.
 */
export type ScopeMark<Place = unknown> = {
  /** Organizations that became visible up to this epoch are part of the walk. */
  readonly epoch: number;
  /** Those that became visible up to a later epoch are being caught up, and this place was reached. */
  readonly catchUp?: { readonly epoch: number; readonly place: Place };
};

/** Which epochs a request is about. */
export type ScopeSpan = {
  /** Organizations that became visible after this epoch are to be caught up. */
  readonly from: number;
  /** Organizations that became visible after this one are not here yet: a later request comes to them. */
  readonly to: number;
  /** Nothing newer is published: only then may a walk say that it has ended. */
  readonly isCurrent: boolean;
  /** The rows must be read again: those at hand may be older than the epoch `to`. */
  readonly rereads: boolean;
};

/**
 * `known` was read in the same round as the rows, so perhaps after them, and a row that is older than its epoch would be
 * missed for good. The epoch of a cursor is from an earlier request, hence older than the rows. A first page has none: it
 * trusts an epoch that is older than any request lives, and else reads the rows again.
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

/** Of a walk over several organizations: those that it has not come to yet. */
export type Following<Row = OrganizationItem> = {
  /** What the walk's next cursor stands at once the newly visible ones are caught up. */
  readonly mark: ScopeMark;
  /** Became visible since the cursor was made: what they hold up to its position comes first. */
  readonly newlyVisible: readonly Row[];
  /** Left since the cursor was made, in the order of their UUIDs: a reader that keeps a mirror drops them first. */
  readonly left: readonly OrganizationLeft[];
  /** Where the page before has left off with the newly visible ones; undefined when this one begins. */
  readonly caughtUpTo: unknown;
  /** The mark while they are being caught up, and this place is reached. */
  markAt(place: string | number): ScopeMark;
  /** A walk may say that it has ended: nothing became visible that it does not know. */
  readonly isCurrent: boolean;
};

/** Whom a request shows, whom it has to catch up first, and who left. `readLeft` is asked only where somebody may have. */
export async function followRows<Shown extends Row>(
  rows: readonly Shown[],
  span: ScopeSpan,
  mark: ScopeMark | undefined,
  readLeft: () => Promise<readonly OrganizationLeft[]>,
): Promise<{ readonly organizations: readonly Shown[]; readonly following: Following<Shown> }> {
  const { from, to } = span;
  const place = mark?.catchUp?.place;
  return {
    organizations: withinSpan(rows, span),
    following: {
      mark: { epoch: to },
      newlyVisible: mark ? shownSince(rows, span) : [],
      left: mark && tellsLeft(span, mark) ? leftSince(await readLeft(), span, mark) : [],
      caughtUpTo: lastLeftIn(place) === undefined ? place : undefined,
      markAt: (reached) => ({ epoch: from, catchUp: { epoch: to, place: reached } }),
      isCurrent: span.isCurrent,
    },
  };
}

type Row = Pick<OrganizationItem, "visible_epoch">;

/** Rows of release 1 have no epoch: they were visible from the beginning. */
const epochOf = ({ visible_epoch: epoch = 0 }: Row): number => epoch;

const withinSpan = <Shown extends Row>(rows: readonly Shown[], { to }: ScopeSpan): Shown[] =>
  rows.filter((row) => epochOf(row) <= to);

const shownSince = <Shown extends Row>(rows: readonly Shown[], { from, to }: ScopeSpan): Shown[] =>
  rows.filter((row) => epochOf(row) > from && epochOf(row) <= to);

export const toRemovedOrganization = ({
  provider,
  provider_organization_id,
  at_ms,
}: OrganizationLeft): RemovedOrganization => ({
  provider,
  organization_id: provider_organization_id,
  removed_at: toTimestamp(at_ms),
});

const leftPrefix = "!";

/** The organization that left and was told last, where a place tells of one and not of what is caught up. */
const lastLeftIn = (place: unknown): string | undefined =>
  typeof place === "string" && place.startsWith(leftPrefix) ? place.slice(leftPrefix.length) : undefined;

/** Whether organizations that left are still to be told: they come before what is caught up. */
const tellsLeft = (span: ScopeSpan, mark: ScopeMark): boolean =>
  span.to !== span.from && (!mark.catchUp || lastLeftIn(mark.catchUp.place) !== undefined);

const leftSince = (
  left: readonly OrganizationLeft[],
  { from, to }: ScopeSpan,
  mark: ScopeMark,
): OrganizationLeft[] => {
  const told = lastLeftIn(mark.catchUp?.place) ?? "";
  return left
    .filter(({ left_epoch: epoch, uuid }) => epoch > from && epoch <= to && uuid > told)
    .toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1));
};

/**
 * As many as a page has room for, and the mark of the next one. They have a page of their own: one that came back
 * meanwhile is dropped first, then caught up.
 */
export function pageOfLeft<Place extends string | number>(
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
