/** One call to the store, as the benchmarks and the logs count it. */
export type StoreCall = {
  readonly operation: string;
  /** A sequence number, not a time: a call that starts after another one ended had to wait for it. */
  readonly startedAt: number;
  endedAt: number;
  readUnits: number;
  writeUnits: number;
  failed: boolean;
};

export class StoreMeter {
  readonly calls: StoreCall[] = [];
  #tick = 0;

  start(operation: string): StoreCall {
    const call = {
      operation,
      startedAt: this.#tick++,
      endedAt: Number.POSITIVE_INFINITY,
      readUnits: 0,
      writeUnits: 0,
      failed: false,
    };
    this.calls.push(call);
    return call;
  }

  end(call: StoreCall): void {
    call.endedAt = this.#tick++;
  }

  get readUnits(): number {
    return this.calls.reduce((sum, call) => sum + call.readUnits, 0);
  }

  get writeUnits(): number {
    return this.calls.reduce((sum, call) => sum + call.writeUnits, 0);
  }

  /** The longest chain of calls that do not overlap: the round trips that the request waited for, one after another. */
  get sequentialRoundTrips(): number {
    let trips = 0;
    let lastEnd = -1;
    for (const call of this.calls.toSorted((a, b) => a.endedAt - b.endedAt)) {
      if (call.startedAt > lastEnd) {
        trips++;
        lastEnd = call.endedAt;
      }
    }
    return trips;
  }
}
