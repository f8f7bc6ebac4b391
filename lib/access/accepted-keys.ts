import { keyLimits } from "../contract/limits.ts";

/**
 * The keys that this function accepted in the last minute, by the hash of their text. It decides only how many rounds
 * of reads authentication takes: every request still reads the key.
 */
export class AcceptedKeys {
  readonly #acceptedAtMs = new Map<string, number>();

  has(hash: string, nowMs: number): boolean {
    const atMs = this.#acceptedAtMs.get(hash);
    return atMs !== undefined && nowMs - atMs < keyLimits.acceptedForMs;
  }

  add(hash: string, nowMs: number): void {
    // Deleted first, so that the map stays in the order of the times and its first entry is the oldest.
    this.#acceptedAtMs.delete(hash);
    this.#acceptedAtMs.set(hash, nowMs);
    const [oldest] = this.#acceptedAtMs.keys();
    if (oldest !== undefined && this.#acceptedAtMs.size > keyLimits.acceptedKeysMax)
      this.#acceptedAtMs.delete(oldest);
  }
}
