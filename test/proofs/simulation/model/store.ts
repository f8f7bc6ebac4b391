import { hash } from "node:crypto";
import {
  type ActionRefusal,
  ConditionFailed,
  type Item,
  type ItemPage,
  type Key,
  type Range,
  type ReadOptions,
  StoreUnavailable,
  type Table,
  TransactionRefused,
  type TransactionWrite,
  type Write,
  type WriteOptions,
} from "../../../../lib/store/table.ts";
import type { Process } from "../world.ts";
import { changed, holds } from "./conditions.ts";
import type { Dice, Scheduler } from "./scheduler.ts";
import { SortedItems } from "./sorted-items.ts";

/** How often faults happen, from 0 to 1. */
export type Faults = {
  readonly crash: number;
  readonly crashAfterCommit: number;
  readonly timeOut: number;
  readonly throttle: number;
  /** A request or an answer that takes very long. */
  readonly slow: number;
  /** A write that arrives a second time, long after a retry overtook it. */
  readonly echo: number;
  /** An item of a committed transaction that stays invisible for very long. */
  readonly invisible: number;
};

export const noFaults: Faults = {
  crash: 0,
  crashAfterCommit: 0,
  timeOut: 0,
  throttle: 0,
  slow: 0,
  echo: 0,
  invisible: 0,
};

const never = <Answer>(): Promise<Answer> => new Promise(() => {});
const idOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;
const keyOf = (write: TransactionWrite): Key => {
  if ("put" in write) return write.put;
  if ("update" in write) return write.update;
  return "delete" in write ? write.delete : write.check;
};

/**
 * DynamoDB at the worst that its documentation allows: a committed transaction becomes visible to plain reads one item
 * at a time, in any order, and holds each item until then; reads of several items, and pages, are not snapshots;
 * requests arrive late, even after their sender gave up or died.
 */
export class ModelStore {
  readonly #scheduler: Scheduler;
  readonly #dice: Dice;
  readonly #shelf = new SortedItems();
  /** The state that eventually consistent reads may still see. */
  readonly #replica = new SortedItems();
  readonly #log: Array<readonly [Key, Item | undefined]> = [];
  /** Items of committed transactions that plain reads do not see yet, with their next state. */
  readonly #held = new Map<string, { key: Key; becomes: Item | undefined }>();
  #onCommit: Array<() => void> = [];
  faults: Faults;

  constructor(scheduler: Scheduler, dice: Dice, faults: Faults) {
    this.#scheduler = scheduler;
    this.#dice = dice;
    this.faults = faults;
  }

  /** The committed state, whether plain reads see it or not. */
  truth(key: Key): Item | undefined {
    const held = this.#held.get(idOf(key));
    return held ? held.becomes : this.#shelf.get(key);
  }

  all(): Item[] {
    return [...this.#shelf.partitions.values()].flatMap((partition) => [...partition.values()]);
  }

  seed(item: Item): void {
    this.#shelf.set(item, item);
    this.#replica.set(item, item);
  }

  #apply(key: Key, item: Item | undefined): void {
    this.#shelf.set(key, item);
    this.#log.push([key, item]);
  }

