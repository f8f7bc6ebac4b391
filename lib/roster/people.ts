import type { Client, ResponseOf } from "../client/client.ts";
import { ReviewApiError } from "../client/error.ts";
import { pageLimits, requestLimits } from "../contract/limits.ts";
import { type Home, membershipsOf, type User } from "../report/seats.ts";
import { OperatorError, UsageError } from "../runtime/operator-error.ts";

export type Membership = ReturnType<typeof membershipsOf>[number];
export type Person = {
  readonly user: User;
  readonly memberships: readonly Membership[];
};

export type People = {
  readonly caller: ResponseOf<"whoami">;
  readonly home: Home | null;
  readonly isWorkspace: boolean;
  /** Negative if fewer are purchased than assigned. */
  readonly seatsFree: number;
  readonly list: readonly Person[];
};

/** Everybody that the key can see: of its workspace, or of its organization. `org`: as the user named it. */
export async function readPeople(client: Client, org: string | undefined): Promise<People> {
  const { body: caller } = await client.whoami();
  const home = caller.scope.home ?? caller.scope.organizations[0] ?? null;
  const isWorkspace = caller.key.kind === "workspace";
  const isHome = home && org !== undefined && isIn({ ...home, org_id: home.provider_organization_id }, org);
  // The API ignores the organization that such a key names, so the changes would be made in another one.
  if (org !== undefined && !isWorkspace && !isHome)
    throw new UsageError(`--org ${org}: this key acts only on ${home?.provider_organization_id}.`);
  const list: Person[] = [];
  let seatsFree = 0;
  for await (const { body } of client.pages("listUsers", { query: { limit: pageLimits.users.max } })) {
    seatsFree = body.seats_purchased - body.seats_assigned;
    list.push(...body.users.map((user) => ({ user, memberships: membershipsOf(user, home) })));
  }
  return { caller, home, isWorkspace, seatsFree, list };
}

export const isIn = ({ provider, org_id }: Pick<Membership, "provider" | "org_id">, org: string): boolean =>
  org === org_id || org === `${provider}:${org_id}`;

/** By e-mail address in any letter case, or by user id, which is unique only within an organization. */
export function peopleNamed({ list }: People, name: string, org: string | undefined): readonly Person[] {
  const email = name.toLowerCase();
  const byEmail = list.filter(({ user }) => user.email?.toLowerCase() === email);
  if (byEmail.length > 0) return byEmail;
  return list.filter(({ memberships }) =>
    memberships.some((each) => each.user_id === name && (org === undefined || isIn(each, org))),
  );
}

/** What to say, once, about people whom nobody knows. */
export const whereFrom =
  "Members and teams come only from the platform's events, which the operator sends: docs/use/jobs/people.md#newcomers, at the service /docs/jobs/people.";

/** A sentence if it is not exactly one. */
export function problemOf(found: readonly Person[], name: string): string | undefined {
  if (found.length === 0) return `${name} is unknown`;
  if (found.length === 1) return undefined;
  const users = found.map((person) => `${labelOf(person)} (user id ${userIdsOf(person)})`);
  return `${name} is ambiguous: ${users.join(", ")}. Use another of these names, or --org`;
}

export function personNamed(people: People, name: string, org: string | undefined): Person {
  const found = peopleNamed(people, name, org);
  const [person] = found;
  const problem = problemOf(found, name);
  if (found.length === 0)
    throw new OperatorError(`${problem}: no organization of this key has such a person. ${whereFrom}`);
  if (problem !== undefined || !person) throw new OperatorError(`${problem}.`);
  return person;
}

const userIdsOf = ({ memberships }: Person): string =>
  [...new Set(memberships.map(({ user_id }) => user_id))].join("/");

export const labelOf = (person: Person): string =>
  person.user.email ?? person.user.username ?? userIdsOf(person);

/** How `POST /v1/users/seats` names a person: in a workspace by e-mail or seat, else by user id; undefined if it cannot. */
export function seatName(user: User, action: "assign" | "unassign") {
  if ("user_id" in user) return { field: "user_ids" as const, id: user.user_id };
  if (user.email !== null) return { field: "emails" as const, id: user.email };
  const holder = action === "unassign" ? user.seat_holder_id : undefined;
  return holder === undefined ? undefined : { field: "user_ids" as const, id: holder };
}

type Key = ResponseOf<"listKeys">["keys"][number];

/** The keys of a person, by membership, and the workspace tokens of the admin with this e-mail address. */
export async function keysOf(
  client: Client,
  { isWorkspace }: People,
  email: string | null,
  memberships: readonly Membership[],
): Promise<readonly Key[]> {
  const list = async (query: { org_id?: string }) => {
    const keys: Key[] = [];
    for await (const { body } of client.pages("listKeys", {
      query: { limit: pageLimits.keys.max, ...query },
    }))
      keys.push(...body.keys);
    return keys;
  };
  const found: Key[] = [];
  for (const { provider, org_id, user_id } of memberships) {
    const listed = await list(isWorkspace ? { org_id: `${provider}:${org_id}` } : {});
    found.push(
      ...listed.filter((key) => key.owner === user_id && (key.organizations?.includes(org_id) ?? true)),
    );
  }
  const address = email?.toLowerCase();
  const tokens = isWorkspace && address !== undefined ? await list({}) : [];
  found.push(...tokens.filter((key) => key.owner_email?.toLowerCase() === address));
  return found.filter(({ state }) => state === "active");
}

/** The organizations of the key whose members and keys the service does not show to this command, and why. */
export const organizationsNotSeen = ({ caller: { key, scope }, home }: People): readonly string[] =>
  scope.organizations.flatMap(({ name, plan, provider_organization_id }) => {
    if (plan !== "enterprise") return [`${name} (on the plan ${plan})`];
    const isHome = provider_organization_id === home?.provider_organization_id;
    return key.kind === "instance" && !isHome ? [`${name} (not the home organization of the key)`] : [];
  });

/** Whether an audit entry names a person with this address; undefined if the key may not read the audit log. */
export async function isInAuditLog(client: Client, email: string): Promise<boolean | undefined> {
  const query = {
    search: email.slice(0, requestLimits.searchCharactersMax),
    limit: pageLimits.auditLogs.max,
  };
  const quoted = JSON.stringify(email.toLowerCase());
  try {
    for await (const { body } of client.pages("listAuditLogs", { query }))
      for (const { actor, metadata } of body.data) {
        // Failed ids are what somebody typed: nobody may have that address.
        const names = JSON.stringify([actor.email, { ...metadata, failed: null }]);
        if (names.toLowerCase().includes(quoted)) return true;
      }
    return false;
  } catch (error) {
    if (error instanceof ReviewApiError && error.status === 403) return undefined;
    throw error;
  }
}
