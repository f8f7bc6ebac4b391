import { keyLimits } from "../contract/limits.ts";
import type { KeyItem } from "../store/items/key.ts";
import { parseKey } from "../store/items/key.ts";
import {
  apiKeyKey,
  keyDirectoryKey,
  keyDirectoryRange,
  keyOfRow,
  keyRowsPrefix,
  organizationKeyRow,
  tenantKeyRow,
} from "../store/layout.ts";
import type { Item, Key, Put, Range, Table } from "../store/table.ts";

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

/** The keys of these rows, a page at a time: a directory may be larger than the memory. */
export async function* keysOfRows(
  table: Table,
  range: Range,
  isWanted: (row: Item) => boolean = () => true,
): AsyncGenerator<KeyItem[]> {
  const idOf = ({ sk }: Key) => (sk.startsWith(keyRowsPrefix) ? keyOfRow(sk) : sk);
  for await (const rows of pagesOf(table, range)) {
    const items = await table.getMany(rows.filter(isWanted).map((row) => apiKeyKey(idOf(row))));
    yield items.filter((item) => item !== undefined).map(parseKey);
  }
}

async function* pagesOf(table: Table, range: Range): AsyncGenerator<readonly Item[]> {
  let resume: Key | undefined;
  do {
    const page = await table.queryPage({ ...range, pageItems: keyLimits.rowsReadTogether }, resume);
    yield page.items;
    resume = page.resume;
  } while (resume);
}

/** Of keys of the first release, until `listOldKeys` has been there. */
export const isUnlisted = ({ listed }: Item): boolean => listed !== true;

/**
 * Keys of the first release stand in the directory only: this lists them with their organizations and tenants too.
 * Safe to run at any time and twice at once, and cheap once it is done. Answers how many it listed.
 */
export async function listOldKeys({ table }: { readonly table: Table }): Promise<number> {
  let listed = 0;
  for await (const keys of keysOfRows(table, keyDirectoryRange, isUnlisted)) {
    // The directory's own rows last: one that is cut off begins again with what is not listed.
    const writes = keys.map(rowsOf);
    await table.writeMany(writes.flatMap(([, ...places]) => places));
    await table.writeMany(writes.flatMap(([directory]) => directory ?? []));
    listed += keys.length;
  }
  return listed;
}
