import { isDeepStrictEqual } from "node:util";
import type { AttributeValue, Condition, Item, ItemChange, Key, Path } from "../../../../lib/store/table.ts";

/** Evaluates DynamoDB's expressions on plain items. */
const steps = (path: Path): readonly string[] => (typeof path === "string" ? [path] : path);

function valueAt(item: Item | undefined, path: Path): AttributeValue | undefined {
  let found: AttributeValue | undefined = item;
  for (const name of steps(path)) {
    if (!isMap(found)) return undefined;
    found = found[name];
  }
  return found;
}

const isMap = (
  value: AttributeValue | undefined,
): value is { readonly [name: string]: AttributeValue | undefined } =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

export function holds(condition: Condition, item: Item | undefined): boolean {
  if ("all" in condition) return condition.all.every((each) => holds(each, item));
  if ("any" in condition) return condition.any.some((each) => holds(each, item));
  if ("absent" in condition) return valueAt(item, condition.absent) === undefined;
  if ("present" in condition) return valueAt(item, condition.present) !== undefined;
  if ("equals" in condition) return same(valueAt(item, condition.equals[0]), condition.equals[1]);
  if ("differs" in condition) return !same(valueAt(item, condition.differs[0]), condition.differs[1]);
  if ("below" in condition) return compares(item, condition.below, (order) => order < 0);
  if ("atMost" in condition) return compares(item, condition.atMost, (order) => order <= 0);
  if ("above" in condition) return compares(item, condition.above, (order) => order > 0);
  return compares(item, condition.atLeast, (order) => order >= 0);
}

/** Lists and maps are equal if their content is equal. */
const same = (one: AttributeValue | undefined, other: AttributeValue): boolean =>
  one === other || (typeof other === "object" && isDeepStrictEqual(one, other));

/** Values of different types never compare, as in DynamoDB. */
function compares(
  item: Item | undefined,
  [path, bound]: readonly [Path, AttributeValue],
  wanted: (order: number) => boolean,
): boolean {
  const found = valueAt(item, path);
  if (typeof found === "number" && typeof bound === "number") return wanted(found - bound);
  if (typeof found === "string" && typeof bound === "string")
    return wanted(found < bound ? -1 : found > bound ? 1 : 0);
  return false;
}

/** A path into a missing map is an error of the caller, as in DynamoDB. */
export function changed(key: Key, before: Item | undefined, change: ItemChange): Item {
  let after: Item = { ...(before ?? { pk: key.pk, sk: key.sk }) };
  const set = (path: Path, value: AttributeValue | undefined) => {
    after = { ...after, ...replaced(after, steps(path), value) };
  };
  for (const [path, value] of change.setOnce ?? []) if (valueAt(after, path) === undefined) set(path, value);
  for (const [path, value] of change.set ?? []) set(path, value);
  for (const [path, value] of change.add ?? []) set(path, Number(valueAt(after, path) ?? 0) + value);
  for (const path of change.remove ?? []) set(path, undefined);
  return { ...withoutHoles(after), pk: key.pk, sk: key.sk };
}

type Attributes = { readonly [name: string]: AttributeValue | undefined };

function replaced(
  map: Attributes,
  [name = "", ...deeper]: readonly string[],
  value: AttributeValue | undefined,
): Attributes {
  const { [name]: inner, ...others } = map;
  if (deeper.length === 0)
    return value === undefined ? { ...others, [name]: undefined } : { ...map, [name]: value };
  if (!isMap(inner)) throw new TypeError(`There is no map ${name} to change.`);
  return { ...map, [name]: withoutHoles(replaced(inner, deeper, value)) };
}

const withoutHoles = (map: Attributes): Attributes =>
  Object.fromEntries(Object.entries(map).filter(([, value]) => value !== undefined));
