import { expect, test } from "vitest";
import type { Item } from "../../lib/store/table.ts";
import { comparable } from "./support.ts";

test("contents of a table are comparable whatever the order of items and attributes that an engine returns", () => {
  const entry = (sk: string, id: string, action: string): Item => ({
    pk: "AUDIT#a",
    sk,
    id,
    action,
    more: { n: 1, b: 2 },
  });
  const items = [entry("1", "x", "seat.assigned"), entry("2", "y", "seat.unassigned")];
  const turned = [
    { more: { b: 2, n: 1 }, action: "seat.unassigned", id: "y", sk: "2", pk: "AUDIT#a" },
    ...items.slice(0, 1),
  ];
  expect(comparable(turned)).toEqual(comparable(items));
});
