import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Attribute, fromAttribute, toAttribute, toAttributes } from "../../lib/store/attributes.ts";
import { useStore } from "../support/engine.ts";

const store = useStore();

describe("a value", () => {
  test("has the form that DynamoDB's JSON has for it", () => {
    const bytes = new Uint8Array([0, 255]);
    expect(
      toAttributes({
        s: "é",
        n: -1.5e-7,
        t: true,
        z: null,
        b: bytes,
        l: ["a", [1]],
        m: { x: {} },
        u: undefined,
      }),
    ).toEqual({
      s: { S: "é" },
      n: { N: "-1.5e-7" },
      t: { BOOL: true },
      z: { NULL: true },
      b: { B: "AP8=" },
      l: { L: [{ S: "a" }, { L: [{ N: "1" }] }] },
      m: { M: { x: { M: {} } } },
    });
  });

  test("comes back as it went, through JSON, whatever it holds and however its members are called", () => {
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string({ unit: "grapheme" }),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
        fc.boolean(),
        fc.constant(null),
        fc.uint8Array(),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__")), tie("value"), {
          noNullPrototype: true,
        }),
      ),
    }));
    fc.assert(
      fc.property(value, (sample) => {
        // The arbitrary makes nothing but values; its type cannot say so.
        const attribute = toAttribute(sample as Parameters<typeof toAttribute>[0]);
        const received: Attribute = JSON.parse(JSON.stringify(attribute));
        expect(fromAttribute(received)).toEqual(sample);
      }),
    );
  });

  test("that no item may hold is refused before it is sent", () => {
    expect(() => toAttribute(Number.NaN)).toThrow(RangeError);
    expect(() => toAttribute(Number.POSITIVE_INFINITY)).toThrow(RangeError);
  });

  test("of a kind that no item of ours has is named, and never read as something else", () => {
    const set: Attribute = JSON.parse('{"SS":["a"]}');
    expect(() => fromAttribute(set)).toThrow(
      new TypeError("The table holds an attribute of another kind: SS."),
    );
  });
});

test("the engine stores and gives back every kind of value", async () => {
  const item = {
    pk: "kinds",
    sk: "ITEM",
    text: "é😀\u0000",
    empty: "",
    whole: 2 ** 53 - 1,
    small: 1e-100,
    bytes: new Uint8Array([0, 1, 255]),
    nested: { list: [1, "two", null, { deep: true }], nothing: {} },
  };
  await store().table.write({ put: item });
  expect(await store().table.get(item)).toEqual(item);
});
