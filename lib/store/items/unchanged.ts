import type { Condition, Item } from "../table.ts";

/** Takes the item as the table returned it: a parsed item has defaults that the stored one does not have. */
export function unchanged(item: Item | undefined, attributes: readonly [string, ...string[]]): Condition {
  if (item === undefined) return { absent: "pk" };
  return {
    all: attributes.map((name) => {
      const value = item[name];
      return value === undefined ? { absent: name } : { equals: [name, value] as const };
    }),
  };
}
