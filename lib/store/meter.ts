/** One call to the store as seen from outside: the benchmarks and the logs count these. */
export type StoreCall = {
  readonly operation: string;
  /** Order of events, not time: a call that starts after another ended waited for it. */
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

  /** The longest chain of calls none of which overlap: what the request had to wait for, one after another. */
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
