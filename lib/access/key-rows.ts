import * as kinds from "../contract/items.ts";
import { isOf } from "../contract/kind.ts";
import { keyLimits } from "../contract/limits.ts";
import { organizationTenant } from "../contract/tenants.ts";
import { type KeyItem, parseKey } from "../store/items/key.ts";
import { keyOfRow } from "../store/layout.ts";
import { type Key, type Put, queryPages, type Range, type Table } from "../store/table.ts";

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

/** All rows that list a key: in the directory of all keys, and at its places. */
export const keyRowWrites = (key: KeyItem): Put[] =>
  [kinds.keyDirectory.key({ keyId: key.id }), ...placesOf(key)].map((row) => ({
    put: { ...row, kind: key.kind },
  }));

export const keyIdOfRow = (row: Key): string => (isOf(kinds.keyRow, row) ? keyOfRow(row) : row.sk);

/** Yields the keys of these rows page by page, because a directory may be larger than the memory. */
export const keysOfRows = (table: Table, range: Range): AsyncGenerator<KeyItem[]> =>
  keysOf(table, range, keyIdOfRow);

export const keysOfDirectory = (table: Table): AsyncGenerator<KeyItem[]> =>
  keysOf(table, kinds.keyDirectory.range(), ({ sk }) => sk);

async function* keysOf(table: Table, range: Range, idOf: (row: Key) => string): AsyncGenerator<KeyItem[]> {
  for await (const rows of queryPages(table, { ...range, pageItems: keyLimits.rowsReadTogether })) {
    const items = await table.getMany(rows.map((row) => kinds.apiKey.key({ keyId: idOf(row) })));
    yield items.filter((item) => item !== undefined).map(parseKey);
  }
}

/** The keys that belong to one organization, and the instance keys whose home it is. */
export async function keysOfOrganization(table: Table, organization: string): Promise<KeyItem[]> {
  const range = kinds.keyRow.range({ tenant: organizationTenant(organization) });
  return (await Array.fromAsync(keysOfRows(table, range))).flat();
}
