import { describe, expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { streamLimits } from "../../lib/contract/limits.ts";
import { ConditionFailed, type Item, type Key } from "../../lib/store/table.ts";
import {
  dropSpills,
  forgetSpill,
  markSpillForRemoval,
  parseSpill,
  readFirstPart,
  readSpills,
  spillIsUsable,
  unmarkSpill,
  writeSpill,
} from "../../lib/stream/spill.ts";
import type { StreamDeps } from "../../lib/stream/stream.ts";
import { seededRandom, TestClock } from "../support/clock.ts";
import { tableWith } from "../support/partial-table.ts";
import { depsOf } from "./support.ts";

const organization = "00000000-0000-5000-8000-000000000001";
const spill = { id: "s1", organization, parts: 2, pointerId: "p1", isMarkedForRemoval: false };
const bytes = (length: number) => Uint8Array.from({ length }, (_, index) => index);

/** Every call of the store, in order; the first one fails with `fails`. */
function recorded(fails?: Error) {
  const calls: unknown[] = [];
  const table = tableWith({
    write: async (...args) => {
      calls.push(args);
      if (fails) throw fails;
      return undefined;
    },
    writeMany: async (writes) => {
      calls.push(writes);
    },
  });
  const clock = new TestClock("2026-11-15T12:00:00.900Z");
  const random = { ...seededRandom(1), uuid: () => "s1" };
  const { limits } = depsOf(table);
  const deps: StreamDeps = {
    table,
    clock,
    random,
    ...(limits && { limits: { ...limits, partBytesMax: 10 } }),
  };
  return { calls, deps };
}

describe("a spill is written", () => {
  const ownItem = [
    { put: { ...kinds.spill.key({ organization, spillId: "s1" }), i: "p1", c: 3 }, when: { absent: "pk" } },
    { idempotent: true },
  ];

  test("a spill is written with an item that names its owner first, and then its parts", async () => {
    const { calls, deps } = recorded();
    expect(await writeSpill(deps, organization, "p1", bytes(25))).toEqual({ id: "s1", parts: 3 });
    expect(calls).toEqual([
      ownItem,
      [
        { put: { ...kinds.spillPart.key({ spillId: "s1", index: 0 }), d: bytes(25).subarray(0, 10) } },
        { put: { ...kinds.spillPart.key({ spillId: "s1", index: 1 }), d: bytes(25).subarray(10, 20) } },
        { put: { ...kinds.spillPart.key({ spillId: "s1", index: 2 }), d: bytes(25).subarray(20) } },
      ],
    ]);
    expect(await writeSpill(deps, organization, "p1", bytes(20))).toEqual({ id: "s1", parts: 2 });
  });

  test("a spill is written even if its own item exists because it was sent again after a time-out", async () => {
    const { calls, deps } = recorded(new ConditionFailed(undefined));
    expect(await writeSpill(deps, organization, "p1", bytes(25))).toEqual({ id: "s1", parts: 3 });
    expect(calls).toHaveLength(2);
  });

  test("a spill is written in parts of 350,000 bytes by default", async () => {
    const { deps } = recorded();
    const { limits: _, ...usual } = deps;
    expect(await writeSpill(usual, organization, "p1", new Uint8Array(350_001))).toEqual({
      id: "s1",
      parts: 2,
    });
  });

  test("a spill is not written if the store refuses its item", async () => {
    const planted = new TypeError("planted");
    const { calls, deps } = recorded(planted);
    await expect(writeSpill(deps, organization, "p1", bytes(25))).rejects.toBe(planted);
    expect(calls).toEqual([ownItem]);
  });
});

test("spills are read in one batch; one that lacks a part is left out, the others are complete", async () => {
  const parts: Item[] = [
    { ...kinds.spillPart.key({ spillId: "a", index: 0 }), d: bytes(1) },
    { ...kinds.spillPart.key({ spillId: "b", index: 0 }), d: bytes(2) },
    { ...kinds.spillPart.key({ spillId: "b", index: 1 }), d: bytes(3) },
    { ...kinds.spillPart.key({ spillId: "c", index: 1 }), d: bytes(4) },
    { ...kinds.spillPart.key({ spillId: "d", index: 0 }), d: bytes(5) },
  ];
  const asked: Array<readonly Key[]> = [];
  const table = tableWith({
    getMany: async (keys) => {
      asked.push(keys);
      return keys.map((key) => parts.find(({ pk, sk }) => pk === key.pk && sk === key.sk));
    },
  });
  const [a, b, c, d] = [
    { id: "a", parts: 1 },
    { id: "b", parts: 2 },
    { id: "c", parts: 2 },
    { id: "d", parts: 1 },
  ];
  expect([...(await readSpills(table, [a, b, c, d]))]).toEqual([
    [a, Buffer.from(bytes(1))],
    [b, Buffer.concat([bytes(2), bytes(3)])],
    [d, Buffer.from(bytes(5))],
  ]);
  expect(asked).toHaveLength(1);
});

test("the first part of a spill is read by itself; a deleted one is undefined", async () => {
  const asked: Key[] = [];
  const holding = (item: Item | undefined) =>
    tableWith({
      get: async (key) => {
        asked.push(key);
        return item;
      },
    });
  const first = { ...kinds.spillPart.key({ spillId: "s1", index: 0 }), d: bytes(3) };
  expect(await readFirstPart(holding(first), spill)).toEqual(bytes(3));
  expect(await readFirstPart(holding(undefined), spill)).toBeUndefined();
  expect(asked).toEqual([
    kinds.spillPart.key({ spillId: "s1", index: 0 }),
    kinds.spillPart.key({ spillId: "s1", index: 0 }),
  ]);
});

describe("a spill's own item", () => {
  const item = { ...kinds.spill.key({ organization, spillId: "s1" }), i: "p1", c: 2 };

  test("a spill's own item names its owner and the state of its sweep", () => {
    expect(parseSpill(item, organization)).toStrictEqual(spill);
    expect(parseSpill({ ...item, x: 1 }, organization)).toEqual({ ...spill, isMarkedForRemoval: true });
    const { i: _, ...dropped } = { ...item, x: 1, ttl: 7 };
    const mark = { ...spill, pointerId: undefined, isMarkedForRemoval: true, ttl: 7 };
    expect(parseSpill(dropped, organization)).toEqual(mark);
    expect(() => parseSpill({ ...item, c: "2" }, organization)).toThrow(
      `The spill at SPILL#${organization} / s1 is damaged in: c.`,
    );
  });

  test("an append may name a spill's own item, or a sweep mark it, only while it is not marked or dropped", () => {
    const stands = { all: [{ present: "i" }, { absent: "x" }] };
    const key = kinds.spill.key({ organization, spillId: "s1" });
    expect(spillIsUsable(organization, spill)).toEqual({ check: key, when: stands });
    expect(markSpillForRemoval(spill)).toEqual({ update: key, change: { set: [["x", 1]] }, when: stands });
    expect(unmarkSpill(spill)).toEqual({ update: key, change: { remove: ["x"] }, when: { present: "i" } });
  });

  test("a spill's own item stays a month after its parts are dropped, marked for removal, without an owner", async () => {
    const { calls, deps } = recorded();
    const ttl = Date.UTC(2026, 11, 15, 12) / 1000;
    await dropSpills(deps, [spill, { organization, id: "s2", parts: 0 }]);
    expect(calls).toEqual([
      [
        { put: { ...kinds.spill.key({ organization, spillId: "s1" }), c: 2, x: 1, ttl } },
        { delete: kinds.spillPart.key({ spillId: "s1", index: 0 }) },
        { delete: kinds.spillPart.key({ spillId: "s1", index: 1 }) },
        { put: { ...kinds.spill.key({ organization, spillId: "s2" }), c: 0, x: 1, ttl } },
      ],
    ]);
  });

  test("a spill's own item is deleted after its late parts, once no delayed request can write parts any more", async () => {
    const { calls, deps } = recorded();
    const nowSeconds = Math.floor(deps.clock.nowMs() / 1000);
    const { droppedSpillDays, lateRequestHours } = deps.limits ?? streamLimits;
    const ttl = nowSeconds + droppedSpillDays * 24 * 3_600 - lateRequestHours * 3_600;
    await forgetSpill(deps, { ...spill, ttl: ttl + 1 });
    expect(calls).toEqual([]);
    await forgetSpill(deps, { ...spill, ttl });
    expect(calls).toEqual([
      [
        { delete: kinds.spillPart.key({ spillId: "s1", index: 0 }) },
        { delete: kinds.spillPart.key({ spillId: "s1", index: 1 }) },
      ],
      [{ delete: kinds.spill.key({ organization, spillId: "s1" }) }],
    ]);
  });

  test("a spill that was not dropped is not forgotten, and nothing is deleted", async () => {
    const { calls, deps } = recorded();
    await expect(forgetSpill(deps, spill)).rejects.toThrow(
      new TypeError("Missing expiry of a dropped spill; this is a bug."),
    );
    expect(calls).toEqual([]);
  });
});
