import type { Chance } from "../../../lib/runtime/chance.ts";
import type { Schema } from "./document.ts";

export const oneOf = <Element>(chance: Chance, elements: readonly Element[]): Element => {
  const element = elements[chance.below(elements.length)];
  if (element === undefined) throw new Error("There is nothing to choose from.");
  return element;
};
export const maybe = (chance: Chance, percent: number): boolean => chance.below(100) < percent;

const alphabets = [
  "abcdefghijklmnopqrstuvwxyz0123456789",
  "ABCxyz-_.~!$'()*:@/?#[]{}|\\^`<>\"%&=;",
  "äöüßéñçøåÄÖÜ€£¥",
  "漢字仮名한글ไทยعربىעברית",
  "😀🧪🦀👩‍💻🏳️‍🌈",
];

/** Text without a space at its ends: what is counted after trimming is then what was sent. */
export function textOf(
  chance: Chance,
  min: number,
  max: number,
  bytesMax = Number.POSITIVE_INFINITY,
): string {
  const letters = [...oneOf(chance, alphabets)];
  const wanted = oneOf(chance, [min, max, min + chance.below(Math.max(1, Math.min(max, 40) - min + 1))]);
  const points = Array.from({ length: wanted }, () => oneOf(chance, letters));
  while (Buffer.byteLength(points.join("")) > bytesMax) points.pop();
  return points.join("");
}

/** Ids and e-mail addresses are counted in bytes, and the document says so. */
export const bytesMaxOf = ({ description, maxLength }: Schema): number | undefined =>
  description?.includes("bytes of UTF-8") ? maxLength : undefined;

/** Where the document says that a part of the text does not count, the words tell what does. */
export const charactersMaxOf = ({ description, maxLength }: Schema): number | undefined => {
  const counted = /At most (\d+) characters;/.exec(description ?? "")?.[1];
  return counted === undefined ? maxLength : Number(counted);
};

export const digits = (chance: Chance, min: number, max: number): string =>
  String(oneOf(chance, [min, max, min + chance.below(max - min + 1)]));

export const dayOf = (chance: Chance): string =>
  `${2000 + chance.below(40)}-${pad(1 + chance.below(12))}-${pad(1 + chance.below(28))}`;

const pad = (number: number): string => String(number).padStart(2, "0");

const instantOf = (chance: Chance): string =>
  `${dayOf(chance)}T${pad(chance.below(24))}:${pad(chance.below(60))}:${pad(chance.below(60))}${oneOf(chance, ["Z", ".123Z", "+05:30", "-11:00"])}`;

export function uuidOf(chance: Chance): string {
  return maybe(chance, 30) ? chance.uuid().toUpperCase() : chance.uuid();
}

/** A value that the schema allows. */
export function validValue(schema: Schema, chance: Chance): unknown {
  if (schema.enum) return oneOf(chance, schema.enum);
  if (schema.type === "boolean") return maybe(chance, 50);
  if (schema.type === "integer") return Number(digits(chance, schema.minimum ?? 0, schema.maximum ?? 1));
  if (schema.type === "array") return validArray(schema, chance);
  if (schema.type === "object") return validObject(schema, chance);
  if (schema.type === "null") return null;
  if (schema.format === "uuid") return uuidOf(chance);
  if (schema.format === "date") return dayOf(chance);
  if (schema.format === "uri") return urlOf(chance, charactersMaxOf(schema) ?? 30);
  if (schema.anyOf?.some(({ format }) => format === "date-time"))
    return maybe(chance, 50) ? dayOf(chance) : instantOf(chance);
  if (schema.anyOf) return validValue(oneOf(chance, schema.anyOf), chance);
  const text = textOf(chance, schema.minLength ?? 1, charactersMaxOf(schema) ?? 30, bytesMaxOf(schema));
  return schema.description?.includes("invisible") ? text.replaceAll(/[\u200d\ufe0f]/g, "x") : text;
}

/** A full one seldom: every element costs a write. */
function validArray({ items = {}, minItems = 0, maxItems = 3 }: Schema, chance: Chance): unknown[] {
  const few = minItems + chance.below(Math.min(maxItems, 4) - minItems + 1);
  const length = maybe(chance, 5) ? maxItems : few;
  return Array.from({ length }, () => validValue(items, chance));
}

/** Short, or as long as it may be. */
function urlOf(chance: Chance, charactersMax: number): string {
  const url = `https://example.com/${chance.below(1_000)}?q=%20#f`;
  return maybe(chance, 50) ? url : url.padEnd(charactersMax, "f");
}

export function validObject(
  { properties = {}, required = [] }: Schema,
  chance: Chance,
): Record<string, unknown> {
  const chosen = Object.entries(properties).filter(([name]) => required.includes(name) || maybe(chance, 50));
  return Object.fromEntries(chosen.map(([name, schema]) => [name, validValue(schema, chance)]));
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
