import { msPerDay } from "../../lib/contract/days.ts";
import { peopleLimits } from "../../lib/contract/limits.ts";
import {
  isWorkspaceTenant,
  type PoolKey,
  poolOf,
  requireWorkspaceTenant,
  type TenantKey,
} from "../../lib/contract/tenants.ts";
import { authorsBetween } from "../../lib/metrics/authors.ts";
import type { Connection } from "../../lib/operator/connection.ts";
import { findOrganizationByName, readAllOrganizations } from "../../lib/organizations/find.ts";
import { assignSeatsByEmail, assignSeatsToMembers } from "../../lib/people/assign-seats.ts";
import { findIdleSeats, type SeatedPerson } from "../../lib/people/idle-seats.ts";
import { usernameOf } from "../../lib/people/person.ts";
import { lastDays } from "../../lib/report/period.ts";
import { lastReviewDays } from "../../lib/report/seats.ts";
import { chunksOf } from "../../lib/runtime/chunks.ts";
import { systemClock, toTimestamp } from "../../lib/runtime/clock.ts";
import { UsageError } from "../../lib/runtime/operator-error.ts";
import type { OrganizationItem } from "../../lib/store/items/organization.ts";
import type { Table } from "../../lib/store/table.ts";
import * as http from "../api/seats.ts";
import type { Command, CommandInput } from "../command.ts";
import { withConnection } from "../connection/open.ts";
import { listFormatOf } from "../listing.ts";
import { overHttpOrAsOperator } from "../over-http-or-as-operator.ts";
import {
  distinct,
  idleDays,
  idleOptions,
  type SeatFailure,
  type SeatRow,
  showIdleSeats,
} from "../show-idle-seats.ts";
import type { Terminal } from "../terminal.ts";

const idle: Command = {
  ...http.idle,
  options: {
    ...idleOptions,
    org: {
      value: "ORG",
      help: "only the seats of this organization (of its workspace, if it has one), by provider id or UUID; a key has one group of seats",
    },
  },
  run: (input, terminal) => {
    // Checked before seats are removed: a wrong format must not fail afterwards.
    listFormatOf(input);
    const days = idleDays(input);
    return withConnection(input, (connection) => run(connection, days, input, terminal));
  },
};

export const commands: readonly Command[] = [overHttpOrAsOperator(http.idle, idle)];

/** Seats that are counted together: those of a workspace, or of one organization. */
type Pool = {
  readonly key: PoolKey;
  readonly tenant: TenantKey;
  readonly organizations: readonly OrganizationItem[];
};

