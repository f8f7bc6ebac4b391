import { describe, expect, test } from "vitest";
import * as z from "zod";
import { AwsError } from "../../lib/runtime/aws-error.ts";
import { describeError } from "../../lib/runtime/log.ts";

describe("a cause in the log", () => {
  const words = (error: unknown) => describeError(error).filter((line) => !line.startsWith("at "));

  test("a logged cause of a schema names rules and fields, never the received values", () => {
    const schema = z.strictObject({ name: z.string(), deep: z.record(z.string(), z.number()) });
    const { error } = schema.safeParse({ name: 1, deep: { planted: "planted" }, planted: true });
    expect(error?.message).toContain("planted");
    expect(words(error)).toEqual(["ZodError: invalid_type at name, invalid_type at deep, unrecognized_keys"]);
  });

  test("a logged cause of AWS names error and status, and its message only if it is about permissions", () => {
    const answer = (status: number, name: string) => ({ name, status, message: "planted" });
    expect(words(new AwsError(answer(400, "ValidationException")))).toEqual([
      "ValidationException: status 400",
    ]);
    expect(words(new AwsError(answer(400, "AccessDeniedException")))).toEqual([
      "AccessDeniedException: planted",
    ]);
  });

  test("a logged cause includes its own cause", () => {
    const chain = new Error("outer", { cause: new TypeError("inner") });
    expect(words(chain)).toEqual(["Error: outer", "TypeError: inner"]);
    expect(words("no error")).toEqual([]);
  });
});
