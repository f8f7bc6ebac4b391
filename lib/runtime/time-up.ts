/** The time for the work is up: a caller gets a 503 while there is still time to answer, an event comes again. */
export class TimeUp extends Error {
  override readonly name = "TimeoutError";
  constructor() {
    super("The time for this work is up.");
  }
}
