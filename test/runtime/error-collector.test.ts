import { afterEach, expect, test, vi } from "vitest";
import { ErrorCollector } from "../../lib/runtime/error-collector.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

test("a piece that fails is logged and does not delay the others, and the run ends with the first error", async () => {
  const lines: unknown[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
  const done: number[] = [];
  const pieces = new ErrorCollector();
  for (const piece of [1, 2, 3, 4, 5]) {
    await pieces.run(async () => {
      if (piece % 2 === 0) throw new RangeError(`planted ${piece}`);
      done.push(piece);
    });
  }
  expect(done).toEqual([1, 3, 5]);
  expect(lines).toMatchObject(
    [2, 4].map((piece) => ({
      level: "error",
      message: "A part of a scheduled run failed.",
      cause: expect.arrayContaining([`RangeError: planted ${piece}`]),
    })),
  );
  expect(() => pieces.end()).toThrow(new RangeError("planted 2"));
  expect(() => new ErrorCollector().end()).not.toThrow();
});
