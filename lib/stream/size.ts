import type { AttributeValue } from "../store/table.ts";

/** Roughly as DynamoDB counts: names and text in UTF-8, numbers by digits, containers 3 + 1 each. */
export function sizeOf(value: AttributeValue | undefined): number {
  if (value === undefined) return 0;
  if (value === null || typeof value === "boolean") return 1;
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value === "number") return Math.ceil(String(value).length / 2) + 1;
  if (value instanceof Uint8Array) return value.length;
  if (isList(value)) return value.reduce<number>((sum, each) => sum + 1 + sizeOf(each), 3);
  let sum = 3;
  for (const name in value) sum += 1 + Buffer.byteLength(name) + sizeOf(value[name]);
  return sum;
}

/** Array.isArray does not narrow read-only arrays. */
const isList = (value: AttributeValue): value is readonly AttributeValue[] => Array.isArray(value);