async function run(
  connection: Connection,
  days: number,
  input: CommandInput,
  terminal: Terminal,
): Promise<void> {
  const pools = await poolsOf(connection.table, input.text("org"));
  const unassigns = input.flag("unassign");
  if (unassigns && pools.length > 1)
    throw new UsageError(`--unassign needs --org here: there are ${pools.length} groups of seats.`);
  const sinceMs = systemClock.nowMs() - days * msPerDay;
  const judged = await Promise.all(pools.map((pool) => findIdleHolders(connection, pool, sinceMs)));
  const answer = {
    days,
    since: toTimestamp(sinceMs),
    dry_run: !unassigns,
    seats_held: sum(judged.map(({ held }) => held)),
    not_judged: sum(judged.map(({ unjudged }) => unjudged)),
    idle: judged.flatMap((each) => each.rows),
  };
  const failed = unassigns
    ? (await Promise.all(judged.map((each) => unassign(connection, each)))).flat()
    : undefined;
  showIdleSeats(input, terminal, answer, failed);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

async function poolsOf(table: Table, name: string | undefined): Promise<readonly Pool[]> {
  const only = name === undefined ? undefined : poolOf(await findOrganizationByName(table, name));
  const groups = Map.groupBy(await readAllOrganizations(table), poolOf);
  return [...groups].flatMap(([key, organizations]) => {
    const [first] = organizations;
    return first && (only === undefined || only === key)
      ? [{ key, tenant: first.tenant, organizations }]
      : [];
  });
}

type IdleReport = {
  readonly pool: Pool;
  readonly held: number;
  readonly unjudged: number;
  readonly holders: readonly SeatedPerson[];
  readonly rows: readonly SeatRow[];
};

async function findIdleHolders(
  { table, audited }: Connection,
  pool: Pool,
  sinceMs: number,
): Promise<IdleReport> {
  const known = new Map(pool.organizations.map((organization) => [organization.uuid, organization]));
  const ready = pool.organizations.filter(({ metrics }) => metrics === "ready");
  const lastReviewed = new Map<string, number>();
  const nameOfAuthor = (organization: string, userId: string) => `${organization} ${userId}`;
  const window = lastDays(lastReviewDays, systemClock.nowMs());
  if (ready.length > 0)
    for await (const { organization, userId, atMs } of authorsBetween(
      { table, clock: systemClock },
      { tenant: pool.tenant, organizations: ready },
      window,
    )) {
      const name = nameOfAuthor(organization, userId);
      lastReviewed.set(name, Math.max(atMs, lastReviewed.get(name) ?? 0));
    }
  const firstDayMs = Date.parse(toTimestamp(sinceMs).slice(0, 10));
  const {
    held,
    idle: holders,
    unjudged,
  } = await findIdleSeats({ table, clock: systemClock }, pool.key, {
    sinceMs,
    isAuthor: (organization, userId) =>
      (lastReviewed.get(nameOfAuthor(organization, userId)) ?? 0) >= firstDayMs,
    isJudged: (organization) => known.get(organization)?.metrics === "ready",
    auditRetentionDays: audited.retentionDays,
  });
  const nameOf = (uuid: string) => known.get(uuid)?.name ?? uuid;
  const lastReviewedBy = ({ memberships }: SeatedPerson["person"]) =>
    Math.max(
      0,
      ...memberships.map(
        ({ organization, user_id }) => lastReviewed.get(nameOfAuthor(organization, user_id)) ?? 0,
      ),
    );
  const rows = holders.map(({ person, members, seatSince }) => ({
    organizations: distinct(person.memberships.map(({ organization }) => nameOf(organization))),
    user_ids: distinct(person.memberships.map(({ user_id }) => user_id)),
    username: usernameOf(members),
    email: person.email ?? members[0]?.email ?? null,
    seat_since: seatSince,
    last_reviewed_at: lastReviewedBy(person) > 0 ? toTimestamp(lastReviewedBy(person)) : null,
  }));
  return { pool, held, unjudged, holders, rows };
}

/** A workspace's people are addressed by e-mail, all others by the membership that holds the seat. */
async function unassign(
  { audited }: Connection,
  { pool, holders }: IdleReport,
): Promise<readonly SeatFailure[]> {
  const { key, organizations } = pool;
  const failures: SeatFailure[] = [];
  const emails = isWorkspaceTenant(key) ? holders.flatMap(({ person }) => person.email ?? []) : [];
  for (const some of chunksOf(emails, peopleLimits.batchUsersMax)) {
    const workspace = { tenant: requireWorkspaceTenant(key), organizations };
    const { failed } = await assignSeatsByEmail(audited, workspace, { action: "unassign", emails: some });
    failures.push(...failed);
  }
  const alone = holders.filter(({ person }) => !isWorkspaceTenant(key) || person.email === null);
  for (const organization of organizations) {
    const userIds = alone.flatMap(({ person }) =>
      person.memberships.flatMap((each) => (each.organization === organization.uuid ? each.user_id : [])),
    );
    for (const some of chunksOf(userIds, peopleLimits.batchUsersMax)) {
      const request = { action: "unassign", userIds: some } as const;
      failures.push(...(await assignSeatsToMembers(audited, organization, request)).failed);
    }
  }
  return failures;
}