  #delay(slow = this.faults.slow): number {
    return this.#dice.chance(slow) ? 20 + this.#dice.below(250) : this.#dice.below(3);
  }

  /**
   * Lets other actions happen right after a transaction was decided or parts were written, when bugs are most likely.
   */
  nextCommit(): Promise<void> {
    return new Promise((resolve) => this.#onCommit.push(resolve));
  }

  #announce(): void {
    for (const resume of this.#onCommit.splice(0)) resume();
  }

  /**
   * Sends one request: `arrive` runs at the store and answers through its argument when it can. Transactions have a
   * token and happen at most once; other writes may arrive twice.
   */
  #send<Answer>(
    process: Process,
    kind: "read" | "write" | "once",
    arrive: (answer: (result: () => Answer) => void) => void,
  ): Promise<Answer> {
    const { crash, crashAfterCommit, timeOut, throttle } = this.faults;
    const dice = this.#dice;
    if (!process.isAlive) return never();
    const dies = dice.chance(crash);
    if (dies) process.crash();
    if (dies && dice.chance(0.5)) return never();
    return new Promise((resolve, reject) => {
      const answer = (deliver: () => void) =>
        this.#scheduler.after(this.#delay(), () => process.isAlive && deliver());
      if (dice.chance(throttle)) {
        answer(() => reject(new StoreUnavailable("throttled", true)));
        return;
      }
      const timesOut = dice.chance(timeOut);
      if (timesOut) answer(() => reject(new StoreUnavailable("time-out", false)));
      if (timesOut && dice.chance(0.3)) return;
      if (kind === "write" && dice.chance(this.faults.echo)) {
        this.#scheduler.after(20 + dice.below(250), () => arrive(() => {}));
      }
      this.#scheduler.after(this.#delay(), () =>
        arrive((result) => {
          if (kind !== "read" && dice.chance(crashAfterCommit)) process.crash();
          if (timesOut) return;
          answer(() => {
            try {
              resolve(result());
            } catch (error) {
              reject(error);
            }
          });
        }),
      );
    });
  }

  /** Runs now, or as soon as no transaction holds any of the keys. */
  #whenFree(keys: readonly Key[], run: () => void): void {
    if (keys.some((key) => this.#held.has(idOf(key)))) {
      this.#scheduler.after(1 + this.#dice.below(3), () => this.#whenFree(keys, run));
    } else run();
  }

  connect(process: Process): Table {
    return {
      get: (key, options) => this.#get(process, key, options),
      getMany: (keys, options) => this.#getMany(process, keys, options),
      transactGet: (keys) =>
        this.#send(process, "read", (answer) =>
          this.#whenFree(keys, () => {
            const items = keys.map((key) => this.#shelf.get(key));
            answer(() => items);
          }),
        ),
      queryPage: (range, resume) => this.#query(process, range, resume),
      write: (write, options) => this.#write(process, write, options),
      transact: (writes) => this.#transact(process, writes),
      writeMany: (writes) => this.#writeMany(process, writes),
      scanPage: ({ segment }, resume) =>
        this.#send(process, "read", (answer) => {
          const { index, of } = segment ?? { index: 0, of: 1 };
          const isOurs = ({ pk }: Item) => hash("sha256", pk, "buffer").readUInt16BE() % of === index;
          const items = this.all()
            .filter(isOurs)
            .sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
          const from = resume ? items.findIndex((item) => idOf(item) > idOf(resume)) : 0;
          const page = from < 0 ? [] : items.slice(from, from + 7);
          const last = page.at(-1);
          answer(() => (last && from + 7 < items.length ? { items: page, resume: last } : { items: page }));
        }),
    };
  }

  #shelfFor(options: ReadOptions | undefined): SortedItems {
    if (!options?.eventuallyConsistent) return this.#shelf;
    for (let left = this.#dice.below(this.#log.length + 1); left > 0; left--) {
      const next = this.#log.shift();
      if (next) this.#replica.set(...next);
    }
    return this.#replica;
  }

  #get(process: Process, key: Key, options?: ReadOptions): Promise<Item | undefined> {
    return this.#send(process, "read", (answer) => {
      const item = this.#shelfFor(options).get(key);
      answer(() => item);
    });
  }

  /** One request, but every key is read at a different moment. */
  #getMany(
    process: Process,
    keys: readonly Key[],
    options?: ReadOptions,
  ): Promise<ReadonlyArray<Item | undefined>> {
    if (keys.length === 0) return Promise.resolve([]);
    return this.#send(process, "read", (answer) => {
      const found: Array<Item | undefined> = [];
      let left = keys.length;
      keys.forEach((key, index) => {
        this.#scheduler.after(this.#delay(), () => {
          found[index] = this.#shelfFor(options).get(key);
          if (--left === 0) answer(() => found);
        });
      });
    });
  }

  /** One request, but every write is separate: in any order, and some may be done even if the request fails. */
  #writeMany(process: Process, writes: readonly Write[]): Promise<void> {
    if (writes.length === 0) return Promise.resolve();
    const isBroken = this.#dice.chance(this.faults.timeOut);
    return this.#send(process, "write", (answer) => {
      let left = writes.length;
      const done = () => {
        if (--left > 0) return;
        this.#announce();
        answer(() => {
          if (isBroken) throw new StoreUnavailable("some of it was not done", true);
        });
      };
      for (const write of writes) {
        if (isBroken && this.#dice.chance(0.5)) this.#scheduler.after(0, done);
        else this.#scheduler.after(this.#delay(), () => this.#applyWhenFree(write, done));
      }
    });
  }

  #applyWhenFree(write: Write, done: () => void): void {
    const key = keyOf(write);
    this.#whenFree([key], () => {
      this.#apply(key, result(write, this.#shelf.get(key)));
      done();
    });
  }

  #query(process: Process, range: Range, resume?: Key): Promise<ItemPage> {
    const dice = this.#dice;
    const first = resume ? { ...range, after: resume.sk } : range;
    // A page may end anywhere, as at 1 MiB.
    const itemsMax = Math.min(range.pageItems ?? 1000, dice.chance(0.2) ? 1 + dice.below(3) : 1000);
    return this.#send(process, "read", (answer) => {
      const items: Item[] = [];
      const readOn = () => {
        const shelf = this.#shelfFor(range);
        const last = items.at(-1);
        const left = shelf.range(last ? { ...range, after: last.sk } : first);
        const pauses = dice.chance(0.2) && left.length > 1;
        items.push(...left.slice(0, pauses ? 1 : itemsMax - items.length));
        if (pauses && items.length < itemsMax) {
          this.#scheduler.after(dice.below(4), readOn);
          return;
        }
        const end = items.at(-1);
        const page = end && items.length === itemsMax ? { items, resume: end } : { items };
        answer(() => page);
      };
      readOn();
    });
  }

  #write(process: Process, write: Write, { returning }: WriteOptions = {}): Promise<Item | undefined> {
    const key = keyOf(write);
    return this.#send(process, "write", (answer) =>
      this.#whenFree([key], () => {
        const before = this.#shelf.get(key);
        if (write.when && !holds(write.when, before)) {
          answer(() => {
            throw new ConditionFailed(before);
          });
          return;
        }
        const after = result(write, before);
        this.#apply(key, after);
        answer(() => (returning === "new" ? after : returning === "old" ? before : undefined));
      }),
    );
  }

  #transact(process: Process, writes: readonly TransactionWrite[]): Promise<void> {
    const keys = writes.map(keyOf);
    if (writes.length > 100) throw new RangeError("A transaction has at most 100 actions.");
    if (new Set(keys.map(idOf)).size < keys.length)
      throw new RangeError("A transaction touches an item once.");
    return this.#send(process, "once", (answer) =>
      this.#whenFree(keys, () => {
        const refusals = writes.map((write): ActionRefusal => {
          const item = this.#shelf.get(keyOf(write));
          const refused = write.when !== undefined && !holds(write.when, item);
          return item ? { refused, item } : { refused };
        });
        if (refusals.some(({ refused }) => refused)) {
          answer(() => {
            throw new TransactionRefused(refusals);
          });
        } else this.#commit(process, writes, () => answer(() => undefined));
      }),
    );
  }

  #commit(process: Process, writes: readonly TransactionWrite[], done: () => void): void {
    let invisible = writes.length;
    for (const write of writes) {
      const key = keyOf(write);
      const before = this.#shelf.get(key);
      const becomes = "check" in write ? before : result(write, before);
      this.#held.set(idOf(key), { key, becomes });
      this.#scheduler.after(this.#delay(this.faults.invisible), () => {
        this.#held.delete(idOf(key));
        if (!("check" in write)) this.#apply(key, becomes);
        if (--invisible === 0) done();
      });
    }
    this.#announce();
    // The worst moment to die: the transaction is decided, and not all of it is visible.
    if (this.#dice.chance(this.faults.crashAfterCommit)) process.crash();
  }
}

function result(write: Write, before: Item | undefined): Item | undefined {
  if ("put" in write) return write.put;
  if ("update" in write) return changed(write.update, before, write.change);
  return undefined;
}
