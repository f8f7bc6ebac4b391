import { writeOwed } from "../audit/owed.ts";
import type { ItemErrorCode } from "../contract/errors.ts";
import { withoutKeys } from "../contract/key-forms.ts";
import { requestLimits } from "../contract/limits.ts";
import type { OwedItem } from "../store/items/owed.ts";
import { retryOnConflict, type Store } from "../store/retry-on-conflict.ts";
import type { TransactionWrite } from "../store/table.ts";

export type ItemFailure = { readonly id: string; readonly code: ItemErrorCode; readonly message: string };

/** The failures as an audit entry records them. */
export const recordedFailures = (failures: ReadonlyArray<Pick<ItemFailure, "id" | "code">>) =>
  failures.map(({ id, code }) => ({ id: recordedId(withoutKeys(id)), code }));

/**
 * A `seat_holder_id` may be longer than an id. A batch of the longest would not fit in an entry, so the middle of each
 * is left out.
 */
function recordedId(id: string): string {
  const { idBytesMax } = requestLimits;
  const bytes = Buffer.from(id);
  if (bytes.length <= idBytesMax) return id;
  const ends = [bytes.subarray(0, idBytesMax / 2), bytes.subarray(-idBytesMax / 2)];
  // A character that the cut divides is left out too.
  return ends.map((end) => end.toString().replaceAll("\uFFFD", "")).join("…");
}

export type BatchStatus = "success" | "partial_success" | "failure";

/** The result of each element of a batch, in input order. */
export class BatchOutcomes {
  readonly #ids: readonly string[];
  readonly #failures = new Map<string, ItemFailure>();
  readonly #unchanged = new Set<string>();
  /** Free seats after the batch; undefined for a batch of roles. */
  seatsLeft: number | undefined;

  constructor(ids: readonly string[]) {
    this.#ids = ids;
  }

  fail(id: string, code: ItemErrorCode, message: string): void {
    this.#failures.set(id, { id, code, message });
  }

  /** Those who have it already. */
  keep(ids: Iterable<string>): void {
    for (const id of ids) this.#unchanged.add(id);
  }

  get unchanged(): string[] {
    return this.succeeded.filter((id) => this.#unchanged.has(id));
  }

  get succeeded(): string[] {
    return this.#ids.filter((id) => !this.#failures.has(id));
  }

  get failed(): ItemFailure[] {
    return this.#ids.map((id) => this.#failures.get(id)).filter((failure) => failure !== undefined);
  }

  get status(): BatchStatus {
    if (this.#failures.size === 0) return "success";
    return this.#failures.size === this.#ids.length ? "failure" : "partial_success";
  }
}

/**
 * Holds the failures of a batch until one of its audit entries records them. A batch that changed something records all
 * of them, whichever part they were in; a batch that changed nothing has no entry.
 */
export class UnrecordedFailures<Failed> {
  #unrecorded: readonly Failed[] = [];
  #hasEntry = false;

  /** The failures that the entry of a part records; undefined if the part has no entry. */
  forEntry(isChanged: boolean, failures: readonly Failed[]): readonly Failed[] | undefined {
    const isRecorded = isChanged || (this.#hasEntry && failures.length > 0);
    return isRecorded ? [...this.#unrecorded, ...failures] : undefined;
  }

  /** Call this after the part is written. */
  written(isRecorded: boolean, failures: readonly Failed[]): void {
    this.#unrecorded = isRecorded ? [] : [...this.#unrecorded, ...failures];
    this.#hasEntry ||= isRecorded;
  }
}

/** What one transaction decides about the first elements of a batch. */
export type BatchPart<State> = {
  /** How many elements it decides, starting with the first. Only elements that change something use space in it. */
  readonly decided: number;
  readonly writes: readonly TransactionWrite[];
  /** Copies of its entry that did not fit in the transaction and are written after it. */
  readonly owed?: readonly OwedItem[];
  /** Reports the outcomes, once the writes are done. */
  readonly reportOutcomes: () => void;
  /** The state that the next part starts from. */
  readonly after: State;
};

/**
 * Decides about a batch in input order, in as few transactions as possible. Everything is read once, at the start; the
 * rest is read again only after a conflict with another writer. A dry run decides everything and writes nothing.
 */
export async function inParts<Element, State>(
  store: Store,
  elements: readonly Element[],
  first: State,
  work: {
    readonly dryRun: boolean;
    readonly readAgain: (rest: readonly Element[]) => Promise<State>;
    readonly decide: (rest: readonly Element[], state: State) => BatchPart<State>;
  },
): Promise<void> {
  let rest = elements;
  let known = first;
  while (rest.length > 0) {
    const part: BatchPart<State> = await retryOnConflict(store, async (attempt) => {
      const state = attempt === 0 ? known : await work.readAgain(rest);
      const decision = work.decide(rest, state);
      if (decision.writes.length > 0 && !work.dryRun) await store.table.transact(decision.writes);
      return decision;
    });
    if (part.owed && !work.dryRun) await writeOwed(store, part.owed);
    part.reportOutcomes();
    rest = rest.slice(part.decided);
    known = part.after;
  }
}
