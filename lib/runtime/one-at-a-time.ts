/** Runs one piece of work after another, in the order they came; one that fails holds up none of the others. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  run<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }
}
