import type { SeatCaller } from "../client/caller.ts";
import type { CallOptions, ResponseOf } from "../client/client.ts";
import { happenedAt, happenedBefore, namesInSeatEntry, namesOfHolder } from "../contract/audit.ts";
import { msPerDay } from "../contract/days.ts";
import { pageLimits, requestLimits } from "../contract/limits.ts";
import { plural } from "../contract/plural.ts";
import { chunksOf } from "../runtime/chunks.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { leftOutSentence, reasonLeftOut } from "./left-out.ts";
import { bodiesOf, metricsFilters, type OrganizationFilter } from "./metrics-filters.ts";
import { lastDays, type Period } from "./period.ts";

type SeatReader = Pick<SeatCaller, "pages" | "listReviewMetrics" | "isOperator">;
export type User = ResponseOf<"listUsers">["users"][number];
export type SeatCounts = Pick<ResponseOf<"listUsers">, "seats_purchased" | "seats_assigned">;

/** Authors of finished, reviewed pull requests, named as `authorName` does. */
export type AuthorNames = ReadonlySet<string>;
export const authorName = (provider: string, organizationId: string, userId: string): string =>
  JSON.stringify([provider, organizationId, userId]);

export type Home = { readonly provider: string; readonly provider_organization_id: string };

export type FetchedSeats = {
  readonly seats: SeatCounts;
  readonly users: readonly User[];
  /** People who got their seat since then, so that it is too early to call them idle: see `newHoldersOf`. */
  readonly newHolders: ReadonlySet<string>;
};

export type IdleSeats = {
  readonly since: string;
  /** Of the whole group, also where the caller cannot see the holder. */
  readonly held: number;
  readonly idle: ReadonlyArray<SeatPlaces & { readonly user: User; readonly use: SeatUse | undefined }>;
  /** Holders who may be active where the caller cannot read: one of their organizations has no metrics, or is hidden. */
  readonly notJudged: number;
  /** Those of them whom the caller sees. */
  readonly notJudgedHolders: ReadonlyArray<SeatPlaces & { readonly user: User }>;
  /** Holders without a pull request who got their seat since then. */
  readonly tooNew: number;
  /** What the figures leave out, in sentences. */
  readonly notes: readonly string[];
};

type IdleOptions = CallOptions & {
  readonly days: number;
  readonly nowMs: number;
  /** Of which idle holders, as in `slice`, the use is looked up; of all by default. */
  readonly shown?: readonly number[];
};

/** People who have held a seat for so many days and finished no reviewed pull request in that time. */
export async function findIdleSeats(
  caller: SeatCaller,
  { days, nowMs, shown = [], ...call }: IdleOptions,
): Promise<IdleSeats> {
  const since = toTimestamp(nowMs - days * msPerDay);
  const period = { start_date: since.slice(0, 10), end_date: lastDays(1, nowMs).end_date };
  const { key, scope } = (await caller.whoami()).body;
  const { organizations } = scope;
  const home = scope.home ?? organizations[0] ?? null;
  const isRead = (each: (typeof organizations)[number]) =>
    caller.isOperator ? each.metrics === "ready" : reasonLeftOut(each, true) === null;
  const filters = caller.isOperator ? [{}] : metricsFilters(key.kind, { filter: {}, organizations });
  const { seats, users, newHolders } = await fetchSeats(caller, since, call);
  const authors = new Set((await lastReviewed(caller, [period], filters, call)).keys());
  const readable = organizations.filter(isRead);
  const judged = judgeHolders({ seats, users, home, authors, newHolders, readable });
  const { idle, tooNew, notJudged } = judged;
  const uses = await fetchSeatUse(caller, idle.slice(...shown), home, { nowMs, filters, ...call });
  const withPlaces = (user: User) => ({ user, ...placesOf(user, home, organizations) });
  const leftOut = leftOutSentence(organizations, JSON.stringify);
  return {
    since,
    held: seats.seats_assigned,
    idle: idle.map((user) => ({ ...withPlaces(user), use: uses.get(user) })),
    notJudged,
    tooNew: tooNew.length,
    notJudgedHolders: judged.notJudgedHolders.map(withPlaces),
    notes: [...notJudgedSentences(notJudged, tooNew.length), ...(leftOut === null ? [] : [leftOut])],
  };
}

