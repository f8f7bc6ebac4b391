import { expect, test } from "vitest";
import { indexLimits } from "../../lib/contract/limits.ts";
import { beginningOf, piecesOf } from "../../lib/index/pieces.ts";
import fc from "../support/property.ts";

const { pieceBytesMax, pieceOverlapBytes } = indexLimits;

test("the pieces of any text are short enough, have whole characters, and together are the whole text", () => {
  const character = fc.constantFrom("a", " ", "é", "日", "🧪");
  const text = fc.array(character, { minLength: 0, maxLength: 12_000 }).map((all) => all.join(""));
  fc.assert(
    fc.property(text, (whole) => {
      const pieces = piecesOf(whole);
      let covered = 0;
      for (const piece of pieces) {
        expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(pieceBytesMax);
        expect(piece).not.toContain("\ufffd");
        const start = whole.indexOf(piece, Math.max(0, covered - pieceOverlapBytes - 4));
        expect(start).toBeGreaterThanOrEqual(0);
        expect(start).toBeLessThanOrEqual(covered);
        covered = start + piece.length;
      }
      expect(covered).toBe(whole.length);
    }),
    { numRuns: 30 },
  );
});

test("a text that fits is a single piece", () => {
  expect(piecesOf("")).toEqual([""]);
  expect(piecesOf("x".repeat(pieceBytesMax))).toEqual(["x".repeat(pieceBytesMax)]);
  expect(piecesOf("x".repeat(pieceBytesMax + 1))).toHaveLength(2);
});

test("a sentence at a cut is complete in one of the pieces", () => {
  const sentence = "Never retry a charge without its idempotency key.";
  const before = "word ".repeat(Math.floor((pieceBytesMax - 20) / 5));
  const pieces = piecesOf(`${before}${sentence}${" tail".repeat(1_000)}`);
  expect(pieces.filter((piece) => piece.includes(sentence))).toHaveLength(1);
});

test("a shortened text ends between characters", () => {
  expect(beginningOf("日本語", 7)).toBe("日本");
  expect(beginningOf("abc", 3)).toBe("abc");
});
