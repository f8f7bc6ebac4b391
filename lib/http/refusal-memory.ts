import { auditLimits, cacheLimits } from "../contract/limits.ts";

/** The refusals that a warm function has recorded within the last minute, so that repeated refusals cost no reads. */
export class RefusalMemory {
  readonly #recordedAtMs = new Map<string, number>();

  isRecorded(keyId: string, reason: string, nowMs: number): boolean {
    const atMs = this.#recordedAtMs.get(`${keyId} ${reason}`);
    return atMs !== undefined && atMs <= nowMs && nowMs < atMs + auditLimits.refusedEveryMs;
  }

  noteRecorded(keyId: string, reason: string, nowMs: number): void {
    if (this.#recordedAtMs.size >= cacheLimits.refusalsMax) this.#recordedAtMs.clear();
    this.#recordedAtMs.set(`${keyId} ${reason}`, nowMs);
  }
}
