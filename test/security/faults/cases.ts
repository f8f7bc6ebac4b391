import { isLong } from "../../support/volume.ts";
import { type Call, canHappen, type Fault, faults } from "./fault.ts";
import type { Rehearsed } from "./theatre.ts";

/** At its first call, at all of them, or there and at everything that would have followed. */
export type How = "once" | "for good" | "crash";
export type Case = {
  readonly scene: string;
  readonly site: string;
  readonly fault: Fault;
  readonly how: How;
};

const faultsOf: Readonly<Record<How, readonly Fault[]>> = {
  once: faults,
  "for good": ["throttle", "server error", "lost before", "lost after"],
  crash: ["lost before", "lost after"],
};

/** `SITE=lib/people/seats.ts:36` (or the beginning of it) plays only what strikes there. */
const siteWanted = process.env.SITE ?? "";

const hows = ["once", "for good", "crash"] as const;

type Place = { readonly scene: string; readonly call: Call };

/** The long run takes every call site of every scene; the short one each call site once, in turn by other faults. */
export function casesOf(rehearsed: ReadonlyMap<string, Rehearsed>): Case[] {
  const places = [...rehearsed].flatMap(([scene, { calls }]) => {
    const bySite = new Map<string, Call>();
    for (const call of calls) if (!bySite.has(call.site)) bySite.set(call.site, call);
    return [...bySite.values()]
      .filter(({ site }) => site.startsWith(siteWanted))
      .map((call): Place => ({ scene, call }));
  });
  const chosen = isLong ? places : [...Map.groupBy(places, ({ call }) => call.site).values()].map(inTurn);
  return chosen.flatMap((place, index) =>
    hows.flatMap((how) => {
      // A short run lets a call site fail once, and for good or in a crash; the next site takes the next faults.
      if (!isLong && how !== "once" && how !== hows[1 + (index % 2)]) return [];
      const { isAlone = false } = rehearsed.get(place.scene)?.scene ?? {};
      const possible = faultsOf[how].filter(
        (fault) => canHappen(fault, place.call) && isFair(fault, isAlone, place.call),
      );
      const turn = possible[Math.floor(index / (how === "once" ? 1 : 2)) % possible.length];
      const taken = isLong ? possible : turn === undefined ? [] : [turn];
      return taken.map((fault): Case => ({ scene: place.scene, site: place.call.site, fault, how }));
    }),
  );
}

/** Where a failed condition says that somebody else has done it: there it never fails for no reason. */
const takenAsDone = new Set([
  "lib/access/key-registry.ts",
  "lib/audit/refusals.ts",
  "lib/events/waiting.ts",
  "lib/http/cursor-keys.ts",
  "lib/learnings/delete.ts",
  "lib/learnings/events/pull-request.ts",
  "lib/organizations/move.ts",
  "lib/stream/settle.ts",
  "lib/stream/spill.ts",
  "lib/stream/sweep.ts",
]);

function isFair(fault: Fault, isAlone: boolean, { site }: Call): boolean {
  if (fault === "condition") return !isAlone && !takenAsDone.has(site.split(":", 1)[0] ?? "");
  return fault !== "twin" || !isAlone;
}

/** Those that change something show more than those that read. */
const inTurn = (places: readonly Place[]): Place => {
  const [place] = places.length > 1 ? places.slice(-1) : places;
  if (!place) throw new Error("A group has a place.");
  return place;
};
