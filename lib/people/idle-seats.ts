import * as z from "zod";
import { readAuditLog } from "../audit/list.ts";
import { happenedBefore } from "../contract/audit.ts";
import type { Clock } from "../runtime/clock.ts";
import { toTimestamp } from "../runtime/clock.ts";
import type { AuditItem } from "../store/items/audit.ts";
import { type MemberItem, type PersonItem, parseMember, parsePerson } from "../store/items/people.ts";
import { versionInstant } from "../store/items/version.ts";
import { memberKey, type PoolKey, personsRange } from "../store/layout.ts";
import { queryAll, type Table } from "../store/table.ts";

export type SeatedPerson = { readonly person: PersonItem; readonly members: readonly MemberItem[] };

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

type Deps = { readonly table: Table; readonly clock: Clock };

/**
 * Finds people who have held a seat of the pool since `sinceMs` and have finished no pull request in any of its
 * organizations.
 */
export async function findIdleSeats(deps: Deps, pool: PoolKey, question: IdleSeatQuery): Promise<IdleSeats> {
  const entries = await seatEntriesSince(deps, pool, question);
  const idle: SeatedPerson[] = [];
  let held = 0;
  let unjudged = 0;
  for await (const item of queryAll(deps.table, personsRange(pool))) {
    const person = parsePerson(item);
    if (!person.seat) continue;
    held++;
    const { memberships } = person;
    if (memberships.some(({ organization, user_id }) => question.isAuthor(organization, user_id))) continue;
    if (!memberships.every(({ organization }) => question.isJudged(organization))) {
      unjudged++;
      continue;
    }
    if (entries.some((entry) => names(entry, person))) continue;
    const members = await readMembers(deps.table, person);
    if (hadSeatBefore(person, members, question.sinceMs)) idle.push({ person, members });
  }
  return { held, idle, unjudged };
}

/** The audit log records every assigned seat, whoever assigned it. */
async function seatEntriesSince(
  deps: Deps,
  pool: PoolKey,
  { sinceMs, auditRetentionDays }: IdleSeatQuery,
): Promise<readonly AuditItem[]> {
  const entries: AuditItem[] = [];
  const since = toTimestamp(sinceMs);
  let after: Awaited<ReturnType<typeof readAuditLog>>["next"] = null;
  do {
    const page = await readAuditLog(deps, {
      owner: pool,
      order: "asc",
      fromMs: sinceMs,
      toMs: undefined,
      after,
      limit: entriesTogether,
      retentionDays: auditRetentionDays,
      wanted: (entry) => entry.action === "seats.assigned" && !happenedBefore(entry.metadata, since),
    });
    entries.push(...page.entries);
    after = page.next;
  } while (after !== null);
  return entries;
}

const entriesTogether = 100;

const idsInEntry = z.array(z.string());

/** An entry names people as the caller did: by e-mail address, or by the user id within its organization. */
function names({ metadata, organization }: AuditItem, { email, memberships }: PersonItem): boolean {
  return idsInEntry
    .parse(metadata.ids)
    .some(
      (id) =>
        id.toLowerCase() === email ||
        memberships.some(
          (membership) =>
            membership.user_id === id && (organization === null || organization === membership.organization),
        ),
    );
}

async function readMembers(table: Table, { memberships }: PersonItem): Promise<readonly MemberItem[]> {
  const items = await table.getMany(
    memberships.map(({ organization, user_id }) => memberKey(organization, user_id)),
  );
  return items.filter((item) => item !== undefined).map(parseMember);
}

/** A seat that was assigned before such entries were written is at most as old as the member. */
function hadSeatBefore(person: PersonItem, members: readonly MemberItem[], sinceMs: number): boolean {
  const since = toTimestamp(sinceMs);
  return members.some(
    ({ first_version, seat_wanted, seat_earned }) =>
      (seat_wanted || seat_earned === true || person.seat_decided === true) &&
      versionInstant(first_version) < since,
  );
}
