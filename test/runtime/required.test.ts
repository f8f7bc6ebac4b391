import { expect, test } from "vitest";
import { required } from "../../lib/runtime/required.ts";

test("what is there is handed on, also when it counts as false", () => {
  expect(["", 0, false].map((value) => required(value, "value"))).toEqual(["", 0, false]);
});

test.each([undefined, null])("%s fails by the name of what is missing", (missing) => {
  expect(() => required(missing, "guard of the pool")).toThrow(
    new TypeError("Missing guard of the pool; this is a bug."),
  );
});
