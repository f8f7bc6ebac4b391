import type { ItemErrorCode } from "../contract/errors.ts";
import { peopleLimits } from "../contract/limits.ts";

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
