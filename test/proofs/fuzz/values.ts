import type { Random } from "../../../lib/runtime/random.ts";
import type { Schema } from "./document.ts";

export const oneOf = <Element>(random: Random, elements: readonly Element[]): Element => {
  const element = elements[random.below(elements.length)];
  if (element === undefined) throw new Error("There is nothing to choose from.");
  return element;
};
export const maybe = (random: Random, percent: number): boolean => random.below(100) < percent;

const alphabets = [
  "abcdefghijklmnopqrstuvwxyz0123456789",
  "ABCxyz-_.~!$'()*:@/?#[]{}|\\^`<>\"%&=;",
  "äöüßéñçøåÄÖÜ€£¥",
  "漢字仮名한글ไทยعربىעברית",
  "😀🧪🦀👩‍💻🏳️‍🌈",
];

/** Text without a space at its ends: the length after trimming then equals the length that was sent. */
export function textOf(
  random: Random,
  min: number,
  max: number,
  bytesMax = Number.POSITIVE_INFINITY,
): string {
  const letters = [...oneOf(random, alphabets)];
  const wanted = oneOf(random, [min, max, min + random.below(Math.max(1, Math.min(max, 40) - min + 1))]);
  const points = Array.from({ length: wanted }, () => oneOf(random, letters));
  while (Buffer.byteLength(points.join("")) > bytesMax) points.pop();
  return points.join("");
}

/** Ids and e-mail addresses are counted in bytes, and the document says so. */
export const bytesMaxOf = ({ description }: Schema): number | undefined => {
  const bytes = /At most (\d+) bytes of UTF-8/.exec(description ?? "")?.[1];
  return bytes === undefined ? undefined : Number(bytes);
};

/** Where the document says that a part of the text does not count, its words give the limit of the rest. */
export const charactersMaxOf = ({ description, maxLength }: Schema): number | undefined => {
  const counted = /At most (\d+) characters;/.exec(description ?? "")?.[1];
  return counted === undefined ? maxLength : Number(counted);
};

export const digits = (random: Random, min: number, max: number): string =>
  String(oneOf(random, [min, max, min + random.below(max - min + 1)]));

export const dayOf = (random: Random): string =>
  `${2000 + random.below(40)}-${pad(1 + random.below(12))}-${pad(1 + random.below(28))}`;

const pad = (number: number): string => String(number).padStart(2, "0");

const instantOf = (random: Random): string =>
  `${dayOf(random)}T${pad(random.below(24))}:${pad(random.below(60))}:${pad(random.below(60))}${oneOf(random, ["Z", ".123Z", "+05:30", "-11:00"])}`;

export function uuidOf(random: Random): string {
  return maybe(random, 30) ? random.uuid().toUpperCase() : random.uuid();
}

/** A value that the schema allows. */
export function validValue(schema: Schema, random: Random): unknown {
  if (schema.enum) return oneOf(random, schema.enum);
  if (schema.type === "boolean") return maybe(random, 50);
  if (schema.type === "integer") return Number(digits(random, schema.minimum ?? 0, schema.maximum ?? 1));
  if (schema.type === "number") return oneOf(random, [schema.minimum ?? 0, 0.5, schema.maximum ?? 1]);
  if (schema.type === "array") return validArray(schema, random);
  if (schema.type === "object") return validObject(schema, random);
  if (schema.type === "null") return null;
  if (schema.format === "uuid") return uuidOf(random);
  if (schema.format === "date") return dayOf(random);
  if (schema.format === "uri") return urlOf(random, charactersMaxOf(schema) ?? 30);
  if (schema.anyOf?.some(({ format }) => format === "date-time"))
    return maybe(random, 50) ? dayOf(random) : instantOf(random);
  if (schema.anyOf) return validValue(oneOf(random, schema.anyOf), random);
  const text = textOf(random, schema.minLength ?? 1, charactersMaxOf(schema) ?? 30, bytesMaxOf(schema));
  return schema.description?.includes("invisible") ? text.replaceAll(/[\u200d\ufe0f]/g, "x") : text;
}

/** Seldom full: every element costs a write. */
function validArray({ items = {}, minItems = 0, maxItems = 3 }: Schema, random: Random): unknown[] {
  const few = minItems + random.below(Math.min(maxItems, 4) - minItems + 1);
  const length = maybe(random, 5) ? maxItems : few;
  return Array.from({ length }, () => validValue(items, random));
}

/** Short, or as long as allowed. */
function urlOf(random: Random, charactersMax: number): string {
  const url = `https://example.com/${random.below(1_000)}?q=%20#f`;
  return maybe(random, 50) ? url : url.padEnd(charactersMax, "f");
}

export function validObject(
  { properties = {}, required = [] }: Schema,
  random: Random,
): Record<string, unknown> {
  const chosen = Object.entries(properties).filter(([name]) => required.includes(name) || maybe(random, 50));
  return Object.fromEntries(chosen.map(([name, schema]) => [name, validValue(schema, random)]));
}

const otherTypes: readonly unknown[] = [null, true, 0, -1.5, 1e308, "", "text", [], {}, [[]], { length: 1 }];

const typeOf = (value: unknown): string =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "array"
      : typeof value === "object"
        ? "object"
        : typeof value;

const allows = (schema: Schema, type: string): boolean =>
  schema.type === type ||
  (schema.type === "integer" && type === "number") ||
  (schema.anyOf?.some((each) => allows(each, type)) ?? false);

/** Values that the schema does not allow, each for one reason. */
export function invalidValues(schema: Schema): unknown[] {
  const wrong = otherTypes.filter((value) => !allows(schema, typeOf(value)));
  const inner = schema.anyOf?.find(({ type }) => type === "string") ?? schema;
  const { minLength = 0, minItems = 0, maxItems, items } = inner;
  const maxLength = charactersMaxOf(inner);
  if (inner.enum) wrong.push("", "other", `${inner.enum[0]} `, inner.enum[0]?.toUpperCase());
  if (allows(schema, "string") && !inner.enum) wrong.push("nul \u0000 inside", "lone \ud800 surrogate");
  if (schema.type === "integer")
    wrong.push(1.5, (schema.minimum ?? 0) - 1, (schema.maximum ?? Number.MAX_SAFE_INTEGER) + 1);
  if (schema.type === "number") wrong.push((schema.minimum ?? 0) - 0.1, (schema.maximum ?? 1) + 0.1);
  if (minLength > 0) wrong.push("");
  if (maxLength !== undefined) wrong.push("x".repeat(maxLength + 1));
  if (minItems > 0) wrong.push([]);
  if (maxItems !== undefined) wrong.push(Array.from({ length: maxItems + 1 }, () => "x"));
  if (schema.type === "array" && items?.type === "string")
    wrong.push(...invalidValues(items).map((element) => [element]), ["ok", null]);
  if (schema.type === "array" && items?.type === "object")
    wrong.push([null], ["text"], [{ surprise: 1 }], [{}]);
  return wrong;
}
