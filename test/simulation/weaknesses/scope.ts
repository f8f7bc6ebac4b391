import { isScopeEpochs } from "../../../lib/store/layout.ts";
import type { Weakness } from "../world.ts";
import { bend, transactsAs } from "./weaken.ts";

/** As release 1 had it: the cursor is a number, and whoever was not in scope when it passed is missed for good. */
export const unmarkedCursor: Weakness = {
  name: "cursor without its scope",
  breaks: ["missed"],
  seedsMax: 500,
  caughtAt: 49,
  scope: "unmarked",
};

export const freshEpochTrusted: Weakness = {
  name: "first page that trusts a fresh epoch",
  breaks: ["missed"],
  seedsMax: 950,
  caughtAt: 95,
  scope: "fresh-trusted",
};

export const epochPublishedInside: Weakness = {
  name: "epoch published by the transaction that takes it",
  breaks: ["missed"],
  seedsMax: 450,
  caughtAt: 45,
  table: bend(
    ["flipper"],
    transactsAs((writes) =>
      writes.map((write) => {
        if (!("update" in write) || !isScopeEpochs(write.update)) return write;
        const next = write.change.set?.find(([path]) => path === "n")?.[1];
        const { setOnce: _, ...change } = write.change;
        return { ...write, change: { ...change, set: [...(change.set ?? []), ["p", Number(next) - 1]] } };
      }),
    ),
  ),
};