export function* notJudgedSentences(notJudged: number, tooNew: number): Generator<string> {
  if (notJudged > 0)
    yield `Not judged: ${plural(notJudged, "holder")}. One of their organizations sends no metrics, is still preparing them, or is outside the scope of the key.`;
  if (tooNew > 0) yield `Too new to judge: ${plural(tooNew, "holder")} without a pull request.`;
}

/** A holder for tables and programs. */
export const holderRow = ({ user, organizations, userIds }: IdleSeats["notJudgedHolders"][number]) => ({
  organizations: organizations.join(", "),
  user_ids: userIds.join(", "),
  username: user.username,
  email: user.email,
});

/** An idle seat for tables and programs. */
export const idleRow = ({ use, ...holder }: IdleSeats["idle"][number]) => ({
  ...holderRow(holder),
  seat_since: use?.seat_since ?? null,
  last_reviewed_at: use?.last_reviewed_at ?? null,
});

/** For the key's whole scope: seats belong to a pool, not to one of its organizations. */
export async function fetchSeats(
  client: Pick<SeatCaller, "pages">,
  since: string,
  { onProgress, ...call }: CallOptions & { onProgress?(users: number): void } = {},
): Promise<FetchedSeats> {
  const users: User[] = [];
  let seats: SeatCounts = { seats_purchased: 0, seats_assigned: 0 };
  const query = { limit: pageLimits.users.max };
  for await (const { body } of client.pages("listUsers", { query }, call)) {
    seats = body;
    users.push(...body.users);
    onProgress?.(users.length);
  }
  const newHolders = new Set<string>();
  const given = { actions: "seats.assigned", date_from: since, limit: pageLimits.auditLogs.max };
  for await (const { body } of client.pages("listAuditLogs", { query: given }, call))
    for (const name of newHoldersOf(body.data, since)) newHolders.add(name);
  const { seats_purchased, seats_assigned } = seats;
  return { seats: { seats_purchased, seats_assigned }, users, newHolders };
}

/** Seat holders of the organizations that the key can see. */
export const seatHolders = (users: readonly User[], home: Home | null): readonly User[] =>
  users.filter((user) => user.seat_assigned && membershipsOf(user, home).length > 0);

type Evidence = Omit<FetchedSeats, "seats"> & {
  readonly seats: Pick<SeatCounts, "seats_assigned">;
  readonly home: Home | null;
  readonly authors: AuthorNames;
  /** Organizations whose pull requests were read. */
  readonly readable: readonly Home[];
};

/** Idle is who finished no pull request where that can be read, and has had the seat for long enough. */
export function judgeHolders({ seats, users, home, authors, newHolders, readable }: Evidence) {
  const read = new Set(
    readable.map((each) => organizationName(each.provider, each.provider_organization_id)),
  );
  const isActive = (user: User) => authorNamesOf(user, home).some((name) => authors.has(name));
  const isRead = (user: User) =>
    membershipsOf(user, home).every(({ provider, org_id }) => read.has(organizationName(provider, org_id)));
  const isNew = (user: User) => entryNamesOf(user, home).some((name) => newHolders.has(name));
  const holders = seatHolders(users, home);
  const active = holders.filter(isActive);
  const others = holders.filter((user) => !isActive(user));
  const judged = others.filter(isRead);
  return {
    active,
    idle: judged.filter((user) => !isNew(user)),
    tooNew: judged.filter(isNew),
    notJudgedHolders: others.filter((user) => !isRead(user)),
    /** Also holders whom the caller does not see. */
    notJudged: Math.max(0, seats.seats_assigned - active.length - judged.length),
  };
}

