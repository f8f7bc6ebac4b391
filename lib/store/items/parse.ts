import * as z from "zod";
import { isTenantKey, type TenantKey } from "../../contract/tenants.ts";
import type { Item } from "../table.ts";

/** The stored item is not what the service wrote: a bug, or somebody else changed it. Never the caller's fault. */
export class CorruptItem extends Error {
  override readonly name = "CorruptItem";
}

/** The schema of an item: its key and these attributes. */
export const itemSchema = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object({ pk: z.string(), sk: z.string(), ...shape });

/** Items are parsed like any other input. The message names the item and the field, never a value. */
export function parseItem<Schema extends z.ZodType>(
  kind: string,
  schema: Schema,
): (item: Item) => z.output<Schema> {
  return (item) => {
    const parsed = schema.safeParse(item);
    if (parsed.success) return parsed.data;
    const fields = parsed.error.issues.map((issue) => issue.path.join(".") || "item").join(", ");
    throw new CorruptItem(`The ${kind} at ${item.pk} / ${item.sk} is damaged in: ${fields}.`);
  };
}

/** Returns the damage instead of throwing it. Other errors are bugs, and are thrown. */
export function parsedOrDamage<Parsed>(parse: (item: Item) => Parsed, item: Item): Parsed | CorruptItem {
  try {
    return parse(item);
  } catch (error) {
    if (error instanceof CorruptItem) return error;
    throw error;
  }
}

export const tenantKeySchema = z.custom<TenantKey>(
  (value) => typeof value === "string" && isTenantKey(value),
);
