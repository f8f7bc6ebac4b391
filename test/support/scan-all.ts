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
