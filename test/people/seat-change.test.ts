import { expect, test } from "vitest";
import { isChange, personChange } from "../../lib/people/seats.ts";

test.each([
  [{}, false],
  [{ seat: true, seat_decided: true }, false],
  [{ seat: false }, true],
  [{ seat_decided: false }, true],
])("a person who has a seat is changed by %j: %s", (given, expected) => {
  const stored = { pk: "p", sk: "s", email: null, memberships: [], seat: true, seat_decided: true };
  expect(isChange(personChange(stored, given))).toBe(expected);
});
