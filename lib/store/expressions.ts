import type { AttributeValue, Condition, ItemChange, Path, Range } from "./table.ts";
import { refuseReservedNames } from "./values.ts";

/** Collects `#names` and `:values` while conditions and changes are compiled; each is declared once. */
export class Placeholders {
  readonly #nameOf = new Map<string, string>();
  readonly #values: Record<string, AttributeValue> = {};
  #valueCount = 0;

  path(path: Path): string {
    const segments = typeof path === "string" ? [path] : path;
    return segments.map((segment) => this.#name(segment)).join(".");
  }

  value(value: AttributeValue): string {
    refuseReservedNames(value);
    const placeholder = `:${this.#valueCount++}`;
    this.#values[placeholder] = value;
    return placeholder;
  }

  #name(segment: string): string {
    const known = this.#nameOf.get(segment);
    if (known) return known;
    const placeholder = `#${this.#nameOf.size}`;
    this.#nameOf.set(segment, placeholder);
    return placeholder;
  }

  /** DynamoDB refuses empty maps, so each is present only when something uses it. */
  attributes(): {
    ExpressionAttributeNames?: Record<string, string>;
    ExpressionAttributeValues?: Record<string, AttributeValue>;
  } {
    const names = Object.fromEntries([...this.#nameOf].map(([name, placeholder]) => [placeholder, name]));
    return {
      ...(this.#nameOf.size > 0 && { ExpressionAttributeNames: names }),
      ...(this.#valueCount > 0 && { ExpressionAttributeValues: this.#values }),
    };
  }
}

const comparators = {
  equals: "=",
  differs: "<>",
  below: "<",
  atMost: "<=",
  above: ">",
  atLeast: ">=",
} as const;

export function compileCondition(condition: Condition, placeholders: Placeholders): string {
  if ("absent" in condition) return `attribute_not_exists(${placeholders.path(condition.absent)})`;
  if ("present" in condition) return `attribute_exists(${placeholders.path(condition.present)})`;
  if ("all" in condition) return compileGroup(condition.all, "AND", placeholders);
  if ("any" in condition) return compileGroup(condition.any, "OR", placeholders);
  const [name, operand] = onlyEntry(condition);
  return `${placeholders.path(operand[0])} ${comparators[name]} ${placeholders.value(operand[1])}`;
}

type Comparison = Exclude<
  Condition,
  { absent: Path } | { present: Path } | { all: readonly Condition[] } | { any: readonly Condition[] }
>;

function onlyEntry(condition: Comparison): [keyof typeof comparators, readonly [Path, AttributeValue]] {
  if ("equals" in condition) return ["equals", condition.equals];
  if ("differs" in condition) return ["differs", condition.differs];
  if ("below" in condition) return ["below", condition.below];
  if ("atMost" in condition) return ["atMost", condition.atMost];
  if ("above" in condition) return ["above", condition.above];
  return ["atLeast", condition.atLeast];
}

function compileGroup(
  conditions: readonly Condition[],
  joiner: "AND" | "OR",
  placeholders: Placeholders,
): string {
  const [only] = conditions;
  if (!only) throw new RangeError("A group of conditions needs at least one.");
  if (conditions.length === 1) return compileCondition(only, placeholders);
  return `(${conditions.map((each) => compileCondition(each, placeholders)).join(` ${joiner} `)})`;
}

export function compileChange(change: ItemChange, placeholders: Placeholders): string {
  const set = [
    ...(change.set ?? []).map(([path, value]) => `${placeholders.path(path)} = ${placeholders.value(value)}`),
    ...(change.setOnce ?? []).map(([path, value]) => {
      const name = placeholders.path(path);
      return `${name} = if_not_exists(${name}, ${placeholders.value(value)})`;
    }),
  ];
  const add: string[] = [];
  for (const [path, amount] of change.add ?? []) {
    const name = placeholders.path(path);
    // ADD works only on top-level attributes in every engine; nested numbers are summed in SET.
    if (typeof path === "string") add.push(`${name} ${placeholders.value(amount)}`);
    else set.push(`${name} = ${name} + ${placeholders.value(amount)}`);
  }
  const remove = (change.remove ?? []).map((path) => placeholders.path(path));
  const clauses = [
    set.length > 0 && `SET ${set.join(", ")}`,
    add.length > 0 && `ADD ${add.join(", ")}`,
    remove.length > 0 && `REMOVE ${remove.join(", ")}`,
  ].filter((clause) => clause !== false);
  if (clauses.length === 0) throw new RangeError("A change must change something.");
  return clauses.join(" ");
}

/** One bound or BETWEEN: DynamoDB has no form for an exclusive lower bound with an upper bound. */
export function compileRange(range: Range, placeholders: Placeholders): string {
  const partition = `${placeholders.path("pk")} = ${placeholders.value(range.pk)}`;
  const sort = placeholders.path.bind(placeholders, "sk");
  if (range.beginsWith !== undefined) {
    return `${partition} AND begins_with(${sort()}, ${placeholders.value(range.beginsWith)})`;
  }
  const from = lowerBound(range);
  if (from !== undefined && range.upTo !== undefined) {
    return `${partition} AND ${sort()} BETWEEN ${placeholders.value(from)} AND ${placeholders.value(range.upTo)}`;
  }
  if (from !== undefined) return `${partition} AND ${sort()} >= ${placeholders.value(from)}`;
  if (range.upTo !== undefined) return `${partition} AND ${sort()} <= ${placeholders.value(range.upTo)}`;
  return partition;
}

/** "After x" means "from the smallest string above x", which is x followed by NUL. */
const lowerBound = (range: Range): string | undefined =>
  range.after !== undefined ? `${range.after}\u0000` : range.from;

/** DynamoDB refuses bounds in the wrong order as an error; here they mean an empty range. */
export function isEmptyRange(range: Range): boolean {
  const from = lowerBound(range);
  if (from === undefined || range.upTo === undefined) return false;
  return Buffer.compare(Buffer.from(from), Buffer.from(range.upTo)) > 0;
}
