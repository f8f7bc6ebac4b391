/** Knows only the JSON Schema keywords that our document uses. */

export type Node = { readonly [name: string]: unknown };
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const asNode = (value: unknown): Node => (isNode(value) ? value : {});
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Requests may only become wider, responses only narrower. */
export type Direction = "request" | "answer";

export function schemaChanges(direction: Direction, old: Node, now: Node, at = ""): string[] {
  const say = (what: string) => `${at || "the whole"}: ${what}`;
  const [before, after] = [variantsOf(old), variantsOf(now)];
  const [wider, narrower] = direction === "request" ? [after, before] : [before, after];
  const [onlyBefore, onlyAfter] = [single(before), single(after)];
  if (!onlyBefore || !onlyAfter)
    return narrower.every((each) => wider.some((one) => covers(direction, one, each)))
      ? []
      : [say("its alternatives changed")];
  return simpleChanges(direction, onlyBefore, onlyAfter, at);
}

const single = (schemas: readonly Node[]): Node | undefined =>
  schemas.length === 1 ? schemas[0] : undefined;

/** Compares schemas without alternatives. */
function simpleChanges(direction: Direction, old: Node, now: Node, at: string): string[] {
  const [wide, narrow] = direction === "request" ? [now, old] : [old, now];
  const say = (what: string) => `${at || "the whole"}: ${what}`;
  const within = (name: string, suffix: string, known: Node = {}) =>
    name in old || name in now
      ? schemaChanges(
          direction,
          { ...known, ...asNode(old[name]) },
          { ...known, ...asNode(now[name]) },
          `${at}${suffix}`,
        )
      : [];
  return [
    ...(takesTypesOf(wide, narrow) ? [] : [say("its type changed")]),
    ...valueChanges(wide, narrow).map(say),
    ...(direction === "request" ? [...boundChanges(old, now), ...defaultChanges(old, now)].map(say) : []),
    ...(old.format !== now.format && wide.format !== undefined ? [say("its format changed")] : []),
    ...propertyChanges(direction, old, now, at),
    ...otherPropertyChanges(direction, old, now, at),
    ...within("propertyNames", "{name}", { type: "string" }),
    ...within("items", "[]"),
  ];
}

/** Whether everything that `narrow` describes is also described by `wide`. */
const covers = (direction: Direction, wide: Node, narrow: Node): boolean =>
  (direction === "request" ? schemaChanges(direction, narrow, wide) : schemaChanges(direction, wide, narrow))
    .length === 0;

function variantsOf(schema: Node): readonly Node[] {
  const variants = [...asList(schema.anyOf), ...asList(schema.oneOf)].map(asNode);
  if (variants.length > 0)
    return variants.map((variant) => ({ ...schema, anyOf: undefined, oneOf: undefined, ...variant }));
  const types = asList(schema.type);
  return types.length > 1 ? types.map((type) => ({ ...schema, type })) : [schema];
}

const typesOf = (schema: Node): readonly unknown[] =>
  schema.type === undefined ? (valuesOf(schema) ?? []).map(typeOf) : [schema.type].flat();

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** A schema without a type allows every type. */
function takesTypesOf(wide: Node, narrow: Node): boolean {
  const [taken, given] = [typesOf(wide), typesOf(narrow)];
  if (taken.length === 0) return true;
  return (
    given.length > 0 && given.every((type) => taken.includes(type === "integer" ? numeric(taken) : type))
  );
}
const numeric = (taken: readonly unknown[]) => (taken.includes("number") ? "number" : "integer");

const valuesOf = (schema: Node): readonly unknown[] | undefined =>
  "const" in schema ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : undefined;

function valueChanges(wide: Node, narrow: Node): string[] {
  const [allowed, used] = [valuesOf(wide), valuesOf(narrow)];
  if (!allowed) return [];
  if (!used) return ["it is no longer one of a list, or has become one"];
  return used
    .filter((value) => !allowed.includes(value))
    .map((value) => `the value ${JSON.stringify(value)}`);
}

const lowerBounds = ["minimum", "minLength", "minItems"];
const upperBounds = ["maximum", "maxLength", "maxItems"];

function boundChanges(old: Node, now: Node): string[] {
  const bound = (schema: Node, name: string, none: number) =>
    typeof schema[name] === "number" ? schema[name] : none;
  return [
    ...lowerBounds.filter((name) => bound(now, name, -Infinity) > bound(old, name, -Infinity)),
    ...upperBounds.filter((name) => bound(now, name, Infinity) < bound(old, name, Infinity)),
    ...(now.pattern !== undefined && now.pattern !== old.pattern ? ["pattern"] : []),
  ].map((name) => `a narrower ${name}`);
}

/** A caller who omits a field must get the same result as before. */
const defaultChanges = (old: Node, now: Node): string[] =>
  JSON.stringify(old.default) === JSON.stringify(now.default) ? [] : ["its default changed"];

/** Names that are not listed as properties. Readers ignore unknown names, so a response may have more of them. */
function otherPropertyChanges(direction: Direction, old: Node, now: Node, at: string): string[] {
  const [before, after] = [old.additionalProperties, now.additionalProperties];
  const isTaken = (allowed: unknown) => allowed !== false;
  if (direction === "request" ? !isTaken(before) : !isNode(before)) return [];
  if (!isTaken(after)) return [`${at || "the whole"}: has no other names any more`];
  if (!isNode(before) && !isNode(after)) return [];
  return schemaChanges(direction, asNode(before), asNode(after), `${at}.*`);
}

function propertyChanges(direction: Direction, old: Node, now: Node, at: string): string[] {
  const [before, after] = [asNode(old.properties), asNode(now.properties)];
  const path = (name: string) => (at ? `${at}.${name}` : name);
  const required = (schema: Node, name: string) => asList(schema.required).includes(name);
  const kept = Object.keys(before).filter((name) => name in after);
  const gone = Object.keys(before).filter((name) => !(name in after));
  const newlyRequired = Object.keys(after).filter((name) => required(now, name) && !required(old, name));
  const noLongerSure = kept.filter((name) => required(old, name) && !required(now, name));
  return [
    ...gone.map((name) => `${path(name)}: is gone`),
    ...(direction === "request"
      ? newlyRequired.map((name) => `${path(name)}: is required now`)
      : noLongerSure.map((name) => `${path(name)}: may be missing now`)),
    ...kept.flatMap((name) =>
      schemaChanges(direction, asNode(before[name]), asNode(after[name]), path(name)),
    ),
  ];
}
