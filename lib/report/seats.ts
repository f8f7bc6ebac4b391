import type { AnswerOf, CallOptions, Client } from "../client/client.ts";
import { happenedBefore } from "../contract/audit.ts";
import { pageLimits } from "../contract/limits.ts";

export type User = AnswerOf<"listUsers">["users"][number];
export type SeatCounts = Pick<AnswerOf<"listUsers">, "seats_purchased" | "seats_assigned">;

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

/** For the key's whole scope: seats belong to a pool, not to one of its organizations. */
export async function fetchSeats(
  client: Client,
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

/** Those of them who finished no pull request, and have had the seat for long enough. */
export const idleHolders = (
  holders: readonly User[],
  home: Home | null,
  authors: AuthorNames,
  newHolders: ReadonlySet<string>,
): readonly User[] =>
  holders.filter((user) => {
    const memberships = membershipsOf(user, home);
    const names = memberships.map(({ provider, org_id, user_id }) => authorName(provider, org_id, user_id));
    const isNew = [user.email?.toLowerCase() ?? "", ...names, ...memberships.map(({ user_id }) => user_id)];
    return !names.some((name) => authors.has(name)) && !isNew.some((name) => newHolders.has(name));
  });

/** `home` is the organization of users whose records do not name one. */
export function membershipsOf(user: User, home: Home | null) {
  if ("organizations" in user) return user.organizations;
  return home
    ? [
        {
          ...{ provider: home.provider, org_id: home.provider_organization_id },
          ...{ user_id: user.user_id, role: user.role },
        },
      ]
    : [];
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
  const nameOf = (provider: string, id: string) => JSON.stringify([provider, id]);
  const [listed, led] = [memberships, admins].map(
    (each) => new Set(each.map(({ provider, org_id }) => nameOf(provider, org_id))),
  );
  return organizations.filter(({ provider, provider_organization_id }) => {
    const name = nameOf(provider, provider_organization_id);
    return listed?.has(name) && !led?.has(name);
  });
}

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
