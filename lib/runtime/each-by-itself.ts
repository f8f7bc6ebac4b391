/** For schedules: a piece that fails holds up no other, and when all have had their turn the first fault is told. */
export class EachByItself {
  readonly #faults: unknown[] = [];

  async run(piece: () => Promise<unknown>): Promise<void> {
    await piece().catch((fault: unknown) => this.#faults.push(fault));
  }

  end(): void {
    for (const fault of this.#faults) throw fault;
  }
}
