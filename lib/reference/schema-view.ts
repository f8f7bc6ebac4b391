import { required } from "../runtime/required.ts";
import type { JsonSchema } from "./document.ts";
import { escaped, inline } from "./html.ts";

export type Field = {
  /** The path in code syntax: data[].findings[].severity. */
  readonly path: string;
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly fields: readonly Field[];
};

/** The fields of a schema; the fields of nested objects are inside them. */
export function schemaFieldsOf(schema: JsonSchema, parent = ""): Field[] {
  const { schema: inner, step } = insideOf(schema);
  const before = `${parent}${step}`;
  return Object.entries(inner.properties ?? {}).map(([name, each]) => {
    const path = before === "" ? name : `${before}.${name}`;
    const required = inner.required?.includes(name) ?? false;
    return { path, name, schema: each, required, fields: schemaFieldsOf(each, path) };
  });
}

type Inside = { readonly schema: JsonSchema; readonly step: string };

/** An array is shown as its items, and a choice of several objects as one object with all their properties. */
function insideOf(schema: JsonSchema): Inside {
  if (schema.items) {
    const inner = insideOf(schema.items);
    return { schema: inner.schema, step: `[]${inner.step}` };
  }
  const choices = schema.anyOf?.filter(({ type }) => type !== "null").map(insideOf) ?? [];
  const [first] = choices;
  if (!first) return { schema, step: "" };
  const properties = Object.assign({}, ...choices.map((choice) => choice.schema.properties ?? {}));
  const required = Object.keys(properties).filter((name) =>
    choices.every((choice) => choice.schema.required?.includes(name)),
  );
  return { schema: { properties, required }, step: first.step };
}

export const allFields = (fields: readonly Field[]): Field[] =>
  fields.flatMap((field) => [field, ...allFields(field.fields)]);

/** The type in words, such as "array of strings" or "date or null". */
export function typeName(schema: JsonSchema): string {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeName))].join(" or ");
  if (schema.items) return `array of ${plural(typeName(schema.items))}`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (typeof schema.additionalProperties === "object") return "map";
  const format = schema.format && formatNames[schema.format];
  return format ?? [schema.type ?? "any"].flat().join(" or ");
}

const formatNames: Readonly<Record<string, string>> = {
  date: "date",
  "date-time": "timestamp",
  uuid: "UUID",
  uri: "URL",
  email: "e-mail address",
};

const plural = (name: string): string => (/^[\w-]+$/.test(name) ? `${name}s` : name);

/** The restrictions of a value, beyond its type. A maximum that every JavaScript integer has is left out. */
export function boundsOf(schema: JsonSchema): string[] {
  const inner = schema.anyOf?.find(({ type }) => type !== "null") ?? schema;
  const values = inner.items?.enum ?? inner.enum;
  return [
    ...(values ? [`One of ${values.map((value) => `\`${String(value)}\``).join(", ")}.`] : []),
    range(inner.minimum, inner.maximum === Number.MAX_SAFE_INTEGER ? undefined : inner.maximum, ""),
    range(inner.minLength === 1 ? undefined : inner.minLength, inner.maxLength, " characters"),
    range(inner.minItems, inner.maxItems, " items"),
    ...(schema.default === undefined ? [] : [`Default \`${JSON.stringify(schema.default)}\`.`]),
  ].filter((words) => words !== "");
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  const shown = (value: number) => value.toLocaleString("en-US");
  if (min !== undefined && max !== undefined) return `${shown(min)} to ${shown(max)}${unit}.`;
  if (max !== undefined) return `At most ${shown(max)}${unit}.`;
  return min !== undefined && min > 0 ? `At least ${shown(min)}${unit}.` : "";
}

/** `place` makes the anchors of one page unique: the same name may be in the request and in the response. */
export const fieldsHtml = (fields: readonly Field[], place: string): string =>
  fields.length === 0
    ? ""
    : `<ul class="fields">\n${fields.map((field) => fieldHtml(field, place)).join("\n")}\n</ul>`;

export const fieldAnchor = (place: string, path: string): string =>
  `${place}-${path.replaceAll(/[^\w.]/g, "")}`;

export const headerAnchor = (status: string, name: string): string =>
  `header-${status}-${name.toLowerCase()}`;

function fieldHtml(field: Field, place: string): string {
  const { name, path, schema, required: isRequired, fields } = field;
  return [
    `<li id="${fieldAnchor(place, path)}">`,
    fieldHead(name, typeName(schema), isRequired, place !== "answer"),
    wordsHtml(schema, required(schema.description, `description of ${path}`)),
    fieldsHtml(fields, place),
    "</li>",
  ].join("");
}

/** A response has every field except those marked optional; a request needs only those marked required. */
export function fieldHead(name: string, type: string, required: boolean, isRequest: boolean): string {
  const mark = isRequest
    ? required && '<span class="mark required">required</span>'
    : !required && '<span class="mark">optional</span>';
  return `<p class="head"><code class="name">${escaped(name)}</code> <span class="type">${escaped(type)}</span> ${mark || ""}</p>`;
}

export function wordsHtml(schema: JsonSchema, description: string): string {
  const bounds = boundsOf(schema).filter((words) => !saysAlready(description, words));
  return `<p>${inline([description, ...bounds].join(" "))}</p>`;
}

/** The description may already name every value and its meaning; the list would only repeat it. */
function saysAlready(description: string, words: string): boolean {
  if (words.startsWith("At most")) return description.includes("At most");
  if (!words.startsWith("One of")) return description.includes(words.replace(/\.$/, ""));
  return [...words.matchAll(/`[^`]*`/g)].every(([value]) => description.includes(value));
}
