import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import { type MemberItem, type PeopleItem, parseMember, parsePeople } from "../store/items/people.ts";
import { unchanged } from "../store/items/unchanged.ts";
import { occurredAtOf, standing } from "../store/items/version.ts";
import { memberKey, organizationKey, type PoolKey, peopleKey, poolOf, taggedKey } from "../store/layout.ts";
import { retryOnConflict, type Store } from "../store/retry-on-conflict.ts";
import { ConditionFailed, type Item, type Put } from "../store/table.ts";
import { automaticRoleEntry, automaticSeatsEntry, memberRemovedEntry } from "./automatic-entry.ts";
import { PeopleDraft } from "./draft.ts";
import { type MemberStep, placeBefore, placeMember, placementsOf, seatStepOf } from "./placement.ts";
import { type Readable, type ReadableParts, readableParts, readsWrites } from "./reads.ts";
import { resolveRole } from "./roles.ts";
import { fillSeats } from "./seats.ts";

/** The full state of one member, as the platform tells it. */
export type MemberSaved = {
  readonly user_id: string;
  readonly username: string | null;
  readonly email: string | null;
  /** This and the next are first values: the earliest event's, until the API or the operator decides. */
  readonly role: string | null;
  readonly seat_assigned: boolean;
  readonly readable_repository_ids: Readable;
  readonly active: boolean;
};

/**
 * Applies one state of a member. The item, its count in the guard, its place with a person, the person's seat
 * and the repository list change together or not at all. An inactive member keeps its item and its role, but
 * counts in no guard and holds no seat; the role, and what was decided about the seat, wait for its return.
 */
export async function saveMember(
  store: Store,
  organization: string,
  saved: MemberSaved,
  version: string,
): Promise<void> {
  const readable = readableParts(saved.readable_repository_ids);
  const { pool, mayHaveRoom } = await retryOnConflict(store, async () => {
    const current = await readMember(store, organization, saved.user_id);
    return applyMember(store, current, { saved, readable, version });
  });
  if (mayHaveRoom) await fillSeats(store, pool);
}

/** Whatever a decision about a member rests on, whoever else may change it. */
export const memberAttributes = [
  "version",
  "first_version",
  "active",
  "email",
  "pool",
  "role",
  "role_decided",
  "seat_wanted",
  "seat_earned",
  "seat_decided",
  "stands_alone",
] as const;

type Current = {
  readonly organization: OrganizationItem;
  readonly guard: PeopleItem;
  readonly stored: Item | undefined;
  /** A pull request of theirs was reviewed while seats were given automatically. */
  readonly isMarked: boolean;
};

type News = { readonly saved: MemberSaved; readonly readable: ReadableParts; readonly version: string };

async function readMember({ table }: Store, uuid: string, userId: string): Promise<Current> {
  const keys = [organizationKey(uuid), peopleKey(uuid), memberKey(uuid, userId), taggedKey(uuid, userId)];
  const [organizationItem, guardItem, stored, mark] = await table.getMany(keys);
  // They are written together, and show one by one: the other comes.
  if (!organizationItem || !guardItem) throw new ConditionFailed(undefined);
  const organization = parseOrganization(organizationItem);
  return { organization, guard: parsePeople(guardItem), stored, isMarked: mark !== undefined };
}

async function applyMember(
  store: Store,
  { organization, guard, stored, isMarked }: Current,
  news: News,
): Promise<{ readonly pool: PoolKey; readonly mayHaveRoom: boolean }> {
  const { table, clock } = store;
  const { uuid, tenant, seat_assignment_mode: mode } = organization;
  const pool = poolOf(organization);
  const before = stored && standing(parseMember(stored), clock.nowMs());
  // Seen before: it may have made room, and been cut off before anybody sat down.
  if (before && before.first_version <= news.version && news.version <= before.version) {
    return { pool, mayHaveRoom: true };
  }
  const merged = mergeMember(before, uuid, guard, news);
  // The mark counts only while seats are given automatically; it stays when the mode changes.
  const earnsSeat = isMarked && mode === "automatic";
  const step = {
    organization: uuid,
    pool,
    before,
    next: { ...merged, ...(earnsSeat && { seat_earned: true }) },
  };
  const draft = await PeopleDraft.load(table, placementsOf(step));
  const after = placeMember(draft, step);
  if (before?.active) draft.countRole(uuid, before.role, -1);
  if (after.active) draft.countRole(uuid, after.role, 1);
  const { writes, madeRoom } = draft.finish();
  const isNewest = after.version === news.version;
  // Only a mark makes the mode matter.
  const sameMode = isMarked ? [{ equals: ["seat_assignment_mode", mode] as const }] : [];
  await table.transact([
    { check: organizationKey(uuid), when: { all: [{ equals: ["tenant", tenant] }, ...sameMode] } },
    { put: after, when: unchanged(stored, memberAttributes) },
    // A mark that is written meanwhile may have found no member to seat: then this decision is made anew.
    ...(isMarked ? [] : [{ check: taggedKey(uuid, after.user_id), when: { absent: "pk" } as const }]),
    ...(isNewest ? readsWrites(uuid, after.user_id, before?.reads ?? null, news.readable) : []),
    ...writes,
    ...entriesOf(store, organization, { draft, step, after, version: news.version }),
  ]);
  return { pool, mayHaveRoom: madeRoom };
}

type Applied = {
  readonly draft: PeopleDraft;
  readonly step: MemberStep;
  readonly after: MemberItem;
  readonly version: string;
};

/** What the audit log tells of it: a member who left, or a role that changed, a seat that came or went by itself. */
function entriesOf(
  store: Store,
  organization: OrganizationItem,
  { draft, step, after, version }: Applied,
): Put[] {
  const { before } = step;
  const from = placeBefore(step);
  if (from && before?.active && !after.active)
    return memberRemovedEntry(store, organization, before, draft.seatOf(from));
  const occurred_at = occurredAtOf(version);
  const roles =
    before && after.active && before.role !== after.role
      ? automaticRoleEntry(
          store,
          organization,
          { user_id: after.user_id, before: before.role, after: after.role },
          occurred_at,
        )
      : [];
  const seat = seatStepOf(draft, step, after);
  const isEarned = after.seat_earned === true && before?.seat_earned !== true;
  const cause = isEarned
    ? ({ reason: "reviewer tagged" } as const)
    : ({ reason: "member saved", occurred_at } as const);
  const seats = seat
    ? automaticSeatsEntry(store, organization, { step: seat, userIds: [after.user_id], cause })
    : [];
  return [...roles, ...seats];
}

/** The newest event's values, but of some the earliest's, or what the API or the operator has decided. */
function mergeMember(
  before: MemberItem | undefined,
  organization: string,
  guard: PeopleItem,
  { saved, readable, version }: News,
): MemberItem {
  const { user_id, username, email, active } = saved;
  const reads = { digest: readable.digest, parts: readable.parts.length };
  const newest = { username, email, active, reads, version };
  const first = {
    role: resolveRole(guard, saved.role),
    seat_wanted: saved.seat_assigned,
    first_version: version,
  };
  if (!before) return { ...memberKey(organization, user_id), user_id, ...newest, ...first, pool: null };
  const merged = {
    ...before,
    ...(version > before.version && newest),
    ...(version < before.first_version && first),
  };
  // A custom role may have been deleted while the member was away.
  return { ...merged, role: resolveRole(guard, before.role_decided ? before.role : merged.role) };
}
