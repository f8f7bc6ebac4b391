import { expect, test } from "vitest";
import { required } from "../../lib/runtime/required.ts";

test("a present value is returned, even if it is falsy", () => {
  expect(["", 0, false].map((value) => required(value, "value"))).toEqual(["", 0, false]);
});

test.each([undefined, null])("a missing value (%s) throws an error with its name", (missing) => {
  expect(() => required(missing, "guard of the pool")).toThrow(
    new TypeError("Missing guard of the pool; this is a bug."),
  );
});
