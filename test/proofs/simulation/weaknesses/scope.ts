import * as kinds from "../../../../lib/contract/items.ts";
import { isOf } from "../../../../lib/contract/kind.ts";
import type { Weakness } from "../world.ts";
import { bend, transactsAs } from "./weaken.ts";

/**
 * The cursor is a number, and an organization that was not in scope when it passed is missed forever.
 */
export const unmarkedCursor: Weakness = {
  name: "cursor without its scope",
  breaks: ["missed"],
  seedsMax: 500,
  caughtAt: 17,
  scope: "unmarked",
};

export const freshEpochTrusted: Weakness = {
  name: "first page that trusts a fresh epoch",
  breaks: ["missed"],
  seedsMax: 2200,
  caughtAt: 164,
  scope: "fresh-trusted",
};

export const rowsNotReadAgain: Weakness = {
  name: "epoch read after the rows",
  breaks: ["missed", "stale"],
  seedsMax: 950,
  caughtAt: 312,
  scope: "rows-trusted",
};

export const caughtUpAfterwards: Weakness = {
  name: "catching up after continuing",
  breaks: ["missed", "stale"],
  seedsMax: 2000,
  caughtAt: 63,
  scope: "caught-up-late",
};

/** An organization that the narrow key could not see is missed forever by the wider key. */
export const widenedKey: Weakness = {
  name: "cursor of a narrow key that a wider key continues",
  breaks: ["missed", "stale"],
  seedsMax: 900,
  caughtAt: 300,
  scope: "widened",
};

export const epochPublishedInside: Weakness = {
  name: "epoch published by the transaction that takes it",
  breaks: ["missed"],
  seedsMax: 450,
  caughtAt: 41,
  table: bend(
    ["flipper"],
    transactsAs((writes) =>
      writes.map((write) => {
        if (!("update" in write) || !isOf(kinds.scopeEpochs, write.update)) return write;
        const next = write.change.set?.find(([path]) => path === "n")?.[1];
        const { setOnce: _, ...change } = write.change;
        return { ...write, change: { ...change, set: [...(change.set ?? []), ["p", Number(next) - 1]] } };
      }),
    ),
  ),
};
