import { auditLimits, cacheLimits } from "../contract/limits.ts";

/** What a warm function has told within the minute: who is refused over and over costs no reads. */
export class RefusalMemory {
  readonly #toldAtMs = new Map<string, number>();

  isTold(keyId: string, reason: string, nowMs: number): boolean {
    const atMs = this.#toldAtMs.get(`${keyId} ${reason}`);
    return atMs !== undefined && atMs <= nowMs && nowMs < atMs + auditLimits.refusedEveryMs;
  }

  tell(keyId: string, reason: string, nowMs: number): void {
    if (this.#toldAtMs.size >= cacheLimits.refusalsMax) this.#toldAtMs.clear();
    this.#toldAtMs.set(`${keyId} ${reason}`, nowMs);
  }
}
