import * as kinds from "../contract/items.ts";
import { type PoolKey, poolOf } from "../contract/tenants.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import { type MemberItem, type PeopleGuard, parseMember, parsePeopleGuard } from "../store/items/people.ts";
import { unchanged } from "../store/items/unchanged.ts";
import { occurredAtOf } from "../store/items/version.ts";
import { retryOnConflict, type Store } from "../store/retry-on-conflict.ts";
import { ConditionFailed, type Item, type Put } from "../store/table.ts";
import { automaticRoleEntry, automaticSeatsEntry, memberRemovedEntry } from "./automatic-entry.ts";
import { PeopleDraft } from "./draft.ts";
import { type MemberStep, placeMember, placementsOf, previousPlacement, seatStepOf } from "./placement.ts";
import { type Readable, type ReadableParts, readableParts, readableWrites } from "./reads.ts";
import { resolveRole } from "./roles.ts";
import { fillSeats } from "./seats.ts";

/** The full state of one member, as the platform reports it. */
export type MemberSaved = {
  readonly user_id: string;
  readonly username: string | null;
  readonly email: string | null;
  /**
   * This field and the next are initial values: the earliest event's values apply until the API or the operator
   * decides.
   */
  readonly role: string | null;
  readonly seat_assigned: boolean;
  readonly readable_repository_ids: Readable;
  readonly active: boolean;
};

/**
 * Applies one state of a member. The item, its count in the guard, its membership of a person, the person's seat and
 * the repository list change together or not at all. An inactive member keeps its item and its role, but counts in no
 * guard and holds no seat; the role and the decision about the seat apply again when the member returns.
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

/** Every attribute that a decision about a member depends on and that another writer may change. */
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
  readonly guard: PeopleGuard;
  readonly stored: Item | undefined;
  /** A pull request of the member was reviewed while seats were assigned automatically. */
  readonly isMarked: boolean;
};

type MemberUpdate = {
  readonly saved: MemberSaved;
  readonly readable: ReadableParts;
  readonly version: string;
};

async function readMember({ table }: Store, uuid: string, userId: string): Promise<Current> {
  const keys = [
    kinds.organization.key({ organization: uuid }),
    kinds.people.key({ organization: uuid }),
    kinds.member.key({ organization: uuid, userId }),
    kinds.tagged.key({ organization: uuid, userId }),
  ];
  const [organizationItem, guardItem, stored, mark] = await table.getMany(keys);
  // They are written together but become visible one by one: retry until both are.
  if (!organizationItem || !guardItem) throw new ConditionFailed(undefined);
  const organization = parseOrganization(organizationItem);
  return { organization, guard: parsePeopleGuard(guardItem), stored, isMarked: mark !== undefined };
}

async function applyMember(
  store: Store,
  { organization, guard, stored, isMarked }: Current,
  update: MemberUpdate,
): Promise<{ readonly pool: PoolKey; readonly mayHaveRoom: boolean }> {
  const { table } = store;
  const { uuid, tenant, seat_assignment_mode: mode } = organization;
  const pool = poolOf(organization);
  const before = stored && parseMember(stored);
  // This event was applied before: it may have freed a seat and been interrupted before somebody got it.
  if (before && before.first_version <= update.version && update.version <= before.version) {
    return { pool, mayHaveRoom: true };
  }
  const merged = mergeMember(before, uuid, guard, update);
  // The mark counts only while seats are assigned automatically; it is kept when the mode changes.
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
  const isNewest = after.version === update.version;
  // The mode matters only if there is a mark.
  const sameMode = isMarked ? [{ equals: ["seat_assignment_mode", mode] as const }] : [];
  await table.transact([
    {
      check: kinds.organization.key({ organization: uuid }),
      when: { all: [{ equals: ["tenant", tenant] }, ...sameMode] },
    },
    { put: after, when: unchanged(stored, memberAttributes) },
    // If a mark is written meanwhile, its writer may have found no member to seat: then this decision is made again.
    ...(isMarked
      ? []
      : [
          {
            check: kinds.tagged.key({ organization: uuid, userId: after.user_id }),
            when: { absent: "pk" } as const,
          },
        ]),
    ...(isNewest ? readableWrites(uuid, after.user_id, before?.reads ?? null, update.readable) : []),
    ...writes,
    ...entriesOf(store, organization, { draft, step, after, version: update.version }),
  ]);
  return { pool, mayHaveRoom: madeRoom };
}

type Applied = {
  readonly draft: PeopleDraft;
  readonly step: MemberStep;
  readonly after: MemberItem;
  readonly version: string;
};

/**
 * What the audit log records: a member who left, a role that changed, or a seat that was assigned or unassigned
 * automatically.
 */
function entriesOf(
  store: Store,
  organization: OrganizationItem,
  { draft, step, after, version }: Applied,
): Put[] {
  const { before } = step;
  const from = previousPlacement(step);
  if (from && before?.active && !after.active)
    return memberRemovedEntry(store, organization, before, draft.seatOf(from));
  const occurred_at = occurredAtOf(version);
  const roles =
    before && after.active && before.role !== after.role
      ? automaticRoleEntry(store, organization, before.role, after, occurred_at)
      : [];
  const seat = seatStepOf(draft, step, after);
  const isEarned = after.seat_earned === true && before?.seat_earned !== true;
  const cause = isEarned
    ? ({ reason: "reviewer tagged" } as const)
    : ({ reason: "member saved", occurred_at } as const);
  const seats = seat ? automaticSeatsEntry(store, organization, { step: seat, members: [after], cause }) : [];
  return [...roles, ...seats];
}

/**
 * Takes the newest event's values. Some values come from the earliest event, or from a decision of the API or the
 * operator.
 */
function mergeMember(
  before: MemberItem | undefined,
  organization: string,
  guard: PeopleGuard,
  { saved, readable, version }: MemberUpdate,
): MemberItem {
  const { user_id, username, email, active } = saved;
  const reads = { digest: readable.digest, parts: readable.parts.length };
  const newest = { username, email, active, reads, version };
  const first = {
    role: resolveRole(guard, saved.role),
    seat_wanted: saved.seat_assigned,
    first_version: version,
  };
  if (!before)
    return {
      ...kinds.member.key({ organization, userId: user_id }),
      user_id,
      ...newest,
      ...first,
      pool: null,
    };
  const merged = {
    ...before,
    ...(version > before.version && newest),
    ...(version < before.first_version && first),
  };
  // A custom role may have been deleted while the member was inactive.
  return { ...merged, role: resolveRole(guard, before.role_decided ? before.role : merged.role) };
}
