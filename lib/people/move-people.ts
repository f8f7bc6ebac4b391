import * as kinds from "../contract/items.ts";
import { eventLimits, peopleLimits } from "../contract/limits.ts";
import { poolOf, type TenantKey } from "../contract/tenants.ts";
import { required } from "../runtime/required.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import { parseMember } from "../store/items/people.ts";
import { unchanged } from "../store/items/unchanged.ts";
import { retryOnConflict, type Store } from "../store/retry-on-conflict.ts";
import { type Key, queryAll } from "../store/table.ts";
import { automaticSeatsEntry } from "./automatic-entry.ts";
import { PeopleDraft } from "./draft.ts";
import { placeMember, placementsOf, type SeatStep, seatStepOf } from "./placement.ts";
import { memberAttributes } from "./save-member.ts";
import { fillSeats } from "./seats.ts";

/**
 * Moves the people of an organization that changed tenant into the other seat pool, where they get seats while seats
 * are free. Each member's item records its pool, so an interrupted run can simply be started again.
 */
export async function movePeople(
  store: Store,
  organization: OrganizationItem,
  from: TenantKey,
): Promise<void> {
  const { uuid } = organization;
  const pool = poolOf(organization);
  let keys: Key[] = [];
  for await (const item of queryAll(store.table, kinds.member.range({ organization: uuid }))) {
    const member = parseMember(item);
    if (member.pool !== null && member.pool !== pool) keys.push({ pk: item.pk, sk: item.sk });
    if (keys.length < eventLimits.peopleMovedTogetherMax) continue;
    await moveTogether(store, uuid, keys);
    keys = [];
  }
  await moveTogether(store, uuid, keys);
  await fillSeats(store, poolOf({ uuid, tenant: from }));
}

/** Splits the people in halves if they have too many memberships for one transaction. */
async function moveTogether(store: Store, uuid: string, keys: readonly Key[]): Promise<void> {
  if (await moveAtOnce(store, uuid, keys)) return;
  const half = Math.ceil(keys.length / 2);
  await moveTogether(store, uuid, keys.slice(0, half));
  await moveTogether(store, uuid, keys.slice(half));
}

/** Returns false if the people do not fit in one transaction. */
const moveAtOnce = (store: Store, uuid: string, keys: readonly Key[]): Promise<boolean> =>
  retryOnConflict(store, async () => {
    const [organizationItem, ...items] = await store.table.getMany([
      kinds.organization.key({ organization: uuid }),
      ...keys,
    ]);
    const organization = parseOrganization(required(organizationItem, "organization whose people move"));
    const { tenant } = organization;
    const pool = poolOf({ uuid, tenant });
    const steps = items
      .filter((item) => item !== undefined)
      .map((stored) => ({ stored, member: parseMember(stored) }))
      .filter(({ member }) => member.pool !== null && member.pool !== pool)
      .map(({ stored, member }) => ({ stored, organization: uuid, pool, before: member, next: member }));
    if (steps.length === 0) return true;
    const draft = await PeopleDraft.load(store.table, steps.flatMap(placementsOf));
    if (steps.length > 1 && draft.memberships > peopleLimits.membershipsTogetherMax) return false;
    const placed = steps.map((step) => ({ step, after: placeMember(draft, step) }));
    const { writes } = draft.finish();
    const entryOf = (change: SeatStep) => {
      const theirs = placed.filter(({ step, after }) => seatStepOf(draft, step, after) === change);
      const members = theirs.map(({ after }) => after);
      const cause = { reason: "organization moved" } as const;
      return automaticSeatsEntry(store, organization, { step: change, members, cause });
    };
    await store.table.transact([
      { check: kinds.organization.key({ organization: uuid }), when: { equals: ["tenant", tenant] } },
      ...placed.map(({ step, after }) => ({ put: after, when: unchanged(step.stored, memberAttributes) })),
      ...writes,
      ...entryOf("came"),
      ...entryOf("went"),
    ]);
    return true;
  });
