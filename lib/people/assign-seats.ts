import { onlyOrganization } from "../access/scope.ts";
import type { AuditedContext } from "../audit/entry.ts";
import { withCopies } from "../audit/owed.ts";
import { organizationUuid } from "../contract/identity.ts";
import * as kinds from "../contract/items.ts";
import { peopleLimits } from "../contract/limits.ts";
import type { ReadonlyInput } from "../contract/readonly-input.ts";
import type { seatsAnswer } from "../contract/records-people.ts";
import { parseSeatHolderId, type SeatHolder } from "../contract/seat-holder.ts";
import { isWorkspaceTenant, type PoolKey, poolOf } from "../contract/tenants.ts";
import { required } from "../runtime/required.ts";
import { type OrganizationItem, readProviderIds } from "../store/items/organization.ts";
import {
  type PersonItem,
  type PoolItem,
  parseMember,
  parsePerson,
  parsePool,
} from "../store/items/people.ts";
import { personKey, poolGuardKey } from "../store/layout.ts";
import type { Item, Key } from "../store/table.ts";
import { type BatchOutcomes, type BatchPart, inParts } from "./batch.ts";
import { batchAnswer, byEmail, byUserId, seatsLeftIn } from "./batch-answer.ts";
import { type PersonChange, peopleWrites, seatsOf } from "./change.ts";
import { readLogins } from "./known-person.ts";
import { personKeyOf } from "./placement.ts";
import {
  type SeatAction,
  type SeatChange,
  type SeatEntryOwner,
  type SeatFailure,
  seatEntry,
} from "./seat-entry.ts";
import { type SeatScope, type Workspace, wholeWorkspace } from "./seat-scope.ts";
import { isChange, personChange } from "./seats.ts";

type SeatsBody = {
  readonly action: SeatAction;
  readonly emails?: readonly string[] | undefined;
  readonly user_ids?: readonly string[] | undefined;
  readonly dry_run: boolean;
};

type SeatsAnswer = ReadonlyInput<typeof seatsAnswer>;
type SeatOutcomes = BatchOutcomes<SeatFailure["code"]>;

/** The answer of the operation. A whole workspace's people are named by e-mail or `seat_holder_id`, others by user id. */
export async function assignSeats(
  call: AuditedContext & SeatScope,
  { action, emails, user_ids: userIds = [], dry_run: dryRun }: SeatsBody,
): Promise<SeatsAnswer> {
  const workspace = wholeWorkspace(call);
  if (!workspace) {
    const outcomes = await assignSeatsToMembers(call, onlyOrganization(call), { action, userIds, dryRun });
    return answerOf(outcomes, dryRun, byUserId);
  }
  if (!emails) {
    const outcomes = await unassignSeatHolders(call, workspace, { holders: userIds, dryRun });
    return answerOf(outcomes, dryRun, byUserId);
  }
  const outcomes = await assignSeatsByEmail(call, workspace, { action, emails, dryRun });
  return answerOf(outcomes, dryRun, byEmail);
}

const answerOf = (
  outcomes: SeatOutcomes,
  dryRun: boolean,
  named: (id: string) => { readonly user_id: string } | { readonly email: string },
): SeatsAnswer => ({
  ...batchAnswer({ outcomes, failed: outcomes.failed, dryRun }, named),
  ...seatsLeftIn(outcomes, dryRun),
});

type SeatRequest = {
  readonly action: SeatAction;
  /** Reports what would happen to each person, and changes nothing. */
  readonly dryRun?: boolean;
};

/** One person as the caller named them: by one id, or by several that are the same person. */
type RequestedPerson = NamedPerson & { readonly ids: readonly string[] };
type NamedPerson = {
  readonly person: Key | undefined;
  readonly email?: string | null | undefined;
  readonly username?: string | null | undefined;
};

/** Where the seats are, and which audit logs record the change. */
type SeatContext = SeatEntryOwner & {
  readonly pool: PoolKey;
  /** Organizations that the call has already read. */
  readonly organizations: readonly OrganizationItem[];
  /** Who may be given a seat. A person who holds a seat may always lose it. */
  readonly mayGet: (person: PersonItem) => boolean;
  /** The organizations whose logs show a change of the person's seat. */
  readonly logsOf: (person: PersonItem) => readonly string[];
};

