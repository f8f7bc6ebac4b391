import * as kinds from "../../lib/contract/items.ts";
import type { Item, Key, Table } from "../../lib/store/table.ts";

/** Every item of the table, in the order of its keys. */
export async function scanAll(table: Table): Promise<Item[]> {
  const items: Item[] = [];
  let resume: Key | undefined;
  do {
    const page = await table.scanPage({}, resume);
    items.push(...page.items);
    resume = page.resume;
  } while (resume);
  return items.sort((one, other) => (`${one.pk}\0${one.sk}` < `${other.pk}\0${other.sk}` ? -1 : 1));
}

const limitPartitions = kinds.limit.key({ bucket: "", owner: "" }).pk.slice(0, -1);

/** Operations share windows of ten calls: now all windows are empty. */
export async function emptyWindows(table: Table): Promise<void> {
  const windows = (await scanAll(table)).filter(({ pk }) => pk.startsWith(limitPartitions));
  await table.writeMany(windows.map(({ pk, sk }) => ({ delete: { pk, sk } })));
}
