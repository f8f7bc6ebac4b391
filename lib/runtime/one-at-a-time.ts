/** Runs pieces of work one after another, in the order of the calls. A piece that fails does not stop the others. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  run<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }
}
