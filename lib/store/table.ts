/**
 * The table as the rest of the project sees it. Conditions and changes are data, not expression strings: the DynamoDB
 * adapter compiles them (every name through `#`), the simulation evaluates them directly.
 */

import type { Few, Key } from "../contract/kind.ts";

export type { Key } from "../contract/kind.ts";

/** Two keys are equal if their identities are equal. No key holds NUL. */
export const identityOf = ({ pk, sk }: Key): string => `${pk}\u0000${sk}`;

export type AttributeValue =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly AttributeValue[]
  | { readonly [name: string]: AttributeValue | undefined };

export type Item = Key & { readonly [name: string]: AttributeValue | undefined };

/** An attribute, or a path into nested maps. */
export type Path = string | readonly [string, ...string[]];

export type Condition =
  | { readonly absent: Path }
  | { readonly present: Path }
  | { readonly equals: readonly [Path, AttributeValue] }
  | { readonly differs: readonly [Path, AttributeValue] }
  | { readonly below: readonly [Path, AttributeValue] }
  | { readonly atMost: readonly [Path, AttributeValue] }
  | { readonly above: readonly [Path, AttributeValue] }
  | { readonly atLeast: readonly [Path, AttributeValue] }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] };

export type ItemChange = {
  readonly set?: ReadonlyArray<readonly [Path, AttributeValue]>;
  /** Set only if the attribute is absent (`if_not_exists`). */
  readonly setOnce?: ReadonlyArray<readonly [Path, AttributeValue]>;
  /** Add to a number; an absent top-level attribute counts as 0. */
  readonly add?: ReadonlyArray<readonly [Path, number]>;
  readonly remove?: readonly Path[];
};

export type Put = {
  readonly put: Item;
  readonly when?: Condition;
  /** When the write was decided, if a list is ordered by that moment: readers treat old places as settled. */
  readonly momentMs?: number;
};
export type Update = { readonly update: Key; readonly change: ItemChange; readonly when?: Condition };
export type Delete = { readonly delete: Key; readonly when?: Condition };
export type ConditionCheck = { readonly check: Key; readonly when: Condition };
export type Write = Put | Update | Delete;
export type TransactionWrite = Write | ConditionCheck;

export type ReadOptions = {
  /** Half the price, and may miss the newest write. Reads are strongly consistent unless this is set. */
  readonly eventuallyConsistent?: boolean;
  /** Read only these attributes (the price stays; the bytes over the wire shrink). */
  readonly only?: readonly string[];
  readonly signal?: AbortSignal;
};

/** A range of one partition. `after`/`upTo` bound the sort key: after < sk <= upTo. */
export type Range = ReadOptions & {
  readonly pk: string;
  /** A prefix. It may be combined with `after`, which must have the prefix too, and with no other bound. */
  readonly beginsWith?: string;
  readonly after?: string;
  readonly from?: string;
  readonly upTo?: string;
  readonly descending?: boolean;
  /** Maximum number of items of one page; a page also ends at 1 MiB. */
  readonly pageItems?: number;
};

export type Scan = ReadOptions & {
  readonly pageItems?: number;
  /** One of several parts of the table: a partition belongs to exactly one of them. The whole table by default. */
  readonly segment?: { readonly index: number; readonly of: number };
};

export type ItemPage = {
  readonly items: readonly Item[];
  /** Where the next page begins; undefined at the end of the range. */
  readonly resume?: Key;
};

/** A deadline: nothing begins after it. */
export type Until = {
  /** For code that waits: for an answer, or between two attempts. */
  readonly signal: AbortSignal;
  /** Checks the clock: in a function that was frozen, timers fire late and in any order. */
  isOver(): boolean;
};

export type StoreCallOptions = { readonly until?: Until | undefined };

export type WriteOptions = StoreCallOptions & {
  readonly returning?: "old" | "new";
  /**
   * After a time-out it is unknown whether a write happened. Unconditional puts and deletes are sent again
   * automatically; other writes only with this option, which requires that the caller treats a failed condition as
   * "done before".
   */
  readonly idempotent?: boolean;
};

