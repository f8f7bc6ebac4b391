import * as kinds from "../contract/items.ts";
import { poolOf } from "../contract/tenants.ts";
import { parseOrganization } from "../store/items/organization.ts";
import { type MemberItem, parseMember } from "../store/items/people.ts";
import { unchanged } from "../store/items/unchanged.ts";
import { retryOnConflict, type Store } from "../store/retry-on-conflict.ts";
import { type Condition, type Item, TransactionRefused } from "../store/table.ts";
import { automaticSeatsEntry } from "./automatic-entry.ts";
import { PeopleDraft } from "./draft.ts";
import { placeMember, placementsOf, seatStepOf } from "./placement.ts";
import { memberAttributes } from "./save-member.ts";

/**
 * In automatic mode a person who tagged the reviewer is due a seat, while seats are free. A decision of the API or the
 * operator about a seat is kept. For a member who is not known yet, the mark takes effect when the member is saved.
 */
export async function seatReviewedAuthors(
  store: Store,
  uuid: string,
  userIds: readonly string[],
): Promise<void> {
  const ids = [...new Set(userIds)];
  if (ids.length === 0) return;
  if (!(await isAutomatic(store, uuid))) return;
  const keys = ids.flatMap((id) => [
    kinds.member.key({ organization: uuid, userId: id }),
    kinds.tagged.key({ organization: uuid, userId: id }),
  ]);
  const items = await store.table.getMany(keys);
  for (const [index, id] of ids.entries()) {
    const [member, mark] = items.slice(2 * index, 2 * index + 2);
    // A member who is not found may be one whose transaction is not visible yet.
    if (mark && member && hasEarned(member)) continue;
    // Write the mark first: either a member who is saved meanwhile sees the mark, or this call sees the member.
    if (!mark && !(await writeMark(store, uuid, id))) return;
    await earnSeat(store, uuid, id);
  }
}

/** The transaction fails unless the mode is still automatic: an admin may change it at any moment. */
const whileAutomatic: Condition = { equals: ["seat_assignment_mode", "automatic"] };

async function isAutomatic({ table }: Store, uuid: string): Promise<boolean> {
  const item = await table.get(kinds.organization.key({ organization: uuid }));
  return item !== undefined && parseOrganization(item).seat_assignment_mode === "automatic";
}

/** Returns false if seats are no longer assigned automatically. */
const writeMark = (store: Store, uuid: string, userId: string): Promise<boolean> =>
  retryOnConflict(store, async () => {
    try {
      await store.table.transact([
        { check: kinds.organization.key({ organization: uuid }), when: whileAutomatic },
        { put: kinds.tagged.key({ organization: uuid, userId }) },
      ]);
      return true;
    } catch (error) {
      if (error instanceof TransactionRefused && !(await isAutomatic(store, uuid))) return false;
      throw error;
    }
  });

const hasEarned = (stored: Item): boolean => parseMember(stored).seat_earned === true;

const earnSeat = (store: Store, uuid: string, userId: string): Promise<void> =>
  retryOnConflict(store, async () => {
    // Read in a transaction: a plain read may not see a member who was saved before the mark was written.
    const [organizationItem, stored] = await store.table.transactGet([
      kinds.organization.key({ organization: uuid }),
      kinds.member.key({ organization: uuid, userId }),
    ]);
    if (!organizationItem || !stored || hasEarned(stored)) return;
    const organization = parseOrganization(organizationItem);
    const { tenant, seat_assignment_mode } = organization;
    if (seat_assignment_mode !== "automatic") return;
    const before = parseMember(stored);
    const next: MemberItem = { ...before, seat_earned: true };
    const step = { organization: uuid, pool: poolOf({ uuid, tenant }), before, next };
    const draft = await PeopleDraft.load(store.table, placementsOf(step));
    const after = placeMember(draft, step);
    const { writes } = draft.finish();
    const seat = seatStepOf(draft, step, after);
    await store.table.transact([
      {
        check: kinds.organization.key({ organization: uuid }),
        when: { all: [{ equals: ["tenant", tenant] }, whileAutomatic] },
      },
      { put: after, when: unchanged(stored, memberAttributes) },
      ...writes,
      ...(seat
        ? automaticSeatsEntry(store, organization, {
            step: seat,
            members: [after],
            cause: { reason: "reviewer tagged" },
          })
        : []),
    ]);
  });
