import type { AnswerOf } from "../../lib/client/client.ts";
import { happenedBefore } from "../../lib/contract/audit.ts";

export type User = AnswerOf<"listUsers">["users"][number];
export type SeatCounts = Pick<AnswerOf<"listUsers">, "seats_purchased" | "seats_assigned">;

export type SeatFigures = {
  readonly purchased: number;
  readonly used: number;
  readonly free: number;
  /** Seats used in organizations that share the pool but are not visible to the key. */
  readonly unseen: number;
  /** Seat holders who finished no pull request; null if not all of their pull requests were read. */
  readonly idle: number | null;
  /** Their names, in alphabetical order. */
  readonly idleHolders: readonly string[];
};

/** Authors of finished, reviewed pull requests, named as `authorName` does. */
export type AuthorNames = ReadonlySet<string>;
export const authorName = (provider: string, organizationId: string, userId: string): string =>
  JSON.stringify([provider, organizationId, userId]);

export type Home = { readonly provider: string; readonly provider_organization_id: string };

export type SeatInput = {
  readonly seats: SeatCounts;
  readonly users: readonly User[];
  /** Null if only a part of the pull requests was read. */
  readonly authors: AuthorNames | null;
  /** The organization of users whose records do not name one. */
  readonly home: Home | null;
  /** People who got their seat in the period, so that it is too early to call them idle: see `newHoldersOf`. */
  readonly newHolders: ReadonlySet<string>;
};

const compareTexts = new Intl.Collator("en").compare;

export function seatFigures({ seats, users, authors, home, newHolders }: SeatInput): SeatFigures {
  const { seats_purchased: purchased, seats_assigned: used } = seats;
  const holders = users.filter((user) => user.seat_assigned && membershipsOf(user, home).length > 0);
  const counts = {
    ...{ purchased, used },
    free: Math.max(0, purchased - used),
    unseen: Math.max(0, used - holders.length),
  };
  if (!authors) return { ...counts, idle: null, idleHolders: [] };
  const idle = holders.filter((user) => {
    const memberships = membershipsOf(user, home);
    const names = memberships.map(({ provider, org_id, user_id }) => authorName(provider, org_id, user_id));
    const isNew = [user.email?.toLowerCase() ?? "", ...names, ...memberships.map(({ user_id }) => user_id)];
    return !names.some((name) => authors.has(name)) && !isNew.some((name) => newHolders.has(name));
  });
  const idleHolders = idle.map((user) => shownName(user, home)).toSorted(compareTexts);
  return { ...counts, idle: idle.length, idleHolders };
}

function membershipsOf(user: User, home: Home | null) {
  if ("organizations" in user) return user.organizations;
  return home
    ? [{ provider: home.provider, org_id: home.provider_organization_id, user_id: user.user_id }]
    : [];
}

const shownName = (user: User, home: Home | null): string =>
  user.username ?? user.email ?? membershipsOf(user, home)[0]?.user_id ?? "somebody without a name";

type SeatEntry = Pick<AnswerOf<"listAuditLogs">["data"][number], "provider" | "organization_id" | "metadata">;

/**
 * The people named in audit entries of seats, except for seats assigned before `since`: an event may report them late.
 */
export const newHoldersOf = (entries: readonly SeatEntry[], since: string): string[] =>
  entries.filter(({ metadata }) => !happenedBefore(metadata, since)).flatMap(holderNames);

/** By e-mail address, or by user id in the organization of the entry. */
function holderNames({ provider, organization_id, metadata }: SeatEntry): string[] {
  const ids = Array.isArray(metadata.ids) ? metadata.ids.map(String) : [];
  return ids.map((id) =>
    provider !== null && organization_id !== null && !id.includes("@")
      ? authorName(provider, organization_id, id)
      : id.toLowerCase(),
  );
}
