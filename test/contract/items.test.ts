import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import * as kinds from "../../lib/contract/items.ts";
import { isOf, kind, partsOf } from "../../lib/contract/kind.ts";
import { anyKind, kindNames } from "../store/item-kinds.ts";

const isName = (name: unknown): name is keyof typeof kinds => kindNames.some((each) => each === name);
const recordedKey = z.strictObject({
  kind: z.custom<keyof typeof kinds>(isName),
  parts: z.record(z.string(), z.union([z.string(), z.number()])),
  key: z.strictObject({ pk: z.string(), sk: z.string() }),
});
/** Keys of every kind as release 1 wrote them, with ids that hold `#`, `%` and characters beyond ASCII. */
const recorded = readFileSync(new URL("./recorded-keys.ndjson", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => recordedKey.parse(JSON.parse(line)));

describe("the kinds of items", () => {
  test("keys of every kind are recorded", () => {
    expect([...new Set(recorded.map((each) => each.kind))].toSorted()).toEqual(kindNames.toSorted());
  });

  test.each(kindNames)("%s has the keys that it always had, for hostile ids too", (name) => {
    for (const { parts, key } of recorded.filter((each) => each.kind === name)) {
      expect(anyKind(name).key(parts)).toEqual(key);
      expect(anyKind(name).partition(parts)).toBe(key.pk);
      expect(partsOf(anyKind(name), key)).toEqual(parts);
    }
  });

  test("a key belongs to exactly one kind", () => {
    for (const each of recorded)
      expect(kindNames.filter((name) => isOf(anyKind(name), each.key))).toEqual([each.kind]);
  });

  test("a range begins with the fixed text of the sort key, and with the parts that are given", () => {
    expect(kinds.team.range({ organization: "o1" })).toEqual({ pk: "TEAMS#o1", beginsWith: "TEAM#" });
    expect(kinds.learning.range({ organization: "o1" })).toEqual({ pk: "LEARNING#o1" });
    expect(kinds.stale.range({ shard: 7, organization: "o1" })).toEqual({
      pk: "STALE#07",
      beginsWith: "o1#",
    });
    expect(kinds.waitingByAge.range()).toEqual({ pk: "WAITING" });
  });

  test("a key without one of its parts is a bug, not a key", () => {
    expect(() => anyKind("member").key({ organization: "o1" })).toThrow("needs userId");
  });
});

/** The compiler checks these lines: each expected error that is missing is an error of the types. */
test("a wrong kind or key does not compile", () => {
  const purpose = "Planted.";
  const check = () => [
    // @ts-expect-error: a part is missing
    kinds.member.key({ organization: "o1" }),
    // @ts-expect-error: a part is misspelt
    kinds.member.key({ organization: "o1", userID: "u1" }),
    // @ts-expect-error: a tenant has a prefix
    kinds.tenant.key({ tenant: "acme" }),
    // @ts-expect-error: a number is not text
    kinds.webhook.partition({ shard: "07" }),
    // @ts-expect-error: belongs to an organization and does not say how it moves
    kind("PLANTED#{organization}", "{id}", { owner: "organization", purpose }),
    // @ts-expect-error: the key names the tenant, so the item cannot stay there
    kind("PLANTED#{tenant}", "{organization}", { owner: "organization", moves: "stays", purpose }),
    // @ts-expect-error: the key names an organization, which owns the item
    kind("PLANTED#{organization}", "{id}", { owner: "tenant", purpose }),
    // @ts-expect-error: nobody moves it
    kind("PLANTED#{organization}", "{id}", { owner: "organization", moves: "nobody", purpose }),
    // @ts-expect-error: a removal cannot find its partitions
    kind("PLANTED#{plantId}", "{id}", { owner: "organization", moves: "stays", purpose }),
    kind("PLANTED#{organization}", "{id}", { owner: "organization", moves: "stays", purpose }),
  ];
  expect(check).toThrow("A key of MEMBER#{userId!} needs userId.");
});
