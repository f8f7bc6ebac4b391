import { createHash } from "node:crypto";
import { vi } from "vitest";
import { systemClock } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";

/** A clock that stands still and random values that repeat, so that every recording is the same. */
export class DeterministicRuntime {
  #nowMs = Date.parse("2026-06-15T09:00:00.000Z");
  #step = "";
  readonly #drawn = { bytes: 0, uuid: 0, below: 0 };

  constructor() {
    vi.useFakeTimers({ toFake: ["Date"], now: this.#nowMs });
    vi.spyOn(systemRandom, "bytes").mockImplementation((count) => this.#draw("bytes").subarray(0, count));
    vi.spyOn(systemRandom, "uuid").mockImplementation(() => uuidOf(this.#draw("uuid")));
    vi.spyOn(systemRandom, "below").mockImplementation(
      (below) => this.#draw("below").readUInt32BE(0) % below,
    );
    // Waits between attempts are skipped because they are not recorded; deadlines stay as they are.
    const sleep = systemClock.sleep.bind(systemClock);
    vi.spyOn(systemClock, "sleep").mockImplementation((ms, signal) => sleep(ms > 1_000 ? ms : 0, signal));
  }

  /** Random values follow from the step's name: an added step changes no other step. */
  begin(step: string, afterMs: number): void {
    this.#step = step;
    Object.assign(this.#drawn, { bytes: 0, uuid: 0, below: 0 });
    this.#nowMs += afterMs;
    vi.setSystemTime(this.#nowMs);
  }

  /** The same, at a moment that does not depend on earlier steps. */
  beginAt(step: string, timestamp: string): void {
    this.#nowMs = Date.parse(timestamp);
    this.begin(step, 0);
  }

  end(): void {
    vi.useRealTimers();
    vi.restoreAllMocks();
  }

  /** 32 bytes: the most that are requested at once. */
  #draw(kind: "bytes" | "uuid" | "below"): Buffer {
    return createHash("sha256")
      .update(`${this.#step} ${kind} ${this.#drawn[kind]++}`)
      .digest();
  }
}

function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
