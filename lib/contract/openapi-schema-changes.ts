/** What one schema takes or gives that another did not. Only the words that our document uses. */

export type Node = { readonly [name: string]: unknown };
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const node = (value: unknown): Node => (isNode(value) ? value : {});
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Requests may only become wider, answers only narrower. */
export type Direction = "request" | "answer";

export function schemaChanges(direction: Direction, old: Node, now: Node, at = ""): string[] {
  const [wide, narrow] = direction === "request" ? [now, old] : [old, now];
  const say = (what: string) => `${at || "the whole"}: ${what}`;
  const variants = variantsOf(old).length > 1 || variantsOf(now).length > 1;
  if (variants)
    return variantsOf(narrow).every((each) => variantsOf(wide).some((one) => covers(direction, one, each)))
      ? []
      : [say("its alternatives changed")];
  return [
    ...(typesOf(narrow).some((type) => !takesType(wide, type)) ? [say("its type changed")] : []),
    ...valueChanges(wide, narrow).map(say),
    ...(direction === "request" ? boundChanges(old, now).map(say) : []),
    ...(old.format !== now.format && wide.format !== undefined ? [say("its format changed")] : []),
    ...propertyChanges(direction, old, now, at),
    ...(old.items && now.items ? schemaChanges(direction, node(old.items), node(now.items), `${at}[]`) : []),
  ];
}

/** Whether everything that `narrow` describes is also described by `wide`. */
const covers = (direction: Direction, wide: Node, narrow: Node): boolean =>
  (direction === "request" ? schemaChanges(direction, narrow, wide) : schemaChanges(direction, wide, narrow))
    .length === 0;

function variantsOf(schema: Node): readonly Node[] {
  const variants = [...list(schema.anyOf), ...list(schema.oneOf)].map(node);
  if (variants.length > 0)
    return variants.map((variant) => ({ ...schema, anyOf: undefined, oneOf: undefined, ...variant }));
  const types = list(schema.type);
  return types.length > 1 ? types.map((type) => ({ ...schema, type })) : [schema];
}

const typesOf = ({ type }: Node): readonly unknown[] => (type === undefined ? [] : [type].flat());
const takesType = (schema: Node, type: unknown): boolean =>
  typesOf(schema).length === 0 ||
  typesOf(schema).includes(type) ||
  (type === "integer" && typesOf(schema).includes("number"));

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

function propertyChanges(direction: Direction, old: Node, now: Node, at: string): string[] {
  const [before, after] = [node(old.properties), node(now.properties)];
  const path = (name: string) => (at ? `${at}.${name}` : name);
  const required = (schema: Node, name: string) => list(schema.required).includes(name);
  const kept = Object.keys(before).filter((name) => name in after);
  const gone = Object.keys(before).filter((name) => !(name in after));
  const newlyRequired = Object.keys(after).filter((name) => required(now, name) && !required(old, name));
  const noLongerSure = kept.filter((name) => required(old, name) && !required(now, name));
  return [
    ...gone.map((name) => `${path(name)}: is gone`),
    ...(direction === "request"
      ? newlyRequired.map((name) => `${path(name)}: is required now`)
      : noLongerSure.map((name) => `${path(name)}: may be missing now`)),
    ...kept.flatMap((name) => schemaChanges(direction, node(before[name]), node(after[name]), path(name))),
  ];
}
