import { escapeKeyPart, type PoolKey, type TenantKey, unescapeKeyPart } from "./tenants.ts";

export type Key = { readonly pk: string; readonly sk: string };

/** Datasets are one letter in keys: a page pays for every byte of a key a thousand times. */
export type DatasetLetter = "c" | "r" | "m";

/** Parts with a type of their own; every other part is a string. */
type TypedParts = { tenant: TenantKey; pool: PoolKey; dataset: DatasetLetter };

/** `{userId}`; `{userId!}` may hold any character and is escaped; `{index:4}` is a number with at least four digits. */
type PartOf<Text extends string> = Text extends `${infer Name}:${string}`
  ? { readonly [Each in Name]: number }
  : Text extends `${infer Name}!`
    ? { readonly [Each in Name]: string }
    : { readonly [Each in Text]: Text extends keyof TypedParts ? TypedParts[Text] : string };

/** The variable parts of a pattern of keys. */
export type Parts<Pattern extends string> = string extends Pattern
  ? AnyParts
  : Pattern extends `${string}{${infer Part}}${infer Rest}`
    ? PartOf<Part> & Parts<Rest>
    : unknown;
export type AnyParts = Readonly<Record<string, string | number>>;

/** A pattern without variable parts takes no argument. */
type Given<All> = unknown extends All ? [] : [parts: All];

/**
 * How an item follows its organization to another tenant. `stays`: nothing in it depends on the tenant. `event`: the
 * event that moves the organization writes it. `log`: lib/organizations/move-log.ts copies it. The others name a mover
 * of lib/organizations/move.ts.
 */
export type Move = "stays" | "event" | "log" | Mover;
export type Mover = "people" | "learnings" | "metrics" | "news";

