import { describeError, log } from "../../runtime/log.ts";
import type { Item } from "../table.ts";
import { CorruptItem } from "./parse.ts";

/** What the table holds, or undefined where it is damaged: one bad item must not stop the walk over all others. */
export function unlessDamaged<Parsed>(
  parse: (item: Item) => Parsed,
  item: Item,
  who: string,
): Parsed | undefined {
  try {
    return parse(item);
  } catch (error) {
    if (!(error instanceof CorruptItem)) throw error;
    log("error", `${who} passed over a damaged item.`, { cause: describeError(error) });
    return undefined;
  }
}
