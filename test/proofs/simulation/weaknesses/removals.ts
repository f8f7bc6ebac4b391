import { parseRemovalPlace } from "../../../../lib/store/layout.ts";
import { readPage } from "../../../../lib/stream/read-page.ts";
import type { Weakness } from "../world.ts";
import { bend, headReadAs, transactsAs, writers } from "./weaken.ts";

export const noRemovals: Weakness = {
  name: "changed filter field without a removal",
  breaks: ["stale"],
  seedsMax: 100,
  caughtAt: 6,
  table: bend(
    writers,
    transactsAs((writes) => writes.filter((write) => !("put" in write) || !parseRemovalPlace(write.put))),
  ),
};

/** The removal of such an entry has a number that the walk counts as known, so the walk would never get it. */
export const supersededShown: Weakness = {
  name: "first page that shows superseded entries that are not retired yet",
  breaks: ["stale"],
  seedsMax: 1200,
  caughtAt: 4,
  read: (table, request) =>
    readPage(
      { ...table, ...headReadAs(({ q: _, ...item }) => item)(table) },
      { ...request, ...(request.head && { head: { ...request.head, pending: undefined } }) },
    ),
};

export const leavingUnreported: Weakness = {
  name: "organization that leaves without a record of it",
  breaks: ["stale"],
  seedsMax: 600,
  caughtAt: 1,
  table: bend(
    ["flipper"],
    transactsAs((writes) => writes.filter((write) => !("put" in write) || !write.put.sk.startsWith("LEFT#"))),
  ),
};
