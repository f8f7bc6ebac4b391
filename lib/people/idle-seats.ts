import { type AuditPage, type AuditPosition, readAuditLog } from "../audit/list.ts";
import { happenedAt, happenedBefore, namesInSeatEntry, namesOfHolder } from "../contract/audit.ts";
import * as kinds from "../contract/items.ts";
import type { PoolKey } from "../contract/tenants.ts";
import { toTimestamp } from "../runtime/clock.ts";
import type { AuditItem } from "../store/items/audit.ts";
import { type MemberItem, type PersonItem, parseMember, parsePerson } from "../store/items/people.ts";
import { versionInstant } from "../store/items/version.ts";
import type { Store } from "../store/retry-on-conflict.ts";
import { queryAll, type Table } from "../store/table.ts";

export type SeatedPerson = {
  readonly person: PersonItem;
  readonly members: readonly MemberItem[];
  /** When they got the seat; if no audit entry is left that says so, when the first membership with it began. */
  readonly seatSince: string | null;
};

export type IdleSeats = {
  readonly held: number;
  readonly idle: readonly SeatedPerson[];
  /** Holders that cannot be judged: the service has no pull requests of at least one of their organizations. */
  readonly unjudged: number;
};

type IdleSeatQuery = {
  /** A seat that was assigned after this time is too recent to be idle. */
  readonly sinceMs: number;
  /** Whether a pull request of the member was finished after `sinceMs`. */
  isAuthor(organization: string, userId: string): boolean;
  /** Whether the pull requests of the organization are known at all. */
  isJudged(organization: string): boolean;
  readonly auditRetentionDays: number;
};

/**
 * Finds people who have held a seat of the pool since `sinceMs` and have finished no pull request in any of its
 * organizations.
 */
export async function findIdleSeats(
  deps: Pick<Store, "table" | "clock">,
  pool: PoolKey,
  question: IdleSeatQuery,
): Promise<IdleSeats> {
  const newHolders = await holdersSince(deps, pool, question);
  const idle: Array<Omit<SeatedPerson, "seatSince">> = [];
  let held = 0;
  let unjudged = 0;
  for await (const item of queryAll(deps.table, kinds.person.range({ pool }))) {
    const person = parsePerson(item);
    if (!person.seat) continue;
    held++;
    const { memberships } = person;
    if (memberships.some(({ organization, user_id }) => question.isAuthor(organization, user_id))) continue;
    if (!memberships.every(({ organization }) => question.isJudged(organization))) {
      unjudged++;
      continue;
    }
    if (namesOfHolder(person).some((name) => newHolders.has(name))) continue;
    const members = await readMembers(deps.table, person);
    if (seatBefore(person, members, question.sinceMs).length > 0) idle.push({ person, members });
  }
  return { held, idle: await withSeatSince(deps, pool, question, idle), unjudged };
}

/** Newest entries first, until all people are found. */
async function withSeatSince(
  deps: Pick<Store, "table" | "clock">,
  pool: PoolKey,
  { sinceMs, auditRetentionDays }: IdleSeatQuery,
  idle: ReadonlyArray<Omit<SeatedPerson, "seatSince">>,
): Promise<readonly SeatedPerson[]> {
  const found = new Map<PersonItem, string>();
  const missing = new Map(idle.map(({ person }) => [person, namesOfHolder(person)]));
  const walk = { owner: pool, order: "desc", fromMs: undefined, toMs: undefined } as const;
  const wanted = { limit: entriesTogether, retentionDays: auditRetentionDays, wanted: isSeatAssigned };
  let after: AuditPosition | null = null;
  while (missing.size > 0) {
    const page: AuditPage = await readAuditLog(deps, { ...walk, ...wanted, after });
    for (const entry of page.entries) {
      const named = new Set(namesInSeatEntry(entry.metadata, entry.organization));
      for (const [person, names] of missing)
        if (names.some((name) => named.has(name))) {
          found.set(person, happenedAt(entry));
          missing.delete(person);
        }
    }
    after = page.next;
    if (after === null) break;
  }
  return idle.map((each) => ({
    ...each,
    seatSince: found.get(each.person) ?? seatBefore(each.person, each.members, sinceMs)[0] ?? null,
  }));
}

const isSeatAssigned = ({ action }: AuditItem): boolean => action === "seats.assigned";

/** The audit log records every assigned seat, whoever assigned it. */
async function holdersSince(
  deps: Pick<Store, "table" | "clock">,
  pool: PoolKey,
  { sinceMs, auditRetentionDays }: IdleSeatQuery,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  const since = toTimestamp(sinceMs);
  let after: AuditPosition | null = null;
  do {
    const page: AuditPage = await readAuditLog(deps, {
      owner: pool,
      order: "asc",
      fromMs: sinceMs,
      toMs: undefined,
      after,
      limit: entriesTogether,
      retentionDays: auditRetentionDays,
      wanted: (entry) => isSeatAssigned(entry) && !happenedBefore(entry.metadata, since),
    });
    for (const { metadata, organization } of page.entries)
      for (const name of namesInSeatEntry(metadata, organization)) names.add(name);
    after = page.next;
  } while (after !== null);
  return names;
}

const entriesTogether = 100;

async function readMembers(table: Table, { memberships }: PersonItem): Promise<readonly MemberItem[]> {
  const items = await table.getMany(
    memberships.map(({ organization, user_id }) => kinds.member.key({ organization, userId: user_id })),
  );
  return items.filter((item) => item !== undefined).map(parseMember);
}

/**
 * The beginnings of memberships with the seat that are older, the first of them first: a seat that was assigned before
 * such entries were written is at most as old as the member.
 */
function seatBefore(person: PersonItem, members: readonly MemberItem[], sinceMs: number): readonly string[] {
  const since = toTimestamp(sinceMs);
  return members
    .filter(
      ({ seat_wanted, seat_earned }) => seat_wanted || seat_earned === true || person.seat_decided === true,
    )
    .map(({ first_version }) => versionInstant(first_version))
    .filter((began) => began < since)
    .toSorted();
}
