import type * as z from "zod";
import * as kinds from "../contract/items.ts";
import { teamLimits } from "../contract/limits.ts";
import type { teamRecord } from "../contract/records-people.ts";
import { chunksOf } from "../runtime/chunks.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { parseTeam, type TeamItem } from "../store/items/team.ts";
import { packSortKey, unpackSortKey } from "../store/layout.ts";
import type { ItemPage, Key, Table } from "../store/table.ts";

export type TeamPage = {
  readonly teams: ReadonlyArray<z.input<typeof teamRecord>>;
  /** Where the next page starts; null if there is none. */
  readonly next: string | null;
};

/** A position: the organization, and the sort key of the last team seen there. */
type TeamPosition = { readonly organization: string; readonly sk: string };

const nameOf = ({ organization, sk }: TeamPosition): string => `${organization}/${packSortKey(sk)}`;
const positionOf = (name: string | null): TeamPosition | null => {
  if (name === null) return null;
  const slash = name.indexOf("/");
  return { organization: name.slice(0, slash), sk: unpackSortKey(name.slice(slash + 1)) };
};

/** The active teams, organization by organization, in the order of their ids. */
export async function listTeams(
  table: Table,
  organizations: readonly OrganizationItem[],
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<TeamPage> {
  const found: Array<{ readonly organization: OrganizationItem; readonly team: TeamItem }> = [];
  const page = (next: TeamPosition | null): TeamPage => ({
    teams: found.slice(0, limit).map(({ organization, team }) => toTeamRecord(organization, team)),
    next: next && nameOf(next),
  });
  for await (const { organization, team, place, isEnough } of walkTeams(table, organizations, after, limit)) {
    if (isEnough) return page(place);
    if (!team?.active) continue;
    const last = found[limit - 1];
    if (last) return page({ organization: last.organization.uuid, sk: last.team.sk });
    found.push({ organization, team });
  }
  return page(null);
}

type Step = {
  readonly organization: OrganizationItem;
  readonly team?: TeamItem;
  readonly place: TeamPosition;
  /** Many organizations or inactive teams were read: the next request continues after this place. */
  readonly isEnough?: boolean;
};

async function* walkTeams(
  table: Table,
  organizations: readonly OrganizationItem[],
  after: string | null,
  limit: number,
): AsyncGenerator<Step> {
  const from = positionOf(after);
  const remaining = organizations
    .filter(({ uuid }) => from === null || uuid > from.organization || isIn(from, uuid))
    .toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1));
  const { organizationsAtOnce, organizationsPerPageMax, passedOverMax } = teamLimits;
  let passedOver = 0;
  for (const [index, chunk] of chunksOf(remaining, organizationsAtOnce).entries()) {
    const started = chunk.map((organization) => {
      const sk = from?.organization === organization.uuid ? from.sk : null;
      const read = teamPages(table, organization, sk, limit);
      const firstPage = read();
      // It is awaited later; until then a failure must not count as unhandled.
      firstPage.catch(() => {});
      return { organization, read, firstPage };
    });
    for (const { organization, read, firstPage } of started) {
      let page = await firstPage;
      for (;;) {
        for (const team of page.items.map(parseTeam)) {
          if (!team.active) passedOver++;
          const place = { organization: organization.uuid, sk: team.sk };
          yield { organization, team, place };
          if (passedOver >= passedOverMax) yield { organization, place, isEnough: true };
        }
        if (!page.resume) break;
        page = await read(page.resume);
      }
    }
    const last = chunk.at(-1);
    const lookedAt = (index + 1) * organizationsAtOnce;
    if (last && lookedAt >= organizationsPerPageMax && lookedAt < remaining.length)
      yield { organization: last, place: { organization: last.uuid, sk: afterEveryTeam }, isEnough: true };
  }
}

/** In place of a sort key: all teams of the organization were read. */
const afterEveryTeam = "-";

const isIn = ({ organization, sk }: TeamPosition, uuid: string): boolean =>
  organization === uuid && sk !== afterEveryTeam;

const teamPages =
  (table: Table, { uuid }: OrganizationItem, after: string | null, limit: number) =>
  (resume?: Key): Promise<ItemPage> => {
    const range = kinds.team.range({ organization: uuid });
    return table.queryPage({ ...range, ...(after !== null && { after }), pageItems: limit + 1 }, resume);
  };

const toTeamRecord = (
  { provider, provider_organization_id: organization_id }: OrganizationItem,
  { team_id, name, user_ids }: TeamItem,
): z.input<typeof teamRecord> => ({ provider, organization_id, team_id, name, user_ids });
