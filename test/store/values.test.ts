import { describe, expect, test } from "vitest";
import type { AttributeValue } from "../../lib/store/table.ts";
import { useStore } from "../support/engine.ts";

const store = useStore();
const key = (pk: string) => ({ pk, sk: "ITEM" });

/** Only JSON.parse makes maps with such members. */
const named = (name: string): AttributeValue => JSON.parse(`{"deep":[{"${name}":{"name":"Set"}}]}`);

describe("a member name that the document client would lose or misinterpret", () => {
  test.each(["__proto__", "constructor"])(
    "a member named %s is refused before anything is sent",
    async (name) => {
      const { table } = store();
      const value = named(name);
      const message = `An item must not have a member named ${name}; choose another name.`;
      const put = { put: { ...key("refused"), value } };
      const update = { update: key("refused"), change: { set: [["value", value]] as const } };
      await expect(table.write(put)).rejects.toThrow(message);
      await expect(table.write(update)).rejects.toThrow(message);
      await expect(table.writeMany([put])).rejects.toThrow(message);
      await expect(table.transact([put])).rejects.toThrow(message);
      await expect(table.transact([update])).rejects.toThrow(message);
      expect(await table.get(key("refused"))).toBeUndefined();
    },
  );

  test("any other name of an Object.prototype member is an ordinary member", async () => {
    const { table } = store();
    const item = {
      ...key("names"),
      map: { toString: 1, hasOwnProperty: "x", valueOf: null, prototype: [1], S: "s", NULL: true },
    };
    await table.write({ put: item });
    expect(await table.get(item)).toEqual(item);
  });
});

describe("a value", () => {
  test("a value that is undefined is left out, at any depth", async () => {
    const { table } = store();
    await table.write({ put: { ...key("undefined"), a: undefined, b: { c: undefined, d: 1 } } });
    expect(await table.get(key("undefined"))).toStrictEqual({ ...key("undefined"), b: { d: 1 } });
  });

  test("a value that no item can hold is refused before it is sent", async () => {
    const { table } = store();
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
      await expect(table.write({ put: { ...key("infinite"), value } })).rejects.toThrow("not allowed");
  });

  test("a value of a failed condition is returned in our own form", async () => {
    const { table } = store();
    const item = {
      ...key("found"),
      bytes: Uint8Array.of(0, 255),
      large: 2 ** 60,
      list: [1, null, { x: "y" }],
    };
    await table.write({ put: item });
    const again = { put: item, when: { absent: "pk" } } as const;
    await expect(table.write(again)).rejects.toMatchObject({ item });
    await expect(table.transact([again])).rejects.toMatchObject({ refusals: [{ refused: true, item }] });
  });
});
