import type { Clock } from "../../lib/runtime/clock.ts";
import type { Random } from "../../lib/runtime/random.ts";

/** A clock that does not advance until a test moves it; sleeping moves it too. */
export class TestClock implements Clock {
  now: number;
  constructor(start = "2026-11-15T12:00:00.000Z") {
    this.now = Date.parse(start);
  }
  nowMs(): number {
    return this.now;
  }
  async sleep(ms: number): Promise<void> {
    this.advance(ms);
  }
  advance(ms: number): void {
    this.now += ms;
  }
}

/** The same, but sleepers wake up at once and no time passes. */
export class FrozenClock extends TestClock {
  override async sleep(_ms?: number): Promise<void> {}
}

/** A clock whose sleepers wake when the test sets the time. */
export class ManualClock implements Clock {
  #now = 0;
  #sleepers: Array<{ atMs: number; wake: () => void }> = [];
  nowMs = () => this.#now;
  sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      this.#sleepers.push({ atMs: this.#now + ms, wake: resolve });
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  async advanceTo(atMs: number): Promise<void> {
    this.#now = atMs;
    for (const { atMs: due, wake } of this.#sleepers) if (due <= atMs) wake();
    await new Promise(setImmediate);
  }
}

/** Random values that repeat exactly for the same seed (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  const bytes = (count: number) => Uint8Array.from({ length: count }, () => below(256));
  const uuid = () => {
    const hex = Buffer.from(bytes(16)).toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  return { below, bytes, uuid };
}
