import { certain } from "../runtime/certain.ts";
import type { Value } from "./table.ts";

/** A value as DynamoDB writes it in JSON. Its sets are missing: none of our items has one. */
export type Attribute =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly B: string }
  | { readonly L: readonly Attribute[] }
  | { readonly M: Attributes };
export type Attributes = { readonly [name: string]: Attribute };

type Values = { readonly [name: string]: Value | undefined };

/** What is undefined is left out. */
export function toAttributes(values: Values): Attributes {
  const entries: Array<[string, Attribute]> = [];
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) entries.push([name, toAttribute(value)]);
  // Unlike assignment this makes a member of any name, also of `__proto__`.
  return Object.fromEntries(entries);
}

export function toAttribute(value: Value): Attribute {
  if (value === null) return { NULL: true };
  switch (typeof value) {
    case "string":
      return { S: value };
    case "boolean":
      return { BOOL: value };
    case "number":
      if (!Number.isFinite(value)) throw new RangeError("DynamoDB stores finite numbers only.");
      return { N: String(value) };
  }
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString("base64") };
  return isList(value) ? { L: value.map(toAttribute) } : { M: toAttributes(value) };
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/** A page has thousands of attributes: nothing is made on the way that is thrown away again. */
export function fromAttributes(attributes: Attributes): Record<string, Value> {
  const values: Record<string, Value> = {};
  for (const name in attributes) {
    const value = fromAttribute(certain(attributes[name], "value of the attribute"));
    // Only as a definition is that name a member like any other.
    if (name === "__proto__") Object.defineProperty(values, name, { ...member, value });
    else values[name] = value;
  }
  return values;
}
const member = { enumerable: true, configurable: true, writable: true };

export function fromAttribute(attribute: Attribute): Value {
  if ("S" in attribute) return attribute.S;
  if ("N" in attribute) return Number(attribute.N);
  if ("M" in attribute) return fromAttributes(attribute.M);
  if ("L" in attribute) return attribute.L.map(fromAttribute);
  if ("BOOL" in attribute) return attribute.BOOL;
  if ("NULL" in attribute) return null;
  if ("B" in attribute) return bytesOf(attribute.B);
  throw new TypeError(`The table holds an attribute of another kind: ${Object.keys(attribute)}.`);
}

/** Plain bytes over the buffer's memory: a Buffer would show itself as something else in JSON and in comparisons. */
function bytesOf(base64: string): Uint8Array {
  const { buffer, byteOffset, byteLength } = Buffer.from(base64, "base64");
  return new Uint8Array(buffer, byteOffset, byteLength);
}
