import { describeError, log } from "../../runtime/log.ts";
import type { Item } from "../table.ts";
import { CorruptItem, parsedOrDamage } from "./parse.ts";

/** Returns the parsed item, or undefined if it is damaged: one bad item must not stop the walk over all others. */
export function unlessDamaged<Parsed>(
  parse: (item: Item) => Parsed,
  item: Item,
  who: string,
): Parsed | undefined {
  const parsed = parsedOrDamage(parse, item);
  if (!(parsed instanceof CorruptItem)) return parsed;
  log("error", `${who} skipped a damaged item.`, { cause: describeError(parsed) });
  return undefined;
}
