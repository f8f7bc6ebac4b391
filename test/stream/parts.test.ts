import { describe, expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { streamLimits } from "../../lib/contract/limits.ts";
import { streamEntryKey, streamRemovalKey } from "../../lib/store/layout.ts";
import type { AttributeValue, Key } from "../../lib/store/table.ts";
import { entryBody, entryPuts, parseEntry } from "../../lib/stream/entry.ts";
import {
  advanceHead,
  emptyHead,
  emptyPending,
  isSettled,
  parseHead,
  publishHead,
  readHead,
} from "../../lib/stream/head.ts";
import {
  addedKeys,
  copiesOf,
  copyOf,
  entryKeys,
  hasDropped,
  ownerOfCopy,
  pendingSchema,
  pendingValue,
} from "../../lib/stream/pending.ts";
import { parseRemoval, removalPuts } from "../../lib/stream/removal.ts";
import { sizeOf } from "../../lib/stream/size.ts";
import { decodeWeeks, encodeWeeks, weekOf, weekStartMs } from "../../lib/stream/weeks.ts";
import { tableWith } from "../support/partial-table.ts";

const organization = "00000000-0000-5000-8000-000000000001";
const tenant = "w#acme";
const address = { tenant, organization, dataset: "c", week: 7, number: 42 } as const;
const pending = {
  added: [{ organization, pointerId: "p1", number: 42, weeks: [["c", 7] as const, ["r", 7] as const] }],
  dropped: [{ ...address, number: 41 }],
  spills: [{ organization, id: "s1", parts: 2 }],
};

describe("the estimated size of a value in DynamoDB", () => {
  test.each<[AttributeValue | undefined, number]>([
    [undefined, 0],
    [null, 1],
    [true, 1],
    ["", 0],
    ["aé", 3],
    [7, 2],
    [12_345, 4],
    [new Uint8Array(9), 9],
    [[], 3],
    [["a", null], 3 + 2 + 2],
    [{}, 3],
    [{ ab: "c", d: undefined }, 3 + (1 + 2 + 1) + (1 + 1)],
  ])("the estimated size in DynamoDB of %j is %i bytes", (value, bytes) => {
    expect(sizeOf(value)).toBe(bytes);
  });
});

describe("the pending changes of a head", () => {
  test("the pending changes of a head are read back as they were written, with every name stored once", () => {
    const value = pendingValue(pending);
    expect(value).toEqual({
      o: [organization],
      a: [
        [
          0,
          "p1",
          42,
          [
            ["c", 7],
            ["r", 7],
          ],
        ],
      ],
      t: [tenant],
      d: [[0, 0, "c", 7, 41]],
      s: [[0, "s1", 2]],
    });
    expect(pendingSchema.parse(value)).toEqual(pending);
    const bare = { ...pending, dropped: [], spills: [] };
    expect(Object.keys(Object(pendingValue(bare)))).toEqual(["o", "a"]);
    expect(pendingSchema.parse(pendingValue(bare))).toEqual(bare);
  });

  test("the pending changes of a head include the removals, and name both copies of each", () => {
    const added = [{ organization, pointerId: "p1", number: 42, weeks: [], removals: ["c" as const] }];
    const removing = { added, dropped: [], spills: [] };
    const value = pendingValue(removing);
    expect(value).toEqual({ o: [organization], a: [[0, "p1", 42, [], ["c"]]] });
    expect(pendingSchema.parse(value)).toEqual(removing);
    expect(addedKeys(tenant, removing)).toEqual([
      kinds.pointer.key({ organization, pointerId: "p1" }),
      streamRemovalKey({ tenant, organization: undefined, dataset: "c" }, 42),
      streamRemovalKey({ tenant, organization, dataset: "c" }, 42),
    ]);
  });

  test("the pending changes of a head may be of every dataset, and of no other", () => {
    const of = (letter: string) => ({ o: [organization], a: [[0, "p1", 42, [[letter, 7]]]] });
    for (const letter of ["c", "r", "m"]) expect(pendingSchema.safeParse(of(letter)).success).toBe(true);
    for (const letter of ["", "x"]) expect(pendingSchema.safeParse(of(letter)).success).toBe(false);
  });

  test("the pending changes of a head that name a tenant without a list of tenants are damaged", () => {
    const { t: _, ...without } = Object(pendingValue(pending));
    expect(pendingSchema.safeParse(without).success).toBe(false);
  });

  test("the pending changes of a head that name an element missing in their list are damaged", () => {
    for (const damage of [{ a: [[1, "p1", 42, []]] }, { d: [[1, 0, "c", 7, 41]] }, { s: [[1, "s1", 2]] }])
      expect(
        pendingSchema.safeParse({ ...Object(pendingValue(pending)), ...damage }).error?.issues,
      ).toMatchObject([{ message: "Pending names what it does not list." }]);
  });

  test("the pending changes of a head show whether anything has to be retired", () => {
    expect(hasDropped(pending)).toBe(true);
    expect(hasDropped({ ...pending, dropped: [] })).toBe(true);
    expect(hasDropped({ ...pending, spills: [] })).toBe(true);
    expect(hasDropped({ ...pending, dropped: [], spills: [] })).toBe(false);
  });

  test("a head's pending changes name all other items of the append: pointer and both copies per dataset", () => {
    expect(copiesOf(tenant, organization)).toEqual([undefined, organization]);
    expect(copiesOf(`o#${organization}`, organization)).toEqual([undefined]);
    for (const [copy, read, owner] of [
      [{ tenant, organization }, organization, organization],
      [{ tenant, organization: undefined }, undefined, undefined],
      [{ tenant: `o#${organization}`, organization }, undefined, organization],
      [{ tenant: `o#${organization}`, organization: undefined }, undefined, organization],
    ] as const)
      expect([copyOf(copy), ownerOfCopy(copy)]).toEqual([read, owner]);
    expect(addedKeys(tenant, pending)).toHaveLength(1 + 2 * 2);
    expect(addedKeys(`o#${organization}`, pending)).toHaveLength(1 + 2);
    expect(entryKeys(address)).toEqual([
      streamEntryKey({ tenant, organization: undefined, dataset: "c", week: 7 }, 42),
      streamEntryKey({ tenant, organization, dataset: "c", week: 7 }, 42),
    ]);
  });
});

describe("an entry", () => {
  const visible = { repositoryId: "9001", authorId: null, atMs: 5, renderedBytes: 6, payload: "text" };

  test("an entry is read back from each of its copies, with its organization", () => {
    for (const [authorId, a] of [
      [null, {}],
      ["4411", { a: "4411" }],
    ] as const) {
      const body = entryBody("p1", { ...visible, authorId }, undefined);
      expect(body).toEqual({ i: "p1", r: "9001", t: 5, b: 6, p: "text", ...a });
      for (const { put, when } of entryPuts(address, body)) {
        expect(when).toEqual({ absent: "pk" });
        expect(parseEntry(put, organization)).toEqual({
          entry: { number: 42, organization, ...visible, authorId },
          pointerId: "p1",
          spill: undefined,
        });
      }
    }
  });

  test("no copy of a removal takes the place of another one", () => {
    const facets = { day: 1, repositoryId: "9001", authorId: null, status: undefined };
    const removal = { pointerId: "p1", pullRequest: "pr/1", facets, removedAtMs: 5 };
    const puts = removalPuts({ tenant, organization, dataset: "reviews", number: 42 }, removal);
    expect(puts.map(({ when }) => when)).toEqual([{ absent: "pk" }, { absent: "pk" }]);
  });

  test("an entry stores its organization only in the tenant's copy", () => {
    const body = entryBody("p1", visible, undefined);
    expect(entryPuts(address, body).map(({ put: { pk, sk } }) => ({ pk, sk }))).toEqual(entryKeys(address));
    expect(entryPuts(address, body).map(({ put }) => put.g)).toEqual([organization, undefined]);
    expect(entryPuts({ ...address, tenant: `o#${organization}` }, body).map(({ put }) => put.g)).toEqual([
      undefined,
    ]);
  });

  test("an entry that was spilled has its parts instead of a payload; without either it is empty", () => {
    const spill = { id: "s1", parts: 2 };
    const body = entryBody("p1", visible, spill);
    expect(body).toMatchObject({ s: ["s1", 2] });
    expect(body).not.toHaveProperty("p");
    const [copy] = entryPuts(address, body);
    expect(copy && parseEntry(copy.put, organization)).toMatchObject({
      spill,
      entry: { payload: undefined },
    });
    expect(entryBody("p1", { ...visible, payload: undefined }, undefined)).toMatchObject({ p: null });
  });

  test("an entry without an organization, or with both or neither of payload and parts, is damaged", () => {
    const body = entryBody("p1", visible, undefined);
    const key = { pk: "S#x", sk: "0000000042" };
    expect(() => parseEntry({ ...key, ...body }, undefined)).toThrow(
      "The stream entry at S#x / 0000000042 is nobody's.",
    );
    for (const wrong of [{ s: ["s1", 2] }, { p: undefined }])
      expect(() => parseEntry({ ...key, ...body, ...wrong }, organization)).toThrow(
        "The stream entry at S#x / 0000000042 is damaged in: p.",
      );
    for (const sk of ["42", "00000000042", "000000004x"])
      expect(() => parseEntry({ ...key, ...body, sk }, organization)).toThrow("is damaged in: sk.");
  });
});

test("a removal without an organization in the copy of a workspace is damaged", () => {
  const key = { pk: "R#x", sk: "0000000042" };
  const item = { ...key, i: "p1", u: "https://git.test/1", t: 7, x: { d: 1, r: "9001" } };
  expect(() => parseRemoval(item, undefined)).toThrow("The removal at R#x / 0000000042 is nobody's.");
  expect(parseRemoval({ ...item, g: organization }, undefined)).toMatchObject({ organization, number: 42 });
});

describe("the head", () => {
  test("the head of a tenant without entries is empty and settled", () => {
    expect(parseHead(undefined)).toEqual({ next: 1, published: 0, pending: undefined, weeks: [] });
    expect(isSettled(emptyHead)).toBe(true);
  });

  test("the head is read as stored, and reported when it is damaged", async () => {
    const weeks = [{ week: 7, lowest: 3, highest: 255 }];
    const item = {
      ...kinds.streamHead.key({ tenant }),
      n: 6,
      p: 4,
      q: pendingValue(pending),
      w: encodeWeeks(weeks),
    };
    const head = { next: 6, published: 4, pending, weeks };
    expect(parseHead(item)).toEqual(head);
    const asked: Key[] = [];
    const table = tableWith({
      get: async (key) => {
        asked.push(key);
        return item;
      },
    });
    expect(await readHead(table, tenant)).toEqual(head);
    expect(asked).toEqual([kinds.streamHead.key({ tenant })]);
    const { pk, sk } = item;
    expect(() => parseHead({ pk, sk, n: 1.5, p: 0 })).toThrow(
      `The stream head at ${pk} / ${sk} is damaged in: n.`,
    );
  });

  test("the head empties its pending changes only if no later append exists", () => {
    expect(emptyPending(tenant, 6)).toEqual({
      update: kinds.streamHead.key({ tenant }),
      change: { remove: ["q"] },
      when: { equals: ["n", 6] },
    });
  });

  test("the head is settled when everything is published and nothing pending", () => {
    const head = { ...emptyHead, next: 5, published: 4 };
    expect(isSettled(head)).toBe(true);
    expect(isSettled({ ...head, published: 3 })).toBe(false);
    expect(isSettled({ ...head, pending })).toBe(false);
  });

  test("the head advances only from the state that was read, and only if nothing is pending", () => {
    const weeks = [{ week: 7, lowest: 1, highest: 5 }];
    const after = { next: 6, published: 4, pending: undefined, weeks };
    expect(advanceHead(tenant, { ...emptyHead, next: 5, published: 4 }, after)).toEqual({
      update: kinds.streamHead.key({ tenant }),
      change: {
        set: [
          ["n", 6],
          ["w", encodeWeeks(weeks)],
        ],
        setOnce: [["p", 0]],
      },
      when: { all: [{ equals: ["n", 5] }, { equals: ["p", 4] }, { absent: "q" }] },
    });
    expect(advanceHead(tenant, emptyHead, { ...after, pending })).toMatchObject({
      change: { set: [expect.anything(), expect.anything(), ["q", pendingValue(pending)]] },
      when: { absent: "n" },
    });
  });

  test("the head publishes only forwards, and empties its pending changes if nothing has to be retired", () => {
    expect(publishHead(tenant, 9, false)).toEqual({
      update: kinds.streamHead.key({ tenant }),
      change: { set: [["p", 9]] },
      when: { below: ["p", 9] },
    });
    expect(publishHead(tenant, 9, true)).toMatchObject({ change: { set: [["p", 9]], remove: ["q"] } });
  });
});

describe("weeks", () => {
  test("weeks end with the stream's last week: a time outside them is refused", () => {
    const endMs = weekStartMs(streamLimits.weeksMax);
    expect(weekOf(endMs - 1)).toBe(streamLimits.weeksMax - 1);
    for (const atMs of [endMs, weekStartMs(0) - 1, Number.NaN])
      expect(() => weekOf(atMs)).toThrow(new RangeError("The time lies outside the stream's weeks."));
  });

  test("weeks are empty for a head without weeks or with too few bytes", () => {
    for (const bytes of [undefined, new Uint8Array(0), new Uint8Array(2), encodeWeeks([])])
      expect(decodeWeeks(bytes)).toEqual([]);
  });

  test("weeks keep their bounds exactly as long as one byte holds them", () => {
    const spans = [{ week: 3, lowest: 3, highest: 255 }];
    expect(decodeWeeks(encodeWeeks(spans))).toEqual(spans);
    expect(decodeWeeks(encodeWeeks([{ week: 3, lowest: 3, highest: 256 }]))).toEqual([
      { week: 3, lowest: 2, highest: 257 },
    ]);
  });
});
