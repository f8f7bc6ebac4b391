import * as kinds from "../contract/items.ts";
import { eventLimits } from "../contract/limits.ts";
import { chunksOf } from "../runtime/chunks.ts";
import { CorruptItem, parsedOrDamage } from "../store/items/parse.ts";
import {
  parseWaiting,
  parseWaitingByAge,
  type WaitingByAgeItem,
  type WaitingItem,
} from "../store/items/waiting.ts";
import { waitingKey } from "../store/layout.ts";
import { queryAll, type Table } from "../store/table.ts";

/** The oldest first. Damaged rows are left out: the scheduled worker reports them. */
export async function* waitingRows(table: Table): AsyncGenerator<WaitingByAgeItem> {
  for await (const item of queryAll(table, kinds.waitingByAge.range())) {
    const row = parsedOrDamage(parseWaitingByAge, item);
    if (!(row instanceof CorruptItem)) yield row;
  }
}

export const waitingEventId = ({ sk, since }: WaitingByAgeItem): string => sk.slice(since.length + 1);

export type WaitingEvent = { readonly row: WaitingByAgeItem; readonly item: WaitingItem };

/** The waiting events of these rows, a few at a time because each may be large. Some may have been applied meanwhile. */
export async function* readWaitingEvents(
  table: Table,
  rows: readonly WaitingByAgeItem[],
): AsyncGenerator<WaitingEvent> {
  for (const some of chunksOf(rows, eventLimits.waitingPageItems)) {
    const items = await table.getMany(some.map((row) => waitingKey(row.dependency, row.version)));
    for (const [index, row] of some.entries()) {
      const stored = items[index];
      const item = stored && parsedOrDamage(parseWaiting, stored);
      if (item && !(item instanceof CorruptItem)) yield { row, item };
    }
  }
}
