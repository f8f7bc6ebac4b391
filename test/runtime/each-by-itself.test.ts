import { expect, test } from "vitest";
import { EachByItself } from "../../lib/runtime/each-by-itself.ts";

test("a piece that fails holds up no other, and the first fault is told at the end", async () => {
  const done: number[] = [];
  const pieces = new EachByItself();
  for (const piece of [1, 2, 3, 4, 5]) {
    await pieces.run(async () => {
      if (piece % 2 === 0) throw new RangeError(`planted ${piece}`);
      done.push(piece);
    });
  }
  expect(done).toEqual([1, 3, 5]);
  expect(() => pieces.end()).toThrow(new RangeError("planted 2"));
  expect(() => new EachByItself().end()).not.toThrow();
});
