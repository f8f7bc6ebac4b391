import { describeError, log } from "../../runtime/log.ts";
import type { Item } from "../table.ts";
import { CorruptItem } from "./parse.ts";

/** Returns the parsed item, or undefined if it is damaged: one bad item must not stop the walk over all others. */
export function unlessDamaged<Parsed>(
  parse: (item: Item) => Parsed,
  item: Item,
  who: string,
): Parsed | undefined {
  try {
    return parse(item);
  } catch (error) {
    if (!(error instanceof CorruptItem)) throw error;
    log("error", `${who} skipped a damaged item.`, { cause: describeError(error) });
    return undefined;
  }
}
