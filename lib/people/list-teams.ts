import type * as z from "zod";
import * as kinds from "../contract/items.ts";
import { teamLimits } from "../contract/limits.ts";
import type { teamRecord } from "../contract/records-people.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { parseTeam, type TeamItem } from "../store/items/team.ts";
import type { Table } from "../store/table.ts";
import { type FoundPage, type PartitionPosition, walkPartitions } from "../store/walk.ts";

type FoundTeam = { readonly sk: string; readonly record: z.input<typeof teamRecord> };

/** The active teams, organization by organization, in the order of their ids. */
export function listTeams(
  table: Table,
  organizations: readonly OrganizationItem[],
  page: { readonly after: PartitionPosition | null; readonly limit: number },
): Promise<FoundPage<FoundTeam, PartitionPosition>> {
  const partitions = organizations.map((organization) => ({
    name: organization.uuid,
    // Not more than the page needs: a team can have 350 KB.
    range: { ...kinds.team.range({ organization: organization.uuid }), pageItems: page.limit + 1 },
    organization,
  }));
  const { organizationsAtOnce: partitionsAtOnce } = teamLimits;
  return walkPartitions(table, partitions, { ...page, partitionsAtOnce }, async (items, { organization }) =>
    items
      .map(parseTeam)
      .filter(({ active }) => active)
      .map((team) => ({ sk: team.sk, record: toTeamRecord(organization, team) })),
  );
}

const toTeamRecord = (
  { provider, provider_organization_id: organization_id }: OrganizationItem,
  { team_id, name, user_ids }: TeamItem,
): z.input<typeof teamRecord> => ({ provider, organization_id, team_id, name, user_ids });