const authorNamesOf = (user: User, home: Home | null): string[] =>
  membershipsOf(user, home).map(({ provider, org_id, user_id }) => authorName(provider, org_id, user_id));

/** The names by which an audit entry may call a person. */
const entryNamesOf = (user: User, home: Home | null): string[] =>
  namesOfHolder({
    email: user.email,
    memberships: membershipsOf(user, home).map(({ provider, org_id, user_id }) => ({
      organization: organizationName(provider, org_id),
      user_id,
    })),
  });
const organizationName = (provider: string, id: string): string => JSON.stringify([provider, id]);

/** What an admin wants to know before taking a seat away. */
export type SeatUse = {
  /** When the newest audit entry gave the person the seat; null if no entry that is kept says so. */
  readonly seat_since: string | null;
  /** When their last reviewed pull request was merged or closed; null if there is none in a year. */
  readonly last_reviewed_at: string | null;
};
const lastReviewDays = 366;

export type SeatUseOptions = CallOptions & {
  readonly nowMs: number;
  /** Of the metrics: what can be read of them. A scope with an organization that prepares its metrics is refused as a whole. */
  readonly filters: readonly OrganizationFilter[];
};

export async function fetchSeatUse(
  client: SeatReader,
  people: readonly User[],
  home: Home | null,
  options: SeatUseOptions,
): Promise<ReadonlyMap<User, SeatUse>> {
  const [reviewed, since] = await Promise.all([
    fetchLastReviews(client, people, home, options),
    fetchSeatSince(client, people, home, options),
  ]);
  return new Map(
    people.map((user) => [
      user,
      { seat_since: since.get(user) ?? null, last_reviewed_at: reviewed.get(user) ?? null },
    ]),
  );
}

/** For a few people: with a key, the metrics are asked for ten authors at a time. */
export async function fetchLastReviews(
  client: SeatReader,
  people: readonly User[],
  home: Home | null,
  { nowMs, filters, ...call }: SeatUseOptions,
): Promise<ReadonlyMap<User, SeatUse["last_reviewed_at"]>> {
  const ids = new Set(people.flatMap((user) => membershipsOf(user, home).map(({ user_id }) => user_id)));
  const period = lastDays(lastReviewDays, nowMs);
  const questions = chunksOf([...ids], client.isOperator ? ids.size || 1 : requestLimits.listValuesMax).map(
    (some) => ({ ...period, user_ids: some.join(",") }),
  );
  const reviewed = await lastReviewed(client, questions, filters, call);
  return new Map(
    people.map((user) => [user, latest(authorNamesOf(user, home).map((name) => reviewed.get(name)))]),
  );
}

export async function fetchSeatSince(
  client: Pick<SeatCaller, "pages">,
  people: readonly User[],
  home: Home | null,
  { signal }: CallOptions,
): Promise<ReadonlyMap<User, SeatUse["seat_since"]>> {
  const assigned = await lastAssigned(client, people, home, signal ? { signal } : {});
  return new Map(
    people.map((user) => [user, latest(entryNamesOf(user, home).map((name) => assigned.get(name)))]),
  );
}

/** Timestamps compare as text. */
const latest = (times: ReadonlyArray<string | undefined>): string | null =>
  times.reduce<string | null>(
    (last, time) => (time !== undefined && (last === null || time > last) ? time : last),
    null,
  );