/** Changes seats of members of one organization, by provider user id. In a workspace they use the workspace's pool. */
export async function assignSeatsToMembers(
  context: AuditedContext,
  organization: OrganizationItem,
  { userIds, ...request }: SeatRequest & { readonly userIds: readonly string[] },
): Promise<SeatOutcomes> {
  const ids = [...new Set(userIds)];
  const { uuid } = organization;
  const pool = poolOf(organization);
  const seatContext: SeatContext = {
    pool,
    tenant: organization.tenant,
    organization,
    organizations: [organization],
    mayGet: () => organization.active,
    logsOf: () => [uuid],
  };
  const bySelf = (userId: string) => personKey(pool, { organization: uuid, userId, email: null });
  const [items, prefetchedState] = await Promise.all([
    context.table.getMany(ids.map((userId) => kinds.member.key({ organization: uuid, userId }))),
    // In a workspace only the member item contains the address that the person is stored under.
    !isWorkspaceTenant(pool) ? readState(context, seatContext, ids.map(bySelf)) : undefined,
  ]);
  const named = ids.map((id, index) => {
    const member = items[index] && parseMember(items[index]);
    return {
      id,
      email: member?.email,
      username: member?.username,
      person: member?.active ? personKeyOf(pool, uuid, member) : undefined,
    };
  });
  return await assign(context, seatContext, request, { named, prefetchedState });
}

/** Changes seats of people of a whole workspace, by e-mail address in any letter case. */
export async function assignSeatsByEmail(
  context: AuditedContext,
  workspace: Workspace,
  { emails, ...request }: SeatRequest & { readonly emails: readonly string[] },
): Promise<SeatOutcomes> {
  const { tenant } = workspace;
  const named = emails.map((id) => ({
    id,
    person: personKey(tenant, { organization: "", userId: "", email: id }),
  }));
  return await assign(context, seatContextOf(workspace), request, { named: eachPersonOnce(named) });
}

/** Takes workspace seats from holders without an e-mail address, by the `seat_holder_id` in the list of people. */
async function unassignSeatHolders(
  context: AuditedContext,
  workspace: Workspace,
  { holders, dryRun }: { readonly holders: readonly string[]; readonly dryRun: boolean },
): Promise<SeatOutcomes> {
  const people = holders.map((id) => {
    const holder = parseSeatHolderId(id);
    return { id, email: null, memberships: holder ? [membershipOf(holder)] : [] };
  });
  const logins = await readLogins(context.table, people);
  const named = people.map((each) => {
    const [only] = each.memberships;
    const name = only && { organization: only.organization, userId: only.user_id, email: null };
    return { id: each.id, username: logins.get(each), person: name && personKey(workspace.tenant, name) };
  });
  const request = { action: "unassign", dryRun } as const;
  return await assign(context, seatContextOf(workspace), request, { named: eachPersonOnce(named) });
}

/** By the first spelling of each person, or of each text that names nobody. */
function eachPersonOnce(named: ReadonlyArray<NamedPerson & { readonly id: string }>) {
  const spellings = Map.groupBy(named, ({ id, person }) => person?.sk ?? id);
  return [...spellings.values()].flatMap(([first]) => first ?? []);
}

const membershipOf = ({ provider, organizationId, userId }: SeatHolder) => {
  // Organizations of a workspace do not belong to an instance.
  const name = { provider, instance_id: null, provider_organization_id: organizationId };
  return { organization: organizationUuid(name), user_id: userId };
};

function seatContextOf({ tenant, organizations }: Workspace): SeatContext {
  const inScope = new Set(organizations.map(({ uuid }) => uuid));
  return {
    pool: tenant,
    tenant,
    organization: null,
    organizations,
    mayGet: (person) => organizationsOf(person).some((uuid) => inScope.has(uuid)),
    logsOf: organizationsOf,
  };
}

const organizationsOf = ({ memberships }: PersonItem): string[] => [
  ...new Set(memberships.map(({ organization }) => organization)),
];

async function assign(
  context: AuditedContext,
  seatContext: SeatContext,
  request: SeatRequest,
  {
    named,
    prefetchedState,
  }: {
    readonly named: ReadonlyArray<NamedPerson & { readonly id: string }>;
    readonly prefetchedState?: SeatsState | undefined;
  },
): Promise<SeatOutcomes> {
  const people = byPerson(named);
  const { action, dryRun = false } = request;
  const read = (some: readonly RequestedPerson[]) => readState(context, seatContext, keysOf(some));
  return await inParts(context, people, prefetchedState ?? (await read(people)), {
    ids: named.map(({ id }) => id),
    dryRun,
    readAgain: read,
    decide: (rest, state) => decide(context, seatContext, action, rest, state),
  });
}

