/**
 * dead: a good event is a dead letter · alive: a bad one is none · patient: a bad one was waited for as if it could pass ·
 * buried: the queue gave one up without a reason ·
 * waiting: an event still waits at rest · missed: a thing is not what its newest event says · people: counts, persons
 * or seats do not add up · key: a key works that should not, or the other way round · late: a write began after its
 * run had ended · endless: it never comes to rest.
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
  | "endless";

/** A promise of the write side that did not hold. */
export class Violation extends Error {
  override readonly name = "Violation";
  readonly rule: BrokenRule;
  constructor(rule: BrokenRule, message: string) {
    super(message);
    this.rule = rule;
  }
}