/** The parts of a key that identify an owner. */
export const partsOfOwner = {
  organization: ["organization", "tenant", "pool"],
  tenant: ["tenant", "pool"],
  key: ["keyId"],
  webhook: ["webhookId"],
  event: ["eventId", "messageId"],
  service: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type Owner = keyof typeof partsOfOwner;

/** Where a removal finds the parts of a partition key that are not known of the owner; `expiry`: nobody removes it. */
export type Finder =
  | "spill"
  | "scans"
  | "streamHead"
  | "organizationPending"
  | "waitingByAge"
  | "shards"
  | "expiry";

type Names<Pattern extends string> = keyof Parts<Pattern>;
type Removed<Pk extends string, By extends Owner> =
  Names<Pk> extends (typeof partsOfOwner)[By][number]
    ? { readonly foundBy?: Finder }
    : { readonly foundBy: Finder };

/**
 * An item moves and is removed with its owner. If its key names an organization, it belongs to that organization. It
 * says how it moves; if its key names the tenant or the pool, it cannot stay.
 */
type Owned<Pk extends string, Sk extends string, Part = Names<Pk> | Names<Sk>> =
  | ({ readonly owner: "organization"; readonly moves: MoveOf<Part> } & Removed<Pk, "organization">)
  | ("organization" extends Part ? never : OwnedBy<Pk>[Exclude<Owner, "organization">]);
type MoveOf<Part> = [Extract<Part, "tenant" | "pool">] extends [never] ? Move : Exclude<Move, "stays">;
type OwnedBy<Pk extends string> = {
  [By in Owner]: { readonly owner: By } & (By extends "service" ? unknown : Removed<Pk, By>);
};

/** What grows, its bound, what happens beyond the bound, and the test that reaches the bound. */
export type Growth = Readonly<Record<"what" | "bound" | "beyond" | "test", string>>;

/** How many items of the kind one range holds, and why not more: few enough for a request that reads them all. */
export type Few = { readonly most: number; readonly because: string };

type Described = {
  readonly purpose: string;
  /** Absent if no request may read a whole range of the kind. */
  readonly few?: Few;
  /** Absent if the item has a fixed set of fields, each of a bounded length. */
  readonly grows?: Growth;
  /** Attributes that give rights: a role may write them only if its operation says so. */
  readonly rights?: readonly string[];
  /** DynamoDB deletes it when its `ttl` is over, always or in one of its states. */
  readonly expires?: true;
  /** The part of a repair after a restore that judges it; all other items stay as they were restored. */
  readonly repair?: "scope" | "stream";
};
type Row<Pk extends string, Sk extends string> = Owned<Pk, Sk> & Described;

/** A kind of item: what stands at one pattern of keys. */
export type Kind<Pk extends string, Sk extends string> = {
  readonly pk: Pk;
  readonly sk: Sk;
  partition(...parts: Given<Parts<Pk>>): string;
  key(...parts: Given<Parts<Pk> & Parts<Sk>>): Key;
  /** All items of the kind in one partition, or those whose sort keys begin with the parts that are given. */
  range(...parts: Given<Parts<Pk>> | [parts: Parts<Pk> & Partial<Parts<Sk>>]): RangeOf<Sk>;
};
/** Any kind, for code that treats all kinds alike. */
export type AnyKind = Kind<string, string> &
  Described & { readonly owner: Owner; readonly moves?: Move; readonly foundBy?: Finder };
type RangeOf<Sk extends string> = { readonly pk: string } & (string extends Sk
  ? { readonly beginsWith?: string }
  : Sk extends `{${string}`
    ? { readonly beginsWith?: string }
    : { readonly beginsWith: string });

/**
 * One row of lib/contract/items.ts. In the bundles of functions only the patterns are left of a row.
 * @example
 * const key = kinds.team.key({ organization, teamId: team_id });
 */
/* @__NO_SIDE_EFFECTS__ */
export function kind<const Pk extends string, const Sk extends string, const Entry extends Row<Pk, Sk>>(
  pk: Pk,
  sk: Sk,
  row: Entry,
): Kind<Pk, Sk> & Entry {
  const partition = writerOf(pk);
  const sortKey = writerOf(sk);
  const made = {
    pk,
    sk,
    partition,
    key: (parts: AnyParts) => ({ pk: partition(parts), sk: sortKey(parts) }),
    range(parts: AnyParts) {
      const beginsWith = sortKey(parts, true);
      return { pk: partition(parts), ...(beginsWith !== "" && { beginsWith }) };
    },
  };
  // The types of the patterns say more about the parts than the code needs.
  return { ...row, ...made } as unknown as Kind<Pk, Sk> & Entry;
}

/** A part of a pattern, and the text that follows it. */
type Piece = Readonly<{ name: string; isAny: boolean; digits: number; after: string }>;

const piecesOf = (pattern: string): readonly Piece[] =>
  Array.from(pattern.matchAll(/\{(\w+)(!?):?(\d*)\}([^{]*)/g), ([, name = "", mark, digits, after = ""]) => ({
    name,
    after,
    isAny: mark === "!",
    digits: digits ? Number(digits) : -1,
  }));

/** Keys are built thousands of times a page, so a pattern is split only once, and only if it is used. */
function writerOf(pattern: string): (parts?: AnyParts, isBeginning?: boolean) => string {
  const [before = ""] = pattern.split("{", 1);
  let pieces: readonly Piece[] | undefined;
  return (parts = {}, isBeginning = false) => {
    pieces ??= piecesOf(pattern);
    let text = before;
    for (const { name, isAny, digits, after } of pieces) {
      const value = parts[name];
      if (value === undefined) {
        if (isBeginning) return text;
        throw new TypeError(`A key of ${pattern} needs ${name}.`);
      }
      text += typeof value === "number" ? padded(value, digits) : isAny ? escapeKeyPart(value) : value;
      if (after !== "") text += after;
    }
    return text;
  };
}

const padded = (value: number, digits: number): string => {
  const text = String(value);
  return text.length < digits ? text.padStart(digits, "0") : text;
};

/** The text that a part can hold: `#` separates the parts, and no id of ours begins with `!`. */
const forms: Readonly<Record<string, string>> = {
  tenant: "[wio]#[^#]+",
  pool: "[wo]#[^#]+",
  dataset: "[crm]",
  owner: ".+",
  dependency: ".+",
  version: ".+",
  place: ".+",
  person: ".+",
  name: ".+",
};
type Reader = { readonly pieces: readonly Piece[]; readonly expression: RegExp };
const readers = new Map<string, Reader>();
function readerOf(pattern: string): Reader {
  const known = readers.get(pattern);
  if (known) return known;
  const pieces = piecesOf(pattern);
  const source = pieces.map(({ name, isAny, digits, after }) => {
    const form = isAny ? "[^#]*" : digits >= 0 ? "\\d+" : (forms[name] ?? "[^#!][^#]*");
    return `(${form})${after}`;
  });
  const made = { pieces, expression: new RegExp(`^${pattern.split("{", 1)}${source.join("")}$`, "s") };
  readers.set(pattern, made);
  return made;
}

type Patterns<Pk extends string = string, Sk extends string = string> = { readonly pk: Pk; readonly sk: Sk };

export const isOf = ({ pk, sk }: Patterns, item: Key): boolean =>
  readerOf(sk).expression.test(item.sk) && readerOf(pk).expression.test(item.pk);

/** The reverse of `key`: the parts of an item's key, or undefined if the item is of another kind. */
export function partsOf<Pk extends string, Sk extends string>(
  { pk, sk }: Patterns<Pk, Sk>,
  item: Key,
): (Parts<Pk> & Parts<Sk>) | undefined {
  const parts: Record<string, string | number> = {};
  const read = (pattern: string, text: string): boolean => {
    const { pieces, expression } = readerOf(pattern);
    const found = expression.exec(text);
    if (!found) return false;
    for (const [index, { name, isAny, digits }] of pieces.entries()) {
      const part = found[index + 1] ?? "";
      parts[name] = isAny ? unescapeKeyPart(part) : digits >= 0 ? Number(part) : part;
    }
    return true;
  };
  // The parts are read with the patterns that the type is made from.
  return read(sk, item.sk) && read(pk, item.pk) ? (parts as Parts<Pk> & Parts<Sk>) : undefined;
}
