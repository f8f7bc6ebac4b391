import type { Condition, Item } from "../table.ts";

/**
 * The item still stands as it was read, in these attributes. Takes the item as the table gave it: a parsed
 * one has defaults that the table has not.
 */
export function unchanged(item: Item | undefined, attributes: readonly [string, ...string[]]): Condition {
  if (item === undefined) return { absent: "pk" };
  return {
    all: attributes.map((name) => {
      const value = item[name];
      return value === undefined ? { absent: name } : { equals: [name, value] as const };
    }),
  };
}
