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
 * The rows that list a key: under its organization (an instance key under its home, whose roles it uses), and under its
 * workspace or instance if it reaches more than one organization.
 */
const placesOf = ({ id, kind, organization, tenant }: KeyItem): Key[] => [
  ...(organization === null ? [] : [organizationKeyRow(organization, id)]),
  ...(kind === "workspace" || kind === "instance" ? [tenantKeyRow(tenant, id)] : []),
];

const placeWrites = (key: KeyItem): Put[] =>
  placesOf(key).map((place) => ({ put: { ...place, kind: key.kind } }));

/** `listed` means that the rows of its organization and tenant exist. */
const directoryWrite = ({ id, kind }: KeyItem): Put => ({
  put: { ...keyDirectoryKey(id), kind, listed: true },
});

/** All rows that list a key. */
export const keyRowWrites = (key: KeyItem): Put[] => [directoryWrite(key), ...placeWrites(key)];

/** Yields the keys of these rows page by page, because a directory may be larger than the memory. */
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

/** True for keys of the first release that `listOldKeys` has not listed yet. */
export const isUnlisted = ({ listed }: Item): boolean => listed !== true;

/**
 * Keys of the first release are in the directory only. This also lists them under their organizations and tenants. It
 * is safe to run at any time and twice at once, and cheap after all keys are listed. Returns how many it listed.
 */
export async function listOldKeys({ table }: { readonly table: Table }): Promise<number> {
  let listed = 0;
  for await (const keys of keysOfRows(table, keyDirectoryRange, isUnlisted)) {
    // The directory's own rows come last, so that an interrupted run starts again with the keys that are not listed.
    await table.writeMany(keys.flatMap(placeWrites));
    await table.writeMany(keys.map(directoryWrite));
    listed += keys.length;
  }
  return listed;
}
