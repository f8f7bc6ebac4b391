import { settleOwed } from "../audit/owed.ts";
import type { ItemErrorCode } from "../contract/errors.ts";
import { peopleLimits } from "../contract/limits.ts";
import type { OwedItem } from "../store/items/owed.ts";
import { retryOnConflict, type Store } from "../store/retry-on-conflict.ts";
import type { TransactionWrite } from "../store/table.ts";

export type Failure = { readonly id: string; readonly code: ItemErrorCode; readonly message: string };
export type BatchStatus = "success" | "partial_success" | "failure";

/** What became of each element of a batch, in input order. */
export class Outcomes {
  readonly #ids: readonly string[];
  readonly #failures = new Map<string, Failure>();

  constructor(ids: readonly string[]) {
    this.#ids = ids;
  }

  fail(id: string, code: ItemErrorCode, message: string): void {
    this.#failures.set(id, { id, code, message });
  }

  get succeeded(): string[] {
    return this.#ids.filter((id) => !this.#failures.has(id));
  }

  get failed(): Failure[] {
    return this.#ids.map((id) => this.#failures.get(id)).filter((failure) => failure !== undefined);
  }

  get status(): BatchStatus {
    if (this.#failures.size === 0) return "success";
    return this.#failures.size === this.#ids.length ? "failure" : "partial_success";
  }
}

/**
 * Holds the failures of a batch until one of its audit entries tells them. A batch that changed something tells all of
 * them, whichever part they fell in; one that changed nothing has no entry.
 */
export class UntoldFailures<Failed> {
  #untold: readonly Failed[] = [];
  #hasEntry = false;

  get hasEntry(): boolean {
    return this.#hasEntry;
  }

  /** What the entry of a part tells; undefined where the part has no entry. */
  forEntry(isChanged: boolean, failures: readonly Failed[]): readonly Failed[] | undefined {
    const isTold = isChanged || (this.#hasEntry && failures.length > 0);
    return isTold ? [...this.#untold, ...failures] : undefined;
  }

  /** After the part is written. */
  written(isTold: boolean, failures: readonly Failed[]): void {
    this.#untold = isTold ? [] : [...this.#untold, ...failures];
    this.#hasEntry ||= isTold;
  }
}

/** What one transaction decides about the first elements of a batch. */
export type Part<State> = {
  /** How many elements it decides, from the first on. Only those that change something need room in it. */
  readonly decided: number;
  readonly writes: readonly TransactionWrite[];
  /** Copies of its entry that follow the transaction, where not all of them fit. */
  readonly owed?: readonly OwedItem[];
  /** Tells the outcomes, once the writes are done. */
  readonly tell: () => void;
  /** What the next part starts from. */
  readonly after: State;
};

/**
 * Decides about a batch in input order, in as few transactions as it fits in. Everything is read once, before; only
 * where somebody else interferes is the rest read again. A dry run decides all of it and writes nothing.
 */
export async function inParts<Element, State>(
  store: Store,
  elements: readonly Element[],
  first: State,
  work: {
    readonly dryRun: boolean;
    readonly readAgain: (rest: readonly Element[]) => Promise<State>;
    readonly decide: (rest: readonly Element[], state: State) => Part<State>;
  },
): Promise<void> {
  let rest = elements;
  let known = first;
  while (rest.length > 0) {
    const part: Part<State> = await retryOnConflict(store, async (attempt) => {
      const state = attempt === 0 ? known : await work.readAgain(rest);
      const decision = work.decide(rest, state);
      if (decision.writes.length > 0 && !work.dryRun) await store.table.transact(decision.writes);
      return decision;
    });
    if (part.owed && !work.dryRun) await settleOwed(store, part.owed);
    part.tell();
    rest = rest.slice(part.decided);
    known = part.after;
  }
}

/** As many as one transaction takes, by their number and by the memberships of all of them. */
export function* peopleTogether<Element>(
  elements: readonly Element[],
  countMax: number,
  membershipsOf: (element: Element) => number,
): Generator<readonly Element[]> {
  let together: Element[] = [];
  let memberships = 0;
  for (const element of elements) {
    const more = membershipsOf(element);
    const isFull = together.length >= countMax || memberships + more > peopleLimits.membershipsTogetherMax;
    if (isFull && together.length > 0) {
      yield together;
      together = [];
      memberships = 0;
    }
    together.push(element);
    memberships += more;
  }
  if (together.length > 0) yield together;
}
