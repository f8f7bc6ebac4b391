import { listKeysOfOrganization } from "../access/key-registry.ts";
import { countedKeys, mayHaveOldKeys } from "../access/key-roles.ts";
import { keysOfRows } from "../access/key-rows.ts";
import type { AuditedContext } from "../audit/entry.ts";
import { ApiError } from "../contract/api-error.ts";
import { counted } from "../contract/counted.ts";
import { isLive, type KeyItem } from "../store/items/key.ts";
import type { PeopleItem } from "../store/items/people.ts";
import { organizationKeyRow } from "../store/layout.ts";
import type { Table } from "../store/table.ts";

/**
 * Checks organization keys of the organization, and instance keys whose home it is. If it searched for keys of the
 * first release, it returns the counts of the remaining roles: the next deletion does not have to search for them
 * again.
 */
export async function refuseHeldByKey(
  { table, clock }: AuditedContext,
  uuid: string,
  guard: PeopleItem,
  roleId: string,
): Promise<Readonly<Record<string, number>> | undefined> {
  const keys = await keysOf(table, uuid, guard);
  const holders = keys.filter((key) => key.role === roleId && isLive(key, clock.nowMs()));
  const [holder] = holders;
  if (!holder) {
    const { [roleId]: _, ...others } = countedKeys(guard, keys);
    return mayHaveOldKeys(guard) ? others : undefined;
  }
  throw new ApiError(
    "ROLE_IN_USE",
    `The role is still held by ${counted(holders.length, "live key")}, ${holder.id} for one. End ${
      holders.length === 1 ? "it" : "them"
    } first.`,
  );
}

/** The directory of all keys is searched only if there may be keys of the first release. */
async function keysOf(table: Table, uuid: string, guard: PeopleItem): Promise<KeyItem[]> {
  if (mayHaveOldKeys(guard)) return await listKeysOfOrganization({ table }, uuid);
  const { pk, sk: beginsWith } = organizationKeyRow(uuid, "");
  return (await Array.fromAsync(keysOfRows(table, { pk, beginsWith }))).flat();
}
