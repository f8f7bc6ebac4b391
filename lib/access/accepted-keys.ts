import { keyLimits } from "../contract/limits.ts";
import type { TenantKey } from "../contract/tenants.ts";

type Accepted = { readonly atMs: number; readonly tenant: TenantKey };

/**
 * The keys that this function accepted in the last minute, by the hash of their text, with their tenant. They decide
 * only how many rounds of reads authentication takes: every request still reads the key and its tenant.
 */
export class AcceptedKeys {
  readonly #accepted = new Map<string, Accepted>();

  /** Whoever asks adds the key again when it is accepted: a refused key takes all rounds the next time. */
  take(hash: string, nowMs: number): TenantKey | undefined {
    const accepted = this.#accepted.get(hash);
    this.#accepted.delete(hash);
    return accepted && nowMs - accepted.atMs < keyLimits.acceptedForMs ? accepted.tenant : undefined;
  }

  add(hash: string, accepted: Accepted): void {
    // Deleted first, so that the map stays in the order of the times and its first entry is the oldest.
    this.#accepted.delete(hash);
    this.#accepted.set(hash, accepted);
    const [oldest] = this.#accepted.keys();
    if (oldest !== undefined && this.#accepted.size > keyLimits.acceptedKeysMax)
      this.#accepted.delete(oldest);
  }
}
