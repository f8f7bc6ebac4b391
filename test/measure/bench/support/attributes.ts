import { marshall } from "@aws-sdk/util-dynamodb";
import type { AttributeValue } from "../../../../lib/store/table.ts";

/** A value as DynamoDB writes it in JSON: bytes are base64. */
export type Attribute =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly B: string }
  | { readonly L: readonly Attribute[] }
  | { readonly M: Attributes };
export type Attributes = { readonly [name: string]: Attribute };

export function toAttributes(values: { readonly [name: string]: AttributeValue | undefined }): Attributes {
  const marshalled = marshall(values, { removeUndefinedValues: true, allowImpreciseNumbers: true });
  // The same as JSON, which the engines' files and stubs contain.
  return JSON.parse(JSON.stringify(marshalled, inBase64));
}

const inBase64 = (_: string, value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
