import { vi } from "vitest";

const windowMs = 61_000;

/**
 * Moves the host's clock on by a window before a bucket of calls would fill: then thousands of calls meet no rate
 * limit, and all limited code still runs. It moves the clock only while no call is under way, because the call would
 * time out.
 */
export class Pace {
  #nowMs: number;
  #underWay = 0;
  #moving: Promise<void> | undefined;
  #idle: (() => void) | undefined;
  readonly #spent = new Map<string, number>();

  constructor(startMs: number) {
    this.#nowMs = startMs;
    vi.useFakeTimers({ toFake: ["Date"], now: startMs });
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** One call in a bucket that takes `callsMax` a minute. */
  async run<Answer>(bucket: string, callsMax: number, call: () => Promise<Answer>): Promise<Answer> {
    while (this.#moving || (this.#spent.get(bucket) ?? 0) >= callsMax) await this.move();
    this.#spent.set(bucket, (this.#spent.get(bucket) ?? 0) + 1);
    this.#underWay++;
    try {
      return await call();
    } finally {
      this.#underWay--;
      if (this.#underWay === 0) this.#idle?.();
    }
  }

  /** Waits until no call is under way, then lets a window pass. */
  move(ms = windowMs): Promise<void> {
    this.#moving ??= this.#whenIdle().then(() => {
      this.#nowMs += ms;
      this.#spent.clear();
      this.#moving = undefined;
      vi.setSystemTime(this.#nowMs);
    });
    return this.#moving;
  }

  end(): void {
    vi.useRealTimers();
  }

  #whenIdle(): Promise<void> {
    if (this.#underWay === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }
}
