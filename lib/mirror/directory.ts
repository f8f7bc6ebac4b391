import * as z from "zod";
import type { Client } from "../client/client.ts";
import { fieldColumns } from "../contract/csv-row.ts";
import { pageLimits } from "../contract/limits.ts";
import { organizationId, provider, repositoryId } from "../contract/records.ts";
import { type organizationRecord, repositoryRecord } from "../contract/records-organizations.ts";
import { teamRecord, userRecord } from "../contract/records-people.ts";
import { membershipsOf } from "../report/seats.ts";
import { OperatorError } from "../runtime/operator-error.ts";
import { plainTable, source } from "./sources.ts";

/**
 * Teams, people and repositories, for tables beside the metrics. These lists have no write order: every run reads them
 * completely, and the changes are the difference to the run before.
 */
const organization = { provider, organization_id: organizationId };

/** One row for each membership. */
export const personRow = z.strictObject({
  ...organization,
  ...userRecord.pick({ user_id: true, username: true, email: true, seat_assigned: true, role: true }).shape,
});
export const repositoryRow = z.strictObject({
  ...organization,
  repository_id: repositoryId,
  ...repositoryRecord.omit({ provider_repository_id: true }).shape,
});

const inOrganization = { organization: Object.keys(organization) };
const oneOrganization = { org_id: z.string().optional() };

export const teams = source({
  noun: "teams",
  identity: { thing: "team_id", ...inOrganization },
  table: plainTable(fieldColumns(teamRecord)),
  pageSizeMax: pageLimits.teams.max,
  query: z.strictObject({ ...oneOrganization, organization_ids: z.string().optional() }),
  async call(client, { include_removed: _, ...query }) {
    const { body, headers } = await client.listTeams({ query });
    return { headers, body: { data: body.teams, next_cursor: body.next_cursor } };
  },
});

export const people = source({
  noun: "memberships",
  identity: { thing: "user_id", ...inOrganization },
  table: plainTable(fieldColumns(personRow)),
  pageSizeMax: pageLimits.users.max,
  query: z.strictObject(oneOrganization),
  async call(client, { include_removed: _, ...query }) {
    const { body, headers } = await client.listUsers({ query });
    const isWhole = body.users.some((user) => "organizations" in user);
    const home = isWhole || body.users.length === 0 ? null : await organizationOf(client, query.org_id);
    // A seat holder who has left every organization has no membership, and so no row.
    const data = body.users.flatMap((user) =>
      membershipsOf(user, home).map(({ org_id, ...membership }) => ({
        provider: membership.provider,
        organization_id: org_id,
        user_id: membership.user_id,
        username: user.username,
        email: user.email,
        seat_assigned: user.seat_assigned,
        role: membership.role,
      })),
    );
    return { headers, body: { data, next_cursor: body.next_cursor } };
  },
});

type Organization = z.output<typeof organizationRecord>;

/** The organization whose members a list without `organizations` has. */
async function organizationOf(client: Client, wanted: string | undefined): Promise<Organization> {
  const { key, scope } = (await client.whoami()).body;
  const found =
    scope.home ?? scope.organizations.find((each) => key.kind !== "workspace" || isNamed(each, wanted));
  if (!found) throw new OperatorError("The organization of this key is not active any more.");
  return found;
}

const isNamed = ({ provider: at, provider_organization_id: id }: Organization, wanted?: string): boolean =>
  wanted === undefined || wanted === id || wanted === `${at}:${id}`;

export const repositories = source({
  noun: "repositories",
  identity: { thing: "repository_id", ...inOrganization },
  table: plainTable(fieldColumns(repositoryRow)),
  pageSizeMax: pageLimits.repositories.max,
  query: z.strictObject(oneOrganization),
  /** One organization after the other, by id. The cursor names the organization, then the service's cursor there. */
  async call(client, { cursor, limit, org_id }) {
    const { body: caller, headers } = await client.whoami();
    const [from = "", inside = ""] = cursor?.split(" ") ?? [];
    const [now, next] = caller.scope.organizations
      .filter((each) => each.plan === "enterprise" && each.id >= from && isNamed(each, org_id))
      .toSorted((one, other) => (one.id < other.id ? -1 : 1));
    if (!now) return { headers, body: { data: [], next_cursor: null } };
    const { body } = await client.listRepositories({
      path: { organization_id: now.id },
      query: { limit, ...(inside !== "" && now.id === from && { cursor: inside }) },
    });
    const data = body.repositories.map(({ provider_repository_id, ...repository }) => ({
      provider: now.provider,
      organization_id: now.provider_organization_id,
      repository_id: provider_repository_id,
      ...repository,
    }));
    const nextHere = body.next_cursor === null ? null : `${now.id} ${body.next_cursor}`;
    return { headers, body: { data, next_cursor: nextHere ?? (next ? `${next.id} ` : null) } };
  },
});
