import type { Change, Condition, Item, Key, Path, Value } from "../../../lib/store/table.ts";

/** What DynamoDB's expressions mean, on plain items. */
const steps = (path: Path): readonly string[] => (typeof path === "string" ? [path] : path);

function valueAt(item: Item | undefined, path: Path): Value | undefined {
  let found: Value | undefined = item;
  for (const name of steps(path)) {
    if (!isMap(found)) return undefined;
    found = found[name];
  }
  return found;
}

const isMap = (value: Value | undefined): value is { readonly [name: string]: Value | undefined } =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

export function holds(condition: Condition, item: Item | undefined): boolean {
  if ("all" in condition) return condition.all.every((each) => holds(each, item));
  if ("any" in condition) return condition.any.some((each) => holds(each, item));
  if ("absent" in condition) return valueAt(item, condition.absent) === undefined;
  if ("present" in condition) return valueAt(item, condition.present) !== undefined;
  if ("equals" in condition) return valueAt(item, condition.equals[0]) === condition.equals[1];
  if ("differs" in condition) return valueAt(item, condition.differs[0]) !== condition.differs[1];
  if ("below" in condition) return compares(item, condition.below, (order) => order < 0);
  if ("atMost" in condition) return compares(item, condition.atMost, (order) => order <= 0);
  if ("above" in condition) return compares(item, condition.above, (order) => order > 0);
  return compares(item, condition.atLeast, (order) => order >= 0);
}

/** Unlike types never compare, as in DynamoDB. */
function compares(
  item: Item | undefined,
  [path, bound]: readonly [Path, Value],
  wanted: (order: number) => boolean,
): boolean {
  const found = valueAt(item, path);
  if (typeof found === "number" && typeof bound === "number") return wanted(found - bound);
  if (typeof found === "string" && typeof bound === "string")
    return wanted(found < bound ? -1 : found > bound ? 1 : 0);
  return false;
}

/** Top-level attributes only: the stream changes nothing deeper. */
export function changed(key: Key, before: Item | undefined, change: Change): Item {
  const after: Record<string, Value | undefined> & Key = { ...(before ?? { pk: key.pk, sk: key.sk }) };
  const top = (path: Path): string => {
    if (typeof path !== "string") throw new TypeError("The model changes top-level attributes only.");
    return path;
  };
  for (const [path, value] of change.setOnce ?? []) after[top(path)] ??= value;
  for (const [path, value] of change.set ?? []) after[top(path)] = value;
  for (const [path, value] of change.add ?? []) after[top(path)] = Number(after[top(path)] ?? 0) + value;
  for (const path of change.remove ?? []) delete after[top(path)];
  return after;
}
