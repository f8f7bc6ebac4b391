import { type AuditedWrites, writeOwed } from "../audit/owed.ts";
import type { ItemErrorCode } from "../contract/errors.ts";
import { withoutKeys } from "../contract/key-forms.ts";
import { requestLimits } from "../contract/limits.ts";
import { retryOnConflict, type Store } from "../store/retry-on-conflict.ts";

export type ItemFailure<Code extends ItemErrorCode = ItemErrorCode> = {
  readonly id: string;
  readonly code: Code;
  readonly message: string;
};

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

/** The result of each element of a batch, in input order. */
export class BatchOutcomes<Code extends ItemErrorCode = ItemErrorCode> {
  readonly #ids: readonly string[];
  readonly #failures = new Map<string, ItemFailure<Code>>();
  readonly #unchanged = new Set<string>();
  /** Free seats after the batch; undefined for a batch of roles. */
  seatsLeft: number | undefined;

  constructor(ids: readonly string[]) {
    this.#ids = ids;
  }

  fail(id: string, code: Code, message: string): void {
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

  get failed(): Array<ItemFailure<Code>> {
    return this.#ids.map((id) => this.#failures.get(id)).filter((failure) => failure !== undefined);
  }

  get status(): "success" | "partial_success" | "failure" {
    if (this.#failures.size === 0) return "success";
    return this.#failures.size === this.#ids.length ? "failure" : "partial_success";
  }
}

export const memberNotFound = "There is no such active member.";

const messages = {
  USER_NOT_FOUND: memberNotFound,
  LAST_ADMIN: "An organization keeps at least one admin.",
  BILLING_ADMIN_PROTECTED: "A billing admin's role is not changed here.",
  NO_SEATS_AVAILABLE: "All purchased seats are assigned.",
} as const satisfies Partial<Record<ItemErrorCode, string>>;
export type BatchFailure = { readonly id: string; readonly code: keyof typeof messages };

/** What one transaction decides about the first elements of a batch. */
export type BatchPart<State, Failed> = {
  /** How many elements it decides, starting with the first. Only elements that change something use space in it. */
  readonly decided: number;
  /** Whether something changes that an audit entry records. */
  readonly isChanged: boolean;
  readonly failures: readonly Failed[];
  /** Those who have it already. */
  readonly unchanged: readonly string[];
  readonly seatsLeft?: number;
  /** With an entry that records these failures; without an entry if there are none to record. */
  writesWith(failures: readonly Failed[] | undefined): AuditedWrites;
  /** The state that the next part starts from. */
  readonly after: State;
};

/**
 * Decides about a batch in input order, in as few transactions as possible. Everything is read once, at the start; the
 * rest is read again only after a conflict with another writer. A dry run decides everything and writes nothing.
 * A batch that changed something records all its failures, whichever part they were in; one that changed nothing has no
 * entry.
 */
export async function inParts<Element, State, Failed extends BatchFailure>(
  store: Store,
  elements: readonly Element[],
  first: State,
  work: {
    readonly ids: readonly string[];
    readonly dryRun: boolean;
    readonly readAgain: (rest: readonly Element[]) => Promise<State>;
    readonly decide: (rest: readonly Element[], state: State) => BatchPart<State, Failed>;
  },
): Promise<BatchOutcomes<Failed["code"]>> {
  const outcomes = new BatchOutcomes<Failed["code"]>(work.ids);
  let unrecorded: readonly Failed[] = [];
  let hasEntry = false;
  let rest = elements;
  let known = first;
  while (rest.length > 0) {
    const part = await retryOnConflict(store, async (attempt) => {
      const state = attempt === 0 ? known : await work.readAgain(rest);
      const decision = work.decide(rest, state);
      const isRecorded = decision.isChanged || (hasEntry && decision.failures.length > 0);
      const failed = isRecorded ? [...unrecorded, ...decision.failures] : undefined;
      const { writes, owed } = decision.writesWith(failed);
      if (writes.length > 0 && !work.dryRun) await store.table.transact(writes);
      return { ...decision, owed, isRecorded };
    });
    if (!work.dryRun) await writeOwed(store, part.owed);
    unrecorded = part.isRecorded ? [] : [...unrecorded, ...part.failures];
    hasEntry ||= part.isRecorded;
    for (const { id, code } of part.failures) outcomes.fail(id, code, messages[code]);
    outcomes.keep(part.unchanged);
    outcomes.seatsLeft = part.seatsLeft;
    rest = rest.slice(part.decided);
    known = part.after;
  }
  return outcomes;
}
