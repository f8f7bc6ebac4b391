import { type Changing, changeEntry } from "../audit/entry.ts";
import { peopleLimits } from "../contract/limits.ts";
import { certain } from "../runtime/certain.ts";
import { decideAnew } from "../store/decide.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { type PoolItem, parseMember, parsePool } from "../store/items/people.ts";
import { memberKey, type PoolKey, personKey, poolGuardKey, poolOf, type TenantKey } from "../store/layout.ts";
import type { Item, Key } from "../store/table.ts";
import { Outcomes, peopleTogether } from "./batch.ts";
import { membershipsOf } from "./person.ts";
import { personKeyOf } from "./placement.ts";
import { decideSeats } from "./seats.ts";

export type SeatAction = "assign" | "unassign";

/** Whom the caller named, and where that person's seat is held; undefined where there is nobody. */
type Named = { readonly id: string; readonly person: Key | undefined };

type Place = {
  readonly pool: PoolKey;
  readonly tenant: TenantKey;
  readonly organization: { readonly uuid: string; readonly providerId: string } | null;
};

/** Members of one organization, by provider user id. In a workspace they draw on the workspace's pool. */
export async function assignSeatsToMembers(
  context: Changing,
  organization: OrganizationItem,
  action: SeatAction,
  userIds: readonly string[],
): Promise<Outcomes> {
  const ids = [...new Set(userIds)];
  const pool = poolOf(organization);
  const bySelf = (id: string) =>
    personKey(pool, { organization: organization.uuid, userId: id, email: null });
  const [items, ahead] = await Promise.all([
    context.table.getMany(ids.map((userId) => memberKey(organization.uuid, userId))),
    // In a workspace only the member tells the address that the person is kept under.
    pool.startsWith("o#") ? readAhead(context, pool, ids.map(bySelf)) : undefined,
  ]);
  const named = ids.map((id, index): Named => {
    const member = items[index] && parseMember(items[index]);
    if (!member?.active) return { id, person: undefined };
    return { id, person: personKeyOf(pool, organization.uuid, member) };
  });
  const { uuid, tenant, provider_organization_id: providerId } = organization;
  return await assign(context, { pool, tenant, organization: { uuid, providerId } }, action, named, ahead);
}

/** People of a whole workspace, by e-mail address in any letter case. */
export async function assignSeatsByEmail(
  context: Changing,
  tenant: `w#${string}`,
  action: SeatAction,
  emails: readonly string[],
): Promise<Outcomes> {
  const ids = [...new Map(emails.map((email) => [email.toLowerCase(), email])).values()];
  const named = ids.map((id) => ({
    id,
    person: personKey(tenant, { organization: "", userId: "", email: id }),
  }));
  return await assign(context, { pool: tenant, tenant, organization: null }, action, named);
}

async function assign(
  context: Changing,
  place: Place,
  action: SeatAction,
  named: readonly Named[],
  readAlready?: Ahead,
): Promise<Outcomes> {
  const outcomes = new Outcomes(named.map(({ id }) => id));
  const idsByPerson = new Map<string, { key: Key; ids: string[] }>();
  for (const { id, person } of named) {
    if (!person) {
      outcomes.fail(id, "USER_NOT_FOUND", notFound);
      continue;
    }
    const known = idsByPerson.get(person.sk) ?? { key: person, ids: [] };
    idsByPerson.set(person.sk, { ...known, ids: [...known.ids, id] });
  }
  const people = [...idsByPerson.values()];
  // Everything is read at once; only where somebody else interferes is a part of it read again.
  const keys = people.map(({ key }) => key);
  const ahead = readAlready ?? (await readAhead(context, place.pool, keys));
  let { guard } = ahead;
  const sizeOf = ({ key }: { readonly key: Key }) => membershipsOf(ahead.stored.get(key.sk));
  for (const chunk of peopleTogether(people, peopleLimits.changedTogetherMax, sizeOf)) {
    const stored = chunk.map(({ key }) => ahead.stored.get(key.sk));
    guard = await assignTogether(context, place, action, { chunk, stored, guard }, outcomes);
  }
  return outcomes;
}

type Ahead = { readonly guard: PoolItem; readonly stored: ReadonlyMap<string, Item> };

async function readAhead({ table }: Changing, pool: PoolKey, keys: readonly Key[]): Promise<Ahead> {
  const [guard, ...items] = await table.getMany([poolGuardKey(pool), ...keys]);
  const found = items.filter((item) => item !== undefined);
  const stored = new Map(found.map((item) => [item.sk, item]));
  return { guard: parsePool(certain(guard, "guard of the pool")), stored };
}

type Chunk = {
  readonly chunk: ReadonlyArray<{ readonly key: Key; readonly ids: readonly string[] }>;
  readonly stored: ReadonlyArray<Item | undefined>;
  readonly guard: PoolItem;
};

/** One transaction. Answers the guard as it stands after it, for the next one. */
async function assignTogether(
  context: Changing,
  place: Place,
  action: SeatAction,
  first: Chunk,
  outcomes: Outcomes,
): Promise<PoolItem> {
  let read: Chunk | undefined = first;
  return await decideAnew(context, async () => {
    const { chunk, stored, guard } = read ?? (await readAgain(context, place.pool, first.chunk));
    read = undefined;
    const people = stored.filter((item) => item !== undefined);
    const decision = decideSeats(place.pool, guard, people, action === "assign");
    const changed = idsOf(chunk, decision.changed);
    const refused = idsOf(chunk, decision.refused);
    if (decision.writes.length > 0) {
      await context.table.transact([...decision.writes, ...entry(context, place, action, changed, refused)]);
    }
    const found = new Set(people.map(({ sk }) => sk));
    for (const { key, ids } of chunk) {
      if (!found.has(key.sk)) for (const id of ids) outcomes.fail(id, "USER_NOT_FOUND", notFound);
    }
    for (const id of refused) outcomes.fail(id, "NO_SEATS_AVAILABLE", "All purchased seats are assigned.");
    return { ...guard, seats_free: guard.seats_free - decision.seatsTaken };
  });
}

/** As the caller named these people. */
function idsOf(chunk: Chunk["chunk"], people: readonly Key[]): string[] {
  const named = new Set(people.map(({ sk }) => sk));
  return chunk.filter(({ key }) => named.has(key.sk)).flatMap(({ ids }) => ids);
}

async function readAgain(context: Changing, pool: PoolKey, chunk: Chunk["chunk"]): Promise<Chunk> {
  const keys = chunk.map(({ key }) => key);
  const { guard, stored } = await readAhead(context, pool, keys);
  return { chunk, stored: keys.map(({ sk }) => stored.get(sk)), guard };
}

const notFound = "There is no such active member.";

const entry = (
  context: Changing,
  { tenant, organization }: Place,
  action: SeatAction,
  ids: readonly string[],
  refused: readonly string[],
) =>
  changeEntry(context, {
    action: action === "assign" ? "seats.assigned" : "seats.unassigned",
    resourceType: "seat",
    resourceId: null,
    summary: `${action === "assign" ? "Seats assigned" : "Seats unassigned"}: ${ids.length}`,
    tenant,
    organization,
    metadata: { ids: [...ids], failed: refused.map((id) => ({ id, code: "NO_SEATS_AVAILABLE" })) },
  });