/** When each author's last reviewed pull request was merged or closed, named as `authorName` does. */
async function lastReviewed(
  client: SeatReader,
  questions: ReadonlyArray<Period & { readonly user_ids?: string }>,
  filters: readonly OrganizationFilter[],
  call: CallOptions = {},
): Promise<ReadonlyMap<string, string>> {
  const last = new Map<string, string>();
  const all = questions.flatMap((each) => filters.map((filter) => ({ ...each, ...filter })));
  const pages = bodiesOf(
    (query) => client.listReviewMetrics({ query: { ...query, status: "all" } }, call),
    ...([all, pageLimits.metrics.max] as const),
  );
  for await (const { data } of pages)
    for (const { provider, organization_id, author_id, merged_at, closed_at } of data) {
      const [at, name] = [merged_at ?? closed_at, authorName(provider, organization_id, author_id ?? "")];
      if (at !== null && at > (last.get(name) ?? "")) last.set(name, at);
    }
  return last;
}

/** Newest entries first, until everybody was named. */
async function lastAssigned(
  client: Pick<SeatCaller, "pages">,
  people: readonly User[],
  home: Home | null,
  call: CallOptions,
): Promise<ReadonlyMap<string, string>> {
  const last = new Map<string, string>();
  const unnamed = new Set(people);
  if (unnamed.size === 0) return last;
  const query = { actions: "seats.assigned", limit: pageLimits.auditLogs.max };
  for await (const { body } of client.pages("listAuditLogs", { query }, call)) {
    for (const entry of body.data)
      for (const name of holderNames(entry)) if (!last.has(name)) last.set(name, happenedAt(entry));
    for (const user of unnamed)
      if (entryNamesOf(user, home).some((name) => last.has(name))) unnamed.delete(user);
    if (unnamed.size === 0) break;
  }
  return last;
}

/** Where a person may hold a seat, each once: the names of organizations, and the Git provider's ids. */
export type SeatPlaces = { readonly organizations: readonly string[]; readonly userIds: readonly string[] };

export function placesOf(
  user: User,
  home: Home | null,
  organizations: ReadonlyArray<Home & { readonly name: string }>,
): SeatPlaces {
  const nameOf = (provider: string, id: string) =>
    organizations.find((each) => each.provider === provider && each.provider_organization_id === id)?.name ??
    id;
  const memberships = membershipsOf(user, home);
  return {
    organizations: [...new Set(memberships.map(({ provider, org_id }) => nameOf(provider, org_id)))],
    userIds: [...new Set(memberships.map(({ user_id }) => user_id))],
  };
}

/** `home` is the organization of users whose records do not name one. */
export function membershipsOf(user: User, home: Home | null) {
  if ("organizations" in user) return user.organizations;
  if (!home) return [];
  const { provider, provider_organization_id: org_id } = home;
  return [{ provider, org_id, user_id: user.user_id, role: user.role }];
}

/**
 * Organizations whose members are listed and none of them has the Admin role: a platform event may remove the last
 * admin. The list has no members of organizations on another plan.
 */
export function organizationsWithoutAdmin<Organization extends Home>(
  organizations: readonly Organization[],
  users: readonly User[],
  home: Home | null,
): readonly Organization[] {
  const memberships = users.flatMap((user) => membershipsOf(user, home));
  const admins = memberships.filter(({ role }) => role === "cr_admin");
  const [listed, led] = [memberships, admins].map(
    (each) => new Set(each.map(({ provider, org_id }) => organizationName(provider, org_id))),
  );
  return organizations.filter(({ provider, provider_organization_id }) => {
    const name = organizationName(provider, provider_organization_id);
    return listed?.has(name) && !led?.has(name);
  });
}

type SeatEntry = Pick<
  ResponseOf<"listAuditLogs">["data"][number],
  "provider" | "organization_id" | "metadata"
>;

/**
 * The people named in audit entries of seats, except for seats assigned before `since`: an event may report them late.
 */
export const newHoldersOf = (entries: readonly SeatEntry[], since: string): string[] =>
  entries.filter(({ metadata }) => !happenedBefore(metadata, since)).flatMap(holderNames);

const holderNames = ({ provider, organization_id, metadata }: SeatEntry): string[] =>
  namesInSeatEntry(
    metadata,
    provider === null || organization_id === null ? null : organizationName(provider, organization_id),
  );
