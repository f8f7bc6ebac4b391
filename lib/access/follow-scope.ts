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

type Row = Pick<OrganizationItem, "visible_epoch">;

/** Rows of release 1 have no epoch: they were visible from the beginning. */
const epochOf = ({ visible_epoch: epoch = 0 }: Row): number => epoch;

export const withinSpan = <Shown extends Row>(rows: readonly Shown[], { to }: ScopeSpan): Shown[] =>
  rows.filter((row) => epochOf(row) <= to);

export const shownSince = <Shown extends Row>(rows: readonly Shown[], { from, to }: ScopeSpan): Shown[] =>
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
export const lastLeftIn = (place: unknown): string | undefined =>
  typeof place === "string" && place.startsWith(leftPrefix) ? place.slice(leftPrefix.length) : undefined;

/** Whether organizations that left are still to be told: they come before what is caught up. */
export const tellsLeft = (span: ScopeSpan, mark: ScopeMark): boolean =>
  span.to !== span.from && (!mark.catchUp || lastLeftIn(mark.catchUp.place) !== undefined);

export const leftSince = (
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
