import type { ItemErrorCode } from "../contract/errors.ts";

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

export function* chunksOf<Element>(
  elements: readonly Element[],
  size: number,
): Generator<readonly Element[]> {
  for (let start = 0; start < elements.length; start += size) yield elements.slice(start, start + size);
}
