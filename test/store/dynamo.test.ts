import { describe, expect, test } from "vitest";
import { StoreMeter } from "../../lib/store/meter.ts";
import { ConditionFailed, type Key, queryAll, TransactionRefused } from "../../lib/store/table.ts";
import { useStore } from "../support/engine.ts";

const store = useStore();
const key = (pk: string, sk = "ITEM"): Key => ({ pk, sk });

describe("single writes", () => {
  test("a failed condition returns the stored item", async () => {
    const { table } = store();
    await table.write({ put: { ...key("a"), colour: "red", nested: { size: 3 } } });

    const attempt = table.write({ put: { ...key("a"), colour: "blue" }, when: { absent: "pk" } });

    const failure = await attempt.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConditionFailed);
    expect(failure).toMatchObject({ item: { ...key("a"), colour: "red", nested: { size: 3 } } });
    expect(await table.get(key("a"))).toEqual({ ...key("a"), colour: "red", nested: { size: 3 } });
  });

  test("a change sets, sets once, adds at any depth and removes in one write", async () => {
    const { table } = store();
    await table.write({ put: { ...key("b"), counts: { admin: 1 }, first: "kept", gone: true } });

    const after = await table.write(
      {
        update: key("b"),
        change: {
          set: [["name", "b"]],
          setOnce: [
            ["first", "ignored"],
            ["second", "taken"],
          ],
          add: [
            ["total", 2],
            [["counts", "admin"], 4],
          ],
          remove: ["gone"],
        },
        when: {
          all: [
            { atLeast: [["counts", "admin"], 1] },
            { any: [{ absent: "total" }, { below: ["total", 9] }] },
          ],
        },
      },
      { returning: "new" },
    );

    expect(after).toEqual({
      ...key("b"),
      counts: { admin: 5 },
      first: "kept",
      second: "taken",
      total: 2,
      name: "b",
    });
  });
});

describe("transactions", () => {
  test("a refused transaction writes nothing and names the refused action and the stored item", async () => {
    const { table } = store();
    await table.write({ put: { ...key("c"), taken: 1 } });

    const failure = await table
      .transact([
        { put: { ...key("c", "OTHER"), value: 1 } },
        { put: { ...key("c"), taken: 2 }, when: { absent: "pk" } },
        { check: key("c", "MISSING"), when: { absent: "pk" } },
      ])
      .catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(TransactionRefused);
    expect(failure).toMatchObject({
      refusals: [{ refused: false }, { refused: true, item: { ...key("c"), taken: 1 } }, { refused: false }],
    });
    expect(await table.get(key("c", "OTHER"))).toBeUndefined();
  });

  test("transactGet answers in the order of the keys, with undefined for missing items", async () => {
    const { table } = store();
    await table.transact([{ put: { ...key("d"), value: 1 } }, { put: { ...key("d", "Z"), value: 2 } }]);
    expect(await table.transactGet([key("d", "Z"), key("d", "none"), key("d")])).toEqual([
      { ...key("d", "Z"), value: 2 },
      undefined,
      { ...key("d"), value: 1 },
    ]);
  });
});

describe("reads", () => {
  test("a range after a key, up to another, excludes the first and includes the last", async () => {
    const { table } = store();
    const sorts = ["001", "002", "003", "004"];
    await table.writeMany(sorts.map((sk) => ({ put: key("e", sk) })));
    const read = async (range: object) =>
      (await Array.fromAsync(queryAll(table, { pk: "e", ...range }))).map((item) => item.sk);

    expect(await read({ after: "001", upTo: "003" })).toEqual(["002", "003"]);
    expect(await read({ after: "002" })).toEqual(["003", "004"]);
    expect(await read({ from: "002", descending: true })).toEqual(["004", "003", "002"]);
    expect(await read({ pageItems: 1 })).toEqual(sorts);
    expect(await read({ beginsWith: "00" })).toEqual(sorts);
  });

  test("a prefix after a key includes every later character, of any plane, and nothing else", async () => {
    const { table } = store();
    const characters = [
      "\u0001",
      "#",
      "a",
      "\u00e9",
      "\ud7ff",
      "\ue000",
      "\uffff",
      "\u{10000}",
      "\u{10ffff}",
    ];
    const inside = characters.map((character) => `P#${character}`);
    const outside = ["O", "P", "P\u0022", "P$", "Q#"];
    await table.writeMany([...inside, ...outside].map((sk) => ({ put: key("prefix", sk) })));
    for (const [index, after] of [undefined, ...inside, "P#b"].entries()) {
      const range = { pk: "prefix", beginsWith: "P#", ...(after !== undefined && { after }), pageItems: 2 };
      const found = (await Array.fromAsync(queryAll(table, range))).map(({ sk }) => sk);
      expect(found).toEqual(inside.slice(after === "P#b" ? 3 : index));
    }
  });

  test("getMany accepts more keys than one batch and keeps their order", async () => {
    const { table } = store();
    const keys = Array.from({ length: 230 }, (_, index) => key("f", String(index)));
    await table.writeMany(keys.map((each) => ({ put: { ...each, n: Number(each.sk) } })));
    const asked = [...keys.toReversed(), key("f", "none"), key("f", "7")];
    const items = await table.getMany(asked, { only: ["n"] });
    expect(items.map((item) => item?.n)).toEqual([...keys.map((_, index) => 229 - index), undefined, 7]);
  });

  test("the meter counts calls, units and sequential round trips", async () => {
    const { table } = store();
    const meter = new StoreMeter();
    const metered = table.metered(meter);
    await metered.write({ put: key("g") });
    await Promise.all([metered.get(key("g")), metered.get(key("g", "none"))]);
    expect(meter.calls.map((call) => call.operation)).toEqual(["PutItem", "GetItem", "GetItem"]);
    expect(meter.sequentialRoundTrips).toBe(2);
    expect(meter.readUnits).toBe(2);
    expect(meter.writeUnits).toBe(1);
  });
});
