import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { failsItsInvalidItems, reasons } from "./wanted.ts";

const wordsOf = (file: string) => readFileSync(file, "utf8").replaceAll('\\"', '"').replaceAll(/\s+/g, " ");

test("a reason that stands in a file of this project stands there word for word", () => {
  const ours = reasons.filter(({ from }) => from.startsWith("docs/"));
  expect(ours.filter(({ from, sentence }) => !wordsOf(from).includes(sentence))).toEqual([]);
  expect(ours.length).toBeGreaterThan(0);
});

const item = { repository_id: "9001", learning: "Use early returns." };
const done = { index: 0, status: "created", id: "1" };
const failed = (code: string) => ({ index: 0, status: "failed", id: null, error: { code, message: "" } });

test.each<[string, boolean, unknown, readonly unknown[]]>([
  [
    "its invalid item failed",
    true,
    { data: [item, { ...item, author: "7" }] },
    [done, failed("INVALID_ITEM")],
  ],
  ["its invalid item was stored", false, { data: [{ ...item, author: "7" }] }, [done]],
  ["its invalid item failed for another reason", false, { data: [7] }, [failed("STORAGE_FAILED")]],
  ["only one of two invalid items failed", false, { data: [7, 8] }, [failed("INVALID_ITEM"), done]],
  ["no item is invalid", false, { data: [item] }, [failed("REPOSITORY_NOT_FOUND")]],
  ["a field beside the items is invalid too", false, { data: [7], author: 7 }, [failed("INVALID_ITEM")]],
  ["an `org_id` beside them is ignored", true, { data: [7], org_id: 7 }, [failed("INVALID_ITEM")]],
])(
  "a batch with a false item is rightly answered 200 only if that item failed for it: %s (%s)",
  (_, isRight, request, results) => {
    const exchange = {
      keyKind: "organization",
      sent: JSON.stringify(request),
      body: JSON.stringify({ results }),
    };
    expect(failsItsInvalidItems(exchange)).toBe(isRight);
  },
);

test("a workspace token's `org_id` is read, so an invalid one is no matter of the items", () => {
  const sent = JSON.stringify({ data: [7], org_id: 7 });
  const body = JSON.stringify({ results: [failed("INVALID_ITEM")] });
  expect(failsItsInvalidItems({ keyKind: "workspace", sent, body })).toBe(false);
});