/** In the order of each person's first id. An id without a person forms its own group. */
function byPerson(named: ReadonlyArray<NamedPerson & { readonly id: string }>): RequestedPerson[] {
  const groups = Map.groupBy(named, ({ id, person }) => (person ? `person ${person.sk}` : `id ${id}`));
  return [...groups.values()].map((group) => ({
    ids: group.map(({ id }) => id),
    email: group[0]?.email,
    username: group[0]?.username,
    person: group[0]?.person,
  }));
}

const keysOf = (people: readonly RequestedPerson[]): Key[] => people.flatMap(({ person }) => person ?? []);

type SeatsState = {
  readonly guard: PoolItem;
  readonly stored: ReadonlyMap<string, Item>;
  /** The providers' ids of these people's organizations, by UUID. */
  readonly providerIds: ReadonlyMap<string, string>;
};

async function readState(
  { table }: AuditedContext,
  { pool, organizations }: SeatContext,
  keys: readonly Key[],
): Promise<SeatsState> {
  const [guard, ...items] = await table.getMany([poolGuardKey(pool), ...keys]);
  const found = items.filter((item) => item !== undefined);
  const uuids = found.map(parsePerson).flatMap(organizationsOf);
  return {
    guard: parsePool(required(guard, "guard of the pool")),
    stored: new Map(found.map((item) => [item.sk, item])),
    providerIds: await readProviderIds(table, organizations, uuids),
  };
}

function decide(
  context: AuditedContext,
  seatContext: SeatContext,
  action: SeatAction,
  rest: readonly RequestedPerson[],
  state: SeatsState,
): BatchPart<SeatsState, SeatFailure> {
  const { changes, changed, ...decision } = decideEach(rest, state, seatContext, action);
  const seats_free = state.guard.seats_free - seatsOf(changes).seatsTaken;
  const entryWith = (failures: readonly SeatFailure[]) =>
    seatEntry(context, seatContext, action, { changed, failures, providerIds: state.providerIds });
  return {
    ...decision,
    isChanged: changed.length > 0,
    seatsLeft: Math.max(0, seats_free),
    // If a person has more organizations than fit in a transaction, the remaining copies of the entry are written after
    // it.
    writesWith: (failures) =>
      withCopies(peopleWrites(seatContext.pool, changes), failures ? entryWith(failures) : []),
    after: { ...state, guard: { ...state.guard, seats_free } },
  };
}

/** Decides in input order, until the changes no longer fit in one transaction. */
function decideEach(
  rest: readonly RequestedPerson[],
  { guard, stored }: SeatsState,
  seatContext: SeatContext,
  action: SeatAction,
) {
  const seat = action === "assign";
  let available = Math.max(0, guard.seats_free);
  let decided = 0;
  const changes: PersonChange[] = [];
  const changed: SeatChange[] = [];
  const unchanged: string[] = [];
  const failures: SeatFailure[] = [];
  const organizations = new Set<string>();
  let memberships = 0;
  for (const { ids, person, email, username } of rest) {
    const item = person && stored.get(person.sk);
    const change = item && personChange(item, { seat, seat_decided: seat });
    const logs = () => (change ? seatContext.logsOf(change.before) : []);
    const fail = (code: SeatFailure["code"]) =>
      failures.push(...ids.map((id) => ({ id, code, organizations: logs() })));
    const takesSeat = seat && change?.before.seat === false;
    if (!change || (seat && !seatContext.mayGet(change.before))) fail("USER_NOT_FOUND");
    else if (takesSeat && available === 0) fail("NO_SEATS_AVAILABLE");
    else if (isChange(change)) {
      const logsAfter = seatContext.logsOf(change.after);
      const actions = changes.length + 1 + organizations.union(new Set(logsAfter)).size;
      memberships += change.before.memberships.length;
      const isFull =
        actions > peopleLimits.changedAndRecordedTogetherMax ||
        memberships > peopleLimits.membershipsTogetherMax;
      if (changes.length > 0 && isFull) break;
      for (const uuid of logsAfter) organizations.add(uuid);
      if (takesSeat) available--;
      changes.push(change);
      if (change.before.seat !== seat)
        changed.push({
          ids,
          username,
          organizations: logsAfter,
          person: { ...change.before, email: email ?? change.before.email },
        });
    }
    if (change?.before.seat === seat) unchanged.push(...ids);
    decided++;
  }
  return { decided, changes, changed, unchanged, failures };
}
