/** The time for the work is up. A caller gets a 503 while there is still time to answer; an event is redelivered. */
export class TimeUp extends Error {
  override readonly name = "TimeoutError";
  constructor() {
    super("The time for this work is up.");
  }
}
