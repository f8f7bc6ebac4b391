import * as kinds from "../../../lib/contract/items.ts";
import { parseAudit } from "../../../lib/store/items/audit.ts";
import { parseLearning } from "../../../lib/store/items/learning.ts";
import { parseMember, parsePerson } from "../../../lib/store/items/people.ts";
import { type Item, queryAll, type Table } from "../../../lib/store/table.ts";
import type { Acknowledged, ConcurrentClients, Home } from "./concurrent-clients.ts";

export const learningsIn = (items: readonly Item[]) =>
  items.filter(({ pk }) => pk.startsWith("LEARNING#")).map(parseLearning);

/** By owner of the log: an organization, or the workspace it is in. */
export const auditIn = (items: readonly Item[], owner: string) =>
  items.filter(({ pk }) => pk.startsWith(`AUDIT#${owner}#`)).map(parseAudit);

/** Only the records that the clients change: vectors and logs are most of a table's bytes. */
export async function recordsOf(table: Table, { uuid }: Home): Promise<Item[]> {
  const ranges = [
    { pk: kinds.learning.partition({ organization: uuid }) },
    kinds.member.range({ organization: uuid }),
    kinds.person.range({ pool: `o#${uuid}` }),
    kinds.person.range({ pool: "w#acme" }),
  ];
  return (await Promise.all(ranges.map((range) => Array.fromAsync(queryAll(table, range))))).flat();
}

/** Contradictions between the table and the answers that the clients received. */
export function contradictions(
  { learnings, roles, seats }: ConcurrentClients,
  items: readonly Item[],
): string[] {
  const texts = learningsIn(items).map(
    ({ organization, id, text }) => [`${organization} ${id}`, text] as const,
  );
  const rolesNow = items
    .filter(({ sk }) => sk.startsWith("MEMBER#"))
    .map((item) => [item.pk.slice("MEMBERS#".length), parseMember(item)] as const)
    .map(([uuid, { user_id, role }]) => [`${uuid} ${user_id}`, role] as const);
  const seatsNow = items
    .filter(({ sk }) => sk.startsWith("PERSON#"))
    .map(parsePerson)
    .flatMap(({ memberships, seat }) =>
      memberships.map(({ organization, user_id }) => [`${organization} ${user_id}`, seat] as const),
    );
  return [
    ...learnings.contradictions(new Map(texts), null),
    ...roles.contradictions(new Map(rolesNow), "nobody"),
    ...seats.contradictions(new Map(seatsNow), false),
  ];
}

/** Acknowledged changes that are missing in the log of this owner. */
export function unrecorded(
  changes: readonly Acknowledged[],
  items: readonly Item[],
  owner: string,
): Acknowledged[] {
  const recorded = new Set(
    auditIn(items, owner).flatMap(({ request_id, action, resource_id, metadata }) =>
      [resource_id, metadata.ids, metadata.learning_ids].flat().map((id) => `${request_id} ${action} ${id}`),
    ),
  );
  return changes.filter(({ requestId, action, id }) => !recorded.has(`${requestId} ${action} ${id}`));
}
