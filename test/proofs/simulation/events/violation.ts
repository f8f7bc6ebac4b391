/**
 * dead: a good event is a dead letter · alive: a bad event is not a dead letter · patient: a bad event was retried as
 * if its error were temporary · buried: the queue gave up an event without a reason · waiting: an event still waits at
 * rest · missed: an item does not match its newest event · people: counts, persons or seats do not add up · key: a key
 * works that should not, or the reverse · late: a write began after its run had ended · held: an event that
 * moves nothing waited for a move · moving: a move did not end with a run that met no error, or ended twice · endless:
 * the simulation never comes to rest.
 */
export type BrokenRule =
  | "dead"
  | "alive"
  | "patient"
  | "buried"
  | "waiting"
  | "missed"
  | "people"
  | "key"
  | "late"
  | "held"
  | "moving"
  | "endless";

/** A broken promise of the write side. */
export class Violation extends Error {
  override readonly name = "Violation";
  readonly rule: BrokenRule;
  constructor(rule: BrokenRule, message: string) {
    super(message);
    this.rule = rule;
  }
}
