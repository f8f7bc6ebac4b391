import type { KeyItem } from "../store/items/key.ts";
import { parseKey } from "../store/items/key.ts";
import {
  keyDirectoryKey,
  keyDirectoryRange,
  keyKey,
  organizationKeyRow,
  tenantKeyRow,
} from "../store/layout.ts";
import { type Key, type Put, queryAll, type Table } from "../store/table.ts";

/**
 * Where a key is listed: with its organization (an instance key with its home, whose roles it uses), and with its
 * workspace or instance where it is of more than one organization.
 */
const placesOf = ({ id, kind, organization, tenant }: KeyItem): Key[] => [
  ...(organization === null ? [] : [organizationKeyRow(organization, id)]),
  ...(kind === "workspace" || kind === "instance" ? [tenantKeyRow(tenant, id)] : []),
];

/** The rows that every key is listed by; `listed` tells that it has those of its organization and tenant. */
export const rowsOf = (key: KeyItem): Put[] => [
  { put: { ...keyDirectoryKey(key.id), kind: key.kind, listed: true } },
  ...placesOf(key).map((place) => ({ put: { ...place, kind: key.kind } })),
];

/**
 * Keys of the first release stand in the directory only: this lists them with their organizations and tenants too.
 * Safe to run at any time and twice at once, and cheap once it is done. Answers how many it listed.
 */
export async function listOldKeys({ table }: { readonly table: Table }): Promise<number> {
  const rows = await Array.fromAsync(queryAll(table, keyDirectoryRange));
  const unlisted = rows.filter(({ listed }) => listed !== true);
  const items = await table.getMany(unlisted.map(({ sk }) => keyKey(sk)));
  const keys = items.filter((item) => item !== undefined).map(parseKey);
  // The directory's own rows last: one that is cut off begins again with what is not listed.
  const writes = keys.map(rowsOf);
  await table.writeMany(writes.flatMap(([, ...places]) => places));
  await table.writeMany(writes.flatMap(([directory]) => directory ?? []));
  return keys.length;
}
