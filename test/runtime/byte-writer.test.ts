import { expect, test } from "vitest";
import { ByteWriter } from "../../lib/runtime/byte-writer.ts";
import fc from "../support/property.ts";

const anyText = fc.string({ unit: "binary", maxLength: 200 });

test("texts and bytes follow one another as if they were joined, whatever was expected", () => {
  const piece = fc.oneof(
    anyText.map((text) => ({ text })),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ bytes })),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(3_000), (pieces, expectedBytes) => {
      const out = new ByteWriter(expectedBytes);
      const joined: Buffer[] = [];
      for (const each of pieces) {
        if ("text" in each) out.text(each.text);
        else out.bytes(each.bytes);
        joined.push("text" in each ? Buffer.from(each.text) : Buffer.from(each.bytes));
      }
      expect(out.written().equals(Buffer.concat(joined))).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("a buffer of the expected size does not grow for the last text", () => {
  const out = new ByteWriter(10_000);
  out.text("x".repeat(10_000));
  expect(out.buffer.length).toBeLessThan(12_000);
});