export interface Table {
  get(key: Key, options?: ReadOptions): Promise<Item | undefined>;
  /** Any number of keys; returns the items in the order of the keys. */
  getMany(keys: readonly Key[], options?: ReadOptions): Promise<ReadonlyArray<Item | undefined>>;
  /** One snapshot of at most 100 items: it sees a transaction completely or not at all. */
  transactGet(keys: readonly Key[]): Promise<ReadonlyArray<Item | undefined>>;
  queryPage(range: Range, resume?: Key): Promise<ItemPage>;
  /** Throws ConditionFailed. Returns the item before or after the write, if requested. */
  write(write: Write, options?: WriteOptions): Promise<Item | undefined>;
  /** All or nothing, at most 100 actions. Throws TransactionRefused with a reason for every action. */
  transact(writes: readonly TransactionWrite[], options?: StoreCallOptions): Promise<void>;
  /** Unconditional puts and deletes, any number, in no order. */
  writeMany(
    writes: ReadonlyArray<{ put: Item } | { delete: Key }>,
    options?: StoreCallOptions,
  ): Promise<void>;
  /** The whole table, for repairs; never on a request's path. */
  scanPage(options: Scan, resume?: Key): Promise<ItemPage>;
}

/** The condition did not hold; `item` is the stored item (undefined: there is none). */
export class ConditionFailed extends Error {
  override readonly name = "ConditionFailed";
  readonly item: Item | undefined;
  constructor(item: Item | undefined) {
    super("The item is not what the write required.");
    this.item = item;
  }
}

export type ActionRefusal = { readonly refused: boolean; readonly item?: Item };

/** At least one action's condition did not hold, so nothing was written. */
export class TransactionRefused extends Error {
  override readonly name = "TransactionRefused";
  /** One for every action, in order. */
  readonly refusals: readonly ActionRefusal[];
  constructor(refusals: readonly ActionRefusal[]) {
    super("A condition of the transaction did not hold.");
    this.refusals = refusals;
  }
}

/** Despite retries. After a write it is unknown whether it happened, unless it was throttled. */
export class StoreUnavailable extends Error {
  override readonly name: string = "StoreUnavailable";
  /** Every attempt was rejected: nothing happened. */
  readonly throttled: boolean;
  constructor(cause: unknown, throttled: boolean) {
    super(throttled ? "The store is throttling." : "The store does not answer.", { cause });
    this.throttled = throttled;
  }
}

/** Decided too long ago to be sent again; an earlier attempt may have happened. Deciding again takes a new moment. */
export class WriteExpired extends StoreUnavailable {
  override readonly name = "WriteExpired";
  constructor(cause: unknown) {
    super(cause, false);
  }
}

/** Another writer was faster at every attempt: there are many other writers, or the condition never holds. */
export class DecisionsExhausted extends StoreUnavailable {
  override readonly name = "DecisionsExhausted";
  constructor(cause: unknown) {
    super(cause, false);
  }
}

/** Whether the condition held: for writes that another process may have made, or made unnecessary. */
export async function writeIf(table: Table, write: Write, options?: WriteOptions): Promise<boolean> {
  try {
    await table.write(write, options);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/** The same for a transaction: returns whether all its conditions held. */
export async function transactIf(table: Table, writes: readonly TransactionWrite[]): Promise<boolean> {
  try {
    await table.transact(writes);
    return true;
  } catch (error) {
    if (error instanceof TransactionRefused) return false;
    throw error;
  }
}

/**
 * Page by page, however many there are: for workers and the tool. A request reads with `readFew` or `queryUpTo`;
 * test/architecture/whole-ranges.test.ts refuses this function in the code of an operation.
 */
export async function* queryPages(table: Table, range: Range): AsyncGenerator<readonly Item[]> {
  let resume: Key | undefined;
  do {
    const page = await table.queryPage(range, resume);
    yield page.items;
    resume = page.resume;
  } while (resume);
}

/** The same, item by item. */
export async function* queryAll(table: Table, range: Range): AsyncGenerator<Item> {
  for await (const items of queryPages(table, range)) yield* items;
}

/** A caller that stops by itself says after how many items at the latest. Never yields more. */
export async function* queryUpTo(table: Table, range: Range, itemsMax: number): AsyncGenerator<Item> {
  let count = 0;
  for await (const item of queryAll(table, range)) {
    if (count++ === itemsMax)
      throw new RangeError(`A read of ${range.pk} passed its bound, ${itemsMax} items.`);
    yield item;
  }
}

type FewItems<Parts> = { readonly few: Few; range(parts: Parts): Range };

/** All items of a range. The kind's row in lib/contract/items.ts says how many there can be (`few`). */
export const readFew = <Parts>(table: Table, kind: FewItems<Parts>, parts: Parts): Promise<Item[]> =>
  Array.fromAsync(queryAll(table, kind.range(parts)));
