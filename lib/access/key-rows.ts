import * as kinds from "../contract/items.ts";
import { keyLimits } from "../contract/limits.ts";
import { organizationTenant } from "../contract/tenants.ts";
import { type KeyItem, parseKey, withList } from "../store/items/key.ts";
import { keyOfRow } from "../store/layout.ts";
import { type Item, type Key, type Put, queryPages, type Range, type Table } from "../store/table.ts";

/**
 * The rows that list a key: under its organization (an instance key under its home, whose roles it uses), and under its
 * workspace or instance if it reaches more than one organization.
 */
const placesOf = ({ id, kind, organization, tenant }: KeyItem): Key[] => [
  ...(organization === null
    ? []
    : [kinds.keyRow.key({ tenant: organizationTenant(organization), keyId: id })]),
  ...(kind === "workspace" || kind === "instance" ? [kinds.keyRow.key({ tenant, keyId: id })] : []),
];

/** The key itself. A list of organizations is an item of its own. */
export const keyWrites = (key: KeyItem): Put[] => [
  { put: { ...key, authorized: key.authorized && [] }, when: { absent: "pk" } },
  ...(key.authorized
    ? [{ put: { ...kinds.keyList.key({ keyId: key.id }), authorized: key.authorized } }]
    : []),
];

/** Which key a row lists. */
export type IdOf = (row: Key) => string;
export const idInDirectory: IdOf = ({ sk }) => sk;

/** The keys with these rows, each with its list; undefined for a row without a key. In one trip. */
export async function readKeys(
  table: Table,
  rows: readonly Item[],
  idOf: IdOf,
): Promise<ReadonlyArray<KeyItem | undefined>> {
  const ids = rows.map(idOf);
  const listed = rows.filter(({ kind }) => kind === "instance").map(idOf);
  const items = await table.getMany([
    ...ids.map((keyId) => kinds.apiKey.key({ keyId })),
    ...listed.map((keyId) => kinds.keyList.key({ keyId })),
  ]);
  const lists = new Map(listed.map((keyId, index) => [keyId, items[ids.length + index]]));
  return ids.map((keyId, index) => {
    const item = items[index];
    return item && withList(parseKey(item), lists.get(keyId));
  });
}

/** All rows that list a key: in the directory of all keys, and at its places. */
export const keyRowWrites = (key: KeyItem): Put[] =>
  [kinds.keyDirectory.key({ keyId: key.id }), ...placesOf(key)].map((row) => ({
    put: { ...row, kind: key.kind },
  }));

/** Yields the keys of these rows page by page, because a directory may be larger than the memory. */
export async function* keysOfRows(table: Table, range: Range, idOf: IdOf): AsyncGenerator<KeyItem[]> {
  for await (const rows of queryPages(table, { ...range, pageItems: keyLimits.rowsReadTogether }))
    yield (await readKeys(table, rows, idOf)).filter((key) => key !== undefined);
}

export const keysOfDirectory = (table: Table): AsyncGenerator<KeyItem[]> =>
  keysOfRows(table, kinds.keyDirectory.range(), idInDirectory);

/** The keys that belong to one organization, and the instance keys whose home it is. */
export async function keysOfOrganization(table: Table, organization: string): Promise<KeyItem[]> {
  const range = kinds.keyRow.range({ tenant: organizationTenant(organization) });
  return (await Array.fromAsync(keysOfRows(table, range, keyOfRow))).flat();
}
